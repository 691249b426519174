#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Draws how far the CPUs are from each other. A panel for each test and phase; for each CPU and side
the median of all rounds of all boots, the middle half of them and their whole range.

CSV is what scripts/compare.sh --format=csv-samples wrote.
Exit: 2 bad usage, or a CSV that cannot be drawn; 9 matplotlib is not installed
"""

from statistics import quantiles

import common


def draw_side(axes, rows, side, sides):
    """One side; sides stand beside each other at each CPU."""
    colour = common.colour(side)
    of_cpus = {cpu: sorted(row["value"] for row in of_cpu)
               for cpu, of_cpu in common.groups(rows, "cpu").items()}
    crowd = 1 if len(of_cpus) <= 32 else 0.5
    places = [cpu + (side - (sides - 1) / 2) * 0.7 / sides for cpu in of_cpus]
    lows, middles, highs = zip(*[
        quantiles(values, method="inclusive") if len(values) > 1 else values * 3
        for values in of_cpus.values()])
    axes.vlines(places, [values[0] for values in of_cpus.values()],
                [values[-1] for values in of_cpus.values()], color=colour, linewidth=crowd)
    axes.vlines(places, lows, highs, color=colour, linewidth=5 * crowd)
    axes.plot(places, middles, linestyle="none", marker=common.marker(side), markersize=6 * crowd,
              markerfacecolor="white", markeredgecolor=colour)


def main():
    arguments = common.arguments(__doc__, "spread of the CPUs", has_size=True)
    rows, size = common.read_samples(arguments.csv, arguments.size)
    rows = [row for row in rows if row["cpu"] is not None]
    if not rows:
        common.refuse(f"{arguments.csv}: no figure is that of a single CPU")
    sides = list(common.groups(rows, "side"))
    cpus = len(common.groups(rows, "cpu"))
    panels = common.groups(rows, "test", "phase", "size")
    page = common.Page(len(panels), arguments.title, common.caption_of_samples(rows, size) + (
        "All rounds of all boots. Marker: median; thick: middle half; thin: from the lowest to the "
        "highest. The axis of values is logarithmic."), len(sides), columns=3 if cpus <= 16 else 1)
    for axes, ((test, phase, of_size), of_panel) in zip(page.axes, panels.items()):
        for side, name in enumerate(sides):
            of_side = [row for row in of_panel if row["side"] == name]
            if of_side:
                draw_side(axes, of_side, side, len(sides))
        axes.set_xlim(min(row["cpu"] for row in rows) - 0.6, max(row["cpu"] for row in rows) + 0.6)
        axes.xaxis.set_major_locator(common.ticker.MaxNLocator(16, integer=True))
        axes.set_xlabel("CPU")
        axes.set_ylabel(of_panel[0]["unit"])
        axes.set_title(common.panel_title(test, phase, of_size))
        common.log_values(axes, [row["value"] for row in of_panel])
    page.save(arguments.picture, [common.key_of_side(side, name, markerfacecolor="white")
                                  for side, name in enumerate(sides)])


main()
