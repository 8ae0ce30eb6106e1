"""Prints a table of figures that `parley persona test --lines` measured: table.py FOLDER."""
import collections
import glob
import json
import os
import sys

judges = collections.defaultdict(list)
for path in sorted(glob.glob(os.path.join(sys.argv[1], "*.*.json"))):
    with open(path, encoding="utf-8") as file:
        judges[os.path.basename(path).split(".")[0]].append(json.load(file)["lines"])

row = "%-8s %5s %8s %10s %6s %10s %10s %8s %8s %7s %8s"
print(row % ("judge", "lines", "right", "undeserved", "tries", "small talk", "unanswered", "median", "p95", "cached", "written"))
broken = False
for name, runs in judges.items():
    def total(key):
        return sum(run[key] for run in runs)

    tried, tokens = total("tried"), {k: sum(run["tokens"][k] for run in runs) for k in ("read", "cached", "written")}
    median = sorted(run["milliseconds"]["median"] for run in runs)[len(runs) // 2]
    print(row % (
        name, tried, "%.1f %%" % (100 * total("right") / tried), total("undeserved"), total("lost_tries"), total("lost_small_talk"), total("unanswered"),
        "%.0f ms" % median, "%.0f ms" % max(run["milliseconds"]["p95"] for run in runs),
        "%.0f %%" % (100 * tokens["cached"] / tokens["read"]) if tokens["read"] else "-", "%.1f" % (tokens["written"] / tried)))
    # A model that does not answer with a letter is asked for JSON, which is allowed.
    asked = {"letter": ("letter", "json"), "json": ("json",)}.get(name, ())
    broken |= total("unanswered") * 2 > tried or bool(asked) and not any(a in runs[0]["method"] for a in asked)
sys.exit("judging is broken: most lines got no answer, or another method was used" if broken else 0)
