#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Draws many kernels along a line, in the order in which compare.sh was given them: how a cost went
from release to release. A panel for each test and phase, a line for each size, the interval of each
value where there are boots enough for one.

CSV is what scripts/compare.sh --format=csv wrote.
Exit: 2 bad usage, or a CSV that cannot be drawn; 9 matplotlib is not installed
"""

from math import nan

import common


def draw_size(axes, rows, sides, shift, look):
    """One line, moved aside by shift; a side without a value is a gap in it. Returns the line."""
    by_side = {row["side"]: row for row in rows}
    places = [place + shift for place in range(len(sides))]
    values = [nan if by_side.get(side, {}).get("value") is None else by_side[side]["value"]
              for side in sides]
    line, = axes.plot(places, values, markersize=5, linewidth=1.2, **look)
    for place, side in zip(places, sides):
        row = by_side.get(side)
        if row and row["low"] is not None and row["high"] is not None:
            # below what a logarithm can show, a bar goes down to the axis
            axes.plot([place, place], [max(row["low"], 1e-9), row["high"]], color=look["color"],
                      linewidth=1, marker="_", markersize=6)
    return line


def look_of(number, count):
    """How the line of a size looks; larger is brighter, also in grey."""
    return {"color": common.matplotlib.colormaps["viridis"](0.85 * number / max(1, count - 1)),
            "marker": common.marker(number),
            "linestyle": common.DASHES[number % len(common.DASHES)]}


def main():
    arguments = common.arguments(__doc__, "from kernel to kernel")
    rows = common.read(arguments.csv, "csv", [
        "test", "phase", "size", "unit", "side", "boots", "value", "low", "high"])
    of_sides = common.groups(rows, "side")
    sides = list(of_sides)
    sizes = sorted({row["size"] for row in rows}, key=lambda size: (size is None, size))
    panels = common.groups(rows, "test", "phase")
    boots = sorted({max(row["boots"] for row in of_side) for of_side in of_sides.values()})
    has_intervals = any(row["low"] is not None for row in rows)
    page = common.Page(len(panels), arguments.title, ", ".join(sides) + (
        f" ({common.several(boots[0], 'boot')} each)" if len(boots) == 1 else
        f" ({boots[0]:g} to {boots[-1]:g} boots each)") + (
        ".\nBars: intervals over boots." if has_intervals else
        ".\nNo bars: an interval needs 4 boots a side.") + " The axis of values is logarithmic.",
        len(sizes))
    handles = {}
    for axes, ((test, phase), of_panel) in zip(page.axes, panels.items()):
        here = common.groups(of_panel, "size")
        for number, (size, of_size) in enumerate(here.items()):
            # beside each other, so that one does not hide the other's bar
            shift = (number - (len(here) - 1) / 2) * 0.3 / len(here)
            line = draw_size(axes, of_size, sides, shift, look_of(sizes.index(size), len(sizes)))
            line.set_label("no size" if size is None else f"{size:g} bytes")
            handles.setdefault(size, line)
        axes.set_xlim(-0.4, len(sides) - 0.6)
        is_crowded = sum(len(side) + 2 for side in sides) > 50
        axes.set_xticks(range(len(sides)), sides, rotation=45 if is_crowded else 0,
                        ha="right" if is_crowded else "center", rotation_mode="anchor")
        axes.set_xlabel("kernel")
        axes.set_ylabel(of_panel[0]["unit"])
        axes.set_title(common.panel_title(test, phase))
        common.log_values(axes, [row[column] for row in of_panel
                                 for column in ("value", "low", "high")])
    page.save(arguments.picture, [handles[size] for size in sizes])


main()
