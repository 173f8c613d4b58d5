"""Models and robots as text and as HTML for notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Dict, Iterator, List, Tuple

if TYPE_CHECKING:
    from .model import Joint, Model


def _rows(model: Model) -> Iterator[Tuple[str, Joint]]:
    """Joints depth first, with the lines of the tree before them."""
    children: Dict[str, List[Joint]] = {}
    for joint in model.joints:
        children.setdefault(joint.parent, []).append(joint)
    seen = set()

    def walk(body: str, indent: str) -> Iterator[Tuple[str, Joint]]:
        below = children.get(body, [])
        for i, joint in enumerate(below):
            if joint.name in seen:
                continue
            seen.add(joint.name)
            last = i == len(below) - 1
            yield indent + ("└─ " if last else "├─ "), joint
            yield from walk(joint.child, indent + ("   " if last else "│  "))

    yield from walk(model.ground, "")
    for joint in model.joints:  # what hangs on nothing; check() tells
        if joint.name not in seen:
            seen.add(joint.name)
            yield "?  ", joint


def _mass(model: Model, body: str) -> str:
    for b in model.bodies:
        if b.name == body:
            return f"{b.mass:g} kg"
    return ""


def tree_text(model: Model) -> str:
    """The tree of bodies and joints, loops, actuators."""
    lines = [f"{model.name}: {len(model.bodies)} bodies, {model.mass:g} kg", model.ground]
    for before, joint in _rows(model):
        mimic = f" = {joint.mimic[1]:g} {joint.mimic[0]} + {joint.mimic[2]:g}" if joint.mimic else ""
        lines.append(f"{before}{joint.child}  [{joint.kind} {joint.name}{mimic}]  {_mass(model, joint.child)}".rstrip())
    for loop in model.loops:
        lines.append(f"loop {loop.name}: {loop.kind}, {loop.body1} - {loop.body2}")
    for spring in model.springs:
        lines.append(f"spring {spring.name}: {spring.body1} - {spring.body2}, {spring.stiffness:g} N/m")
    if model.actuators:
        lines.append("actuated: " + ", ".join(model.actuators))
    if model.driven:
        lines.append("driven: " + ", ".join(model.driven))
    return "\n".join(lines)


def model_html(model: Model) -> str:
    """A table of the tree, and one of the loops."""
    rows = "".join(
        "<tr><td style='text-align:left;white-space:pre;font-family:monospace'>"
        f"{escape(before)}{escape(joint.child)}</td><td style='text-align:left'>{escape(joint.name)}</td>"
        f"<td style='text-align:left'>{escape(joint.kind)}</td><td>{escape(_mass(model, joint.child))}</td></tr>"
        for before, joint in _rows(model)
    )
    html = (
        f"<div><b>{escape(model.name)}</b>: {len(model.bodies)} bodies, {len(model.joints)} joints, {model.mass:g} kg"
        "<table><thead><tr><th style='text-align:left'>body</th><th style='text-align:left'>joint</th>"
        "<th style='text-align:left'>kind</th><th>mass</th></tr></thead><tbody>"
        f"<tr><td style='text-align:left;font-family:monospace'>{escape(model.ground)}</td><td></td><td></td><td></td></tr>"
        f"{rows}</tbody></table>"
    )
    if model.loops:
        closing = "".join(
            f"<tr><td style='text-align:left'>{escape(x.name)}</td><td style='text-align:left'>{escape(x.kind)}</td>"
            f"<td style='text-align:left'>{escape(x.body1)}, {escape(x.body2)}</td></tr>"
            for x in model.loops
        )
        html += (
            "<table><thead><tr><th style='text-align:left'>loop</th><th style='text-align:left'>kind</th>"
            f"<th style='text-align:left'>bodies</th></tr></thead><tbody>{closing}</tbody></table>"
        )
    return html + "</div>"
