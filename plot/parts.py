#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Draws the parts of a study along a line, in their order: how the same kernels compare as the machine
grows. A panel for each row that two parts or more have, a line for each side.

CSV is what scripts/study.sh leaves in parts.csv: compare.sh --format=csv, with the part in front.
Exit: 2 bad usage, or a CSV that cannot be drawn; 9 matplotlib is not installed
"""

from math import nan

import common


def draw_side(axes, rows, parts, number, side):
    """One line; a part without a value is a gap in it."""
    by_part = {row["part"]: row for row in rows}
    values = [nan if by_part.get(part, {}).get("value") is None else by_part[part]["value"]
              for part in parts]
    axes.plot(range(len(parts)), values, label=side, color=common.colour(number),
              marker=common.marker(number), markersize=5, linewidth=1.5)


def main():
    arguments = common.arguments(__doc__, "from part to part")
    rows = common.read(arguments.csv, "csv", [
        "part", "test", "phase", "size", "unit", "side", "value"])
    panels = {key: of_panel for key, of_panel in
              common.groups(rows, "test", "phase", "size").items()
              if len({row["part"] for row in of_panel if row["value"] is not None}) > 1}
    if not panels:
        common.refuse(f"{arguments.csv}: no row is in two parts")
    sides = list(common.groups(rows, "side"))
    page = common.Page(len(panels), arguments.title, "The axis of values is logarithmic.",
                       len(sides))
    for axes, ((test, phase, size), of_panel) in zip(page.axes, panels.items()):
        parts = list(common.groups(of_panel, "part"))
        for side, of_side in common.groups(of_panel, "side").items():
            draw_side(axes, of_side, parts, sides.index(side), side)
        axes.set_xticks(range(len(parts)), parts, rotation=45, ha="right", rotation_mode="anchor")
        axes.set_ylabel(of_panel[0]["unit"])
        axes.set_title(common.panel_title(test, phase, size))
        common.log_values(axes, [row["value"] for row in of_panel])
    page.save(arguments.picture,
              [common.key_of_side(number, side) for number, side in enumerate(sides)])


main()
