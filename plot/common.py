# SPDX-License-Identifier: GPL-2.0-only
"""What the matplotlib pictures have in common: arguments, reading, page and looks."""

import argparse
import csv
import math
import os
import sys
import textwrap

try:
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import lines, pyplot, ticker
except ImportError:
    print(f"{os.path.basename(sys.argv[0])}: matplotlib is not installed: "
          "sudo scripts/setup.sh plot", file=sys.stderr)
    sys.exit(9)

# The colours of Okabe and Ito, darkest first, as in common.gp: they differ for the colour-blind and
# in grey. Markers and dashes tell the same again.
COLOURS = ["#000000", "#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"]
MARKERS = ["s", "o", "^", "v", "D", "p", "P", "X", "<", ">"]
DASHES = ["-", "--", ":", "-.", (0, (5, 1, 1, 1, 1, 1))]

NUMBERS = {"size", "boots", "value", "low", "high", "boot", "round", "cpu"}
INCH = 100  # pixels


def refuse(message):
    """Ends the script: what was asked for or handed in cannot be drawn."""
    print(f"{os.path.basename(sys.argv[0])}: {message}", file=sys.stderr)
    sys.exit(2)


class _Parser(argparse.ArgumentParser):
    def error(self, message):
        refuse(f"{message} (see {self.prog} --help)")


