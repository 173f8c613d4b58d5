"""Draws times over sizes with logarithmic axes, as SVG."""
import math
import pathlib

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 440, 80, 190, 48, 56
COLORS = ["#1b6ca8", "#c8553d", "#3a7d44", "#8e6c8a", "#b58900", "#586e75"]


def ticks(low, high):
    return [10.0 ** k for k in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]


def seconds(ns):
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if ns >= size:
            return f"{ns / size:g} {unit}"
    return f"{ns:g} ns"


def draw(path, title, x_label, series):
    """series: name -> [(size, ns)]"""
    points = [p for line in series.values() for p in line]
    xs, ys = ticks(*(f(p[0] for p in points) for f in (min, max))), ticks(*(f(p[1] for p in points) for f in (min, max)))

    def x(v):
        return LEFT + (WIDTH - LEFT - RIGHT) * math.log10(v / xs[0]) / math.log10(xs[-1] / xs[0])

    def y(v):
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * math.log10(v / ys[0]) / math.log10(ys[-1] / ys[0])

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" '
           'font-family="sans-serif" font-size="13">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
           f'<text x="{LEFT}" y="26" font-size="16">{title}</text>']
    for v in xs:
        out.append(f'<line x1="{x(v):.1f}" y1="{TOP}" x2="{x(v):.1f}" y2="{HEIGHT - BOTTOM}" stroke="#dddddd"/>'
                   f'<text x="{x(v):.1f}" y="{HEIGHT - BOTTOM + 20}" text-anchor="middle">{v:g}</text>')
    for v in ys:
        out.append(f'<line x1="{LEFT}" y1="{y(v):.1f}" x2="{WIDTH - RIGHT}" y2="{y(v):.1f}" stroke="#dddddd"/>'
                   f'<text x="{LEFT - 8}" y="{y(v) + 4:.1f}" text-anchor="end">{seconds(v)}</text>')
    out.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 14}" text-anchor="middle">{x_label}</text>')
    lowest = 0  # labels at the ends of the lines keep a distance
    for color, (name, line) in sorted(zip(COLORS, series.items()), key=lambda s: y(s[1][1][-1][1])):
        way = " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in line)
        out.append(f'<polyline points="{way}" fill="none" stroke="{color}" stroke-width="2"/>')
        out += [f'<circle cx="{x(a):.1f}" cy="{y(b):.1f}" r="3" fill="{color}"/>' for a, b in line]
        lowest = max(y(line[-1][1]) + 4, lowest + 16)
        out.append(f'<text x="{x(line[-1][0]) + 9:.1f}" y="{lowest:.1f}" fill="{color}">{name}</text>')
    pathlib.Path(path).write_text("\n".join([*out, "</svg>\n"]), encoding="utf-8")
