"""The five papers behind Catena: their figures, tables and claims, computed and judged.

    paper = catena.papers.reproduce("saha-1999")
    paper.exhibits["fig-5"].table.plot()
    [claim for claim in paper.claims if claim.verdict != "confirmed"]
"""

from __future__ import annotations

import os
from typing import Any, Dict, List, NamedTuple, Optional, Union

from . import _core
from ._errors import InputError
from .table import Table

__all__ = ["Claim", "Exhibit", "Grid", "Paper", "names", "reproduce"]


class Claim(NamedTuple):
    """What a paper says, in our words, and what became of it.

    verdict: "confirmed", "differs" or "cannot be decided". found: what was computed, a line for each reading of what
    the text leaves open. reason: by what it differs, or why it cannot be decided.
    """

    id: str
    says: str
    verdict: str
    found: List[str]
    reason: str


class Grid(NamedTuple):
    """A table of words of an exhibit: header and rows."""

    caption: str
    header: List[str]
    rows: List[List[str]]


class Exhibit(NamedTuple):
    """A figure, table or example of a paper.

    table: what figures are drawn from, or None. measures: {name: (value, unit)}. failure: why there are no results.
    """

    id: str
    title: str
    note: str
    failure: str
    claims: List[Claim]
    measures: Dict[str, Any]
    grids: List[Grid]
    table: Optional[Table]


class Paper:
    """A paper with all its exhibits, computed.

    name, title, authors, source, about: what it is. exhibits: {id: Exhibit}. report: one HTML page.
    """

    def __init__(self, parts: Dict[str, Any]) -> None:
        self.name: str = parts["name"]
        self.title: str = parts["title"]
        self.authors: str = parts["authors"]
        self.source: str = parts["source"]
        self.about: str = parts["about"]
        self.report: str = parts["report"]
        self.exhibits: Dict[str, Exhibit] = {}
        for part in parts["exhibits"]:
            columns, values = part.pop("columns"), part.pop("values")
            part["claims"] = [Claim(*claim) for claim in part["claims"]]
            part["grids"] = [Grid(*grid) for grid in part["grids"]]
            self.exhibits[part["id"]] = Exhibit(table=Table(columns, values) if columns else None, **part)

    @property
    def claims(self) -> List[Claim]:
        """All claims of all exhibits."""
        return [claim for exhibit in self.exhibits.values() for claim in exhibit.claims]

    def __repr__(self) -> str:
        told = [claim.verdict for claim in self.claims]
        counts = ", ".join(f"{told.count(v)} {v}" for v in ("confirmed", "differs", "cannot be decided"))
        return f"<catena.papers.Paper '{self.name}': {len(self.exhibits)} exhibits; claims: {counts}>"

    def _repr_html_(self) -> str:
        from html import escape

        rows = "".join(
            f"<tr><td style='text-align:left'>{escape(claim.id)}</td><td style='text-align:left'>{escape(claim.says)}</td>"
            f"<td style='text-align:left'>{escape(claim.verdict)}</td></tr>"
            for claim in self.claims
        )
        return (
            f"<div><b>{escape(self.title)}</b>, {escape(self.authors)}<table><thead><tr><th>claim</th><th>says</th>"
            f"<th>verdict</th></tr></thead><tbody>{rows}</tbody></table></div>"
        )


def _folder(folder: Union[str, os.PathLike, None]) -> str:
    if not hasattr(_core, "reproduce"):
        raise InputError("this build of catena has no papers: cairo was missing when it was built")
    return os.path.join(os.path.dirname(__file__), "_papers") if folder is None else os.fspath(folder)


def names(folder: Union[str, os.PathLike, None] = None) -> List[str]:
    """Names of the papers; folder: where they are, by default in the package."""
    return _core.paper_names(_folder(folder))


def reproduce(name: str, folder: Union[str, os.PathLike, None] = None) -> Paper:
    """Computes every exhibit of a paper and judges every claim. Takes seconds; other threads run on.

    folder: where the papers are, by default in the package. Raises InputError for an unknown name.
    """
    known = names(folder)
    if name not in known:
        raise InputError(f"there is no paper '{name}'; the papers are: {', '.join(known)}")
    return Paper(_core.reproduce(_folder(folder), name))