def arguments(description, what, has_size=False):
    """The command line: csv, picture, title (and what is drawn) and, where has_size, size."""
    parser = _Parser(description=description, allow_abbrev=False,
                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("csv", metavar="CSV", help="what compare.sh wrote; - is standard input")
    parser.add_argument("picture", metavar="PICTURE",
                        help="a file to write; its name ends in .png or .svg")
    parser.add_argument("title", metavar="TITLE", nargs="?",
                        help=f"the heading, before \"{what}\"")
    if has_size:
        parser.add_argument("--size", type=int, metavar="BYTES",
                            help="the size to draw (default: the middle one of the file)")
    parsed = parser.parse_args()
    if not parsed.picture.endswith((".png", ".svg")):
        refuse(f"{parsed.picture}: the name of a picture ends in .png or .svg")
    parsed.title = f"{parsed.title} – {what}" if parsed.title else what
    return parsed


def read(path, kind, columns):
    """
    The rows of a CSV as dictionaries of the columns named: numbers as numbers, None for one that
    does not exist. Without the test null, which is 0 by design.
    """
    rows = []
    line = 0
    try:
        with open(0 if path == "-" else path, newline="", encoding="utf-8") as file:
            reader = csv.reader(file, strict=True)
            header = next(reader, [])
            for name in columns:
                if name not in header:
                    refuse(f"{path}: line 1: no column '{name}': "
                           f"compare.sh --format={kind} writes one")
            for fields in reader:
                line = reader.line_num
                if len(fields) != len(header):
                    refuse(f"{path}: line {line}: {len(fields)} fields, "
                           f"where line 1 has {len(header)}")
                named = dict(zip(header, fields))
                row = {name: _number(named[name], name) if name in NUMBERS else named[name]
                       for name in columns}
                if row["test"] != "null":
                    rows.append(row)
    except OSError as error:
        refuse(f"{path}: {error.strerror}")
    except UnicodeDecodeError:
        refuse(f"{path}: is no text")
    except (csv.Error, ValueError) as error:
        refuse(f"{path}: line {max(line, 1)}: {error}")
    if not rows:
        refuse(f"{path}: no row to draw")
    return rows


def _number(text, name):
    if text == "-":
        return None
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(f"'{text}' is no {name}")
    return number


def read_samples(path, size):
    """
    (the samples of that size and those that have none, the size) of what --format=csv-samples
    wrote; size None: the middle one.
    """
    rows = [row for row in read(path, "csv-samples", [
        "test", "phase", "size", "unit", "side", "boot", "round", "cpu", "value", "flags"])
            if row["value"] is not None]
    sizes = sorted({row["size"] for row in rows if row["size"] is not None})
    if size is None and sizes:
        size = sizes[(len(sizes) - 1) // 2]
    elif size is not None and size not in sizes:
        refuse(f"{path}: no size {size}: there are "
               f"{', '.join(f'{known:g}' for known in sizes) or 'none'}")
    rows = [row for row in rows if row["size"] in (None, size)]
    if not rows:
        refuse(f"{path}: no value to draw")
    return rows, size


def groups(rows, *columns):
    """The rows by the value of a column (by a tuple of values, of several), in the file's order."""
    found = {}
    for row in rows:
        key = tuple(row[column] for column in columns)
        found.setdefault(key if len(columns) > 1 else key[0], []).append(row)
    return found


def several(count, word):
    """1 boot, 2 boots"""
    return f"{count:g} {word}{'' if count == 1 else 's'}"


def panel_title(test, phase, size=None):
    """alloc_then_free, alloc, 64 bytes"""
    return ", ".join([test] + ([phase] if phase else []) +
                     ([] if size is None else [f"{size:g} bytes"]))


def key_of_side(number, name, **look):
    """An entry of the legend: how a side looks, counted from 0."""
    return lines.Line2D([], [], label=name, **{"color": colour(number), "marker": marker(number),
                                               "linewidth": 1.5, "markersize": 5, **look})


def caption_of_samples(rows, size):
    """6.1 (6 boots), 6.12 (6 boots); objects of 64 bytes."""
    sides = ", ".join(f"{side} ({several(len(groups(of_side, 'boot')), 'boot')})"
                      for side, of_side in groups(rows, "side").items())
    return sides + (".\n" if size is None else f"; objects of {size:g} bytes.\n")


def colour(number):
    """The colour of a side, counted from 0."""
    return COLOURS[number % len(COLOURS)]


def marker(number):
    """The marker of a side, counted from 0."""
    return MARKERS[number % len(MARKERS)]


class Page:
    """A grid of panels below a title and above a legend and a caption."""

    def __init__(self, panels, title, caption, legend_entries, columns=3):
        columns = min(columns, panels)
        rows = math.ceil(panels / columns)
        width = 9 if columns == 1 else 13.5
        caption = "\n".join(textwrap.fill(line, int(14 * width)) for line in caption.split("\n"))
        self.legend_columns = min(legend_entries, int(width / 1.6))
        caption_height = 0.25 + 0.17 * (1 + caption.count("\n"))
        legend_height = 0.25 + 0.18 * math.ceil(legend_entries / self.legend_columns)
        foot = caption_height + legend_height
        head = 0.5
        height = rows * (4.2 if panels == 1 else 2.7) + head + foot
        matplotlib.rcParams.update({
            "font.family": "DejaVu Sans", "font.size": 9, "axes.titlesize": 10,
            "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True,
            "axes.grid.axis": "y", "grid.color": "#d0d0d0", "grid.linewidth": 0.5,
            "axes.axisbelow": True, "text.parse_math": False,
            # the words of an SVG stay words, and the same CSV gives the same bytes
            "svg.fonttype": "none", "svg.hashsalt": "slab_test"})
        self.figure = pyplot.figure(figsize=(width, height), dpi=INCH)
        self.figure.set_layout_engine("constrained", h_pad=0.08, w_pad=0.08, rect=(
            0, foot / height, 1, 1 - (head + foot) / height))
        axes = list(self.figure.subplots(rows, columns, squeeze=False).flat)
        for empty in axes[panels:]:
            empty.remove()
        self.axes = axes[:panels]
        self.figure.text(0.5, 1 - head / 2 / height, title, ha="center", va="center", fontsize=14)
        self.figure.text(0.5, caption_height / 2 / height, caption, ha="center", va="center")
        self.legend_place = (0.5, (caption_height + legend_height / 2) / height)

    def save(self, picture, handles):
        """Writes the picture, with a legend of the handles."""
        self.figure.legend(handles=handles, loc="center", ncols=self.legend_columns, frameon=False,
                           bbox_to_anchor=self.legend_place)
        undated = {"Date": None} if picture.endswith(".svg") else {}
        try:
            self.figure.savefig(picture, metadata=undated)
        except OSError as error:
            refuse(f"{picture}: {error.strerror}")


def log_values(axes, values):
    """Makes the axis of values logarithmic, with marks that can be read; values are those drawn."""
    positive = [value for value in values if value is not None and value > 0]
    if not positive:
        axes.set_yticks([0.5], ["none"])
        axes.set_ylim(0, 1)
        return
    low, high = min(positive), max(positive)
    axes.set_yscale("log", nonpositive="mask")
    axes.set_ylim(low / (high / low) ** 0.06 / 1.01, high * (high / low) ** 0.06 * 1.01)
    reach = high / low
    axes.yaxis.set_major_locator(ticker.MaxNLocator(5) if reach < 4 else ticker.LogLocator(
        subs=(1, 2, 3, 5, 7) if reach < 10 else (1, 2, 5) if reach < 200 else (1,)))
    axes.yaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_locator(ticker.NullLocator())
