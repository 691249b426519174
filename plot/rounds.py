#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Draws every round of every boot, so that one sees what a mean hides: rounds that form two clusters,
boots that differ, values that drift. A panel for each test and phase; a column of points for each
boot, its rounds from left to right, its median as a bar.

CSV is what scripts/compare.sh --format=csv-samples wrote. A round is the mean over its CPUs.
Exit: 2 bad usage, or a CSV that cannot be drawn; 9 matplotlib is not installed
"""

from statistics import mean, median

import common


def boots_of(rows):
    """[[(value, whether a CPU was disturbed) for each round] for each boot]"""
    return [[(mean(row["value"] for row in cpus), any(row["flags"] != "-" for row in cpus))
             for _, cpus in sorted(common.groups(boot, "round").items())]
            for _, boot in sorted(common.groups(rows, "boot").items())]


def draw_side(axes, boots, first, side):
    """The boots of a side, from `first` on along the axis."""
    colour = common.colour(side)
    points = {False: ([], []), True: ([], [])}
    for x, boot in enumerate(boots, first):
        for index, (value, is_disturbed) in enumerate(boot):
            points[is_disturbed][0].append(x + (index - (len(boot) - 1) / 2) * 0.7 / len(boot))
            points[is_disturbed][1].append(value)
        middle = median(value for value, _ in boot)
        axes.plot([x - 0.42, x + 0.42], [middle, middle], color=colour, linewidth=1.5)
    for is_disturbed, marker in ((False, common.marker(side)), (True, "x")):
        axes.plot(*points[is_disturbed], linestyle="none", marker=marker, markersize=4,
                  color=colour, alpha=0.75, markeredgewidth=1 if is_disturbed else 0)


def draw_panel(axes, rows, boot_counts):
    """All sides side by side, with room for as many boots as a side has anywhere."""
    every = max(1, round(sum(boot_counts.values()) / 16))
    first = 1
    places, labels, values = [], [], []
    for side, (name, count) in enumerate(boot_counts.items()):
        boots = boots_of([row for row in rows if row["side"] == name])
        draw_side(axes, boots, first, side)
        values += [value for boot in boots for value, _ in boot]
        places += range(first, first + count, every)
        labels += range(1, 1 + count, every)
        first += count + 1
    axes.set_xlim(0, first - 1)
    axes.set_xticks(places, labels)
    axes.set_xlabel("boot of a side")
    common.log_values(axes, values)


def main():
    arguments = common.arguments(__doc__, "each round of each boot", has_size=True)
    rows, size = common.read_samples(arguments.csv, arguments.size)
    boot_counts = {side: len(common.groups(of_side, "boot"))
                   for side, of_side in common.groups(rows, "side").items()}
    panels = common.groups(rows, "test", "phase", "size")
    page = common.Page(len(panels), arguments.title, common.caption_of_samples(rows, size) + (
        "A point: a round, the mean over its CPUs. A bar: the median round of a boot. "
        "The axis of values is logarithmic."), len(boot_counts) + 1)
    for axes, ((test, phase, of_size), of_panel) in zip(page.axes, panels.items()):
        draw_panel(axes, of_panel, boot_counts)
        axes.set_ylabel(of_panel[0]["unit"])
        axes.set_title(common.panel_title(test, phase, of_size))
    handles = [common.key_of_side(side, name) for side, name in enumerate(boot_counts)]
    if any(row["flags"] != "-" for row in rows):
        handles.append(common.key_of_side(0, "preempted or migrated", marker="x", linestyle="none"))
    page.save(arguments.picture, handles)


main()
