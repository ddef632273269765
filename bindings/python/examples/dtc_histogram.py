"""Plots how far the next shot or the end is, over all positions of a class.

    python dtc_histogram.py [CLASS [PICTURE [DIR...]]]

The class is 4-4 and the picture `dtc_histogram.png` if nothing else is said; without directories the tables inside the
package answer. Editors that know cells (`# %%`) run this step by step, like a notebook.
"""

# %% What to plot
import sys

import matplotlib.pyplot as plt
from matplotlib.ticker import MaxNLocator

import morabase

arguments = sys.argv[1:] if __name__ == "__main__" and "ipykernel" not in sys.modules else []
class_name = arguments[0] if arguments else "4-4"
picture = arguments[1] if len(arguments) > 1 else "dtc_histogram.png"
directories = arguments[2:]

# %% The head of the table has the counts: nothing is probed
with morabase.Tablebase(directories) as tables:
    meta = tables.meta(class_name)
    rules = tables.rules.name

plies = [row[0] for row in meta.histogram]
won = [row[1] for row in meta.histogram]
lost = [row[2] for row in meta.histogram]
print(f"{class_name} under {rules}: {meta.full}, longest {meta.longest} plies")

# %% A bar for each number of plies; won positions have odd ones and lost positions even ones, but for rare exceptions
figure, axes = plt.subplots(figsize=(9, 4.5), layout="constrained")
axes.bar(plies, won, label=f"won ({meta.full.won / meta.full.total:.1%})", color="tab:blue")
axes.bar(plies, lost, bottom=won, label=f"lost ({meta.full.lost / meta.full.total:.1%})", color="tab:orange")
axes.set_yscale("log")
axes.set_ylim(0.5, 3 * max(won + lost))
axes.xaxis.set_major_locator(MaxNLocator(integer=True))
axes.set_xlabel("plies to the next shot or the end (DTC)")
axes.set_ylabel("positions")
axes.set_title(f"Class {class_name} under {rules}: {meta.full.drawn / meta.full.total:.1%} drawn")
axes.legend()

# %% Into a file
figure.savefig(picture, dpi=120)
print(f"written to {picture}")
