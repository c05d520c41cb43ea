"""What notebooks show."""
from __future__ import annotations

import html
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ._run import Run
    from ._simulation import Simulation


class Page:
    """A page of a run; a notebook shows it in a frame of its own."""

    def __init__(self, text: str, height: int) -> None:
        self.html = text
        """The page, one HTML file."""
        self.height = height

    def _repr_html_(self) -> str:
        return (f'<iframe srcdoc="{html.escape(self.html)}" sandbox="allow-scripts allow-downloads" width="100%" '
                f'height="{self.height}" style="border: 0"></iframe>')

    def __repr__(self) -> str:
        return f"<taut.Page of {len(self.html)} characters>"


def _table(title: str, rows: list[tuple[str, str]], picture: str = "") -> str:
    body = "".join(f"<tr><th style='text-align: left'>{html.escape(name)}</th>"
                   f"<td style='text-align: left'>{html.escape(value)}</td></tr>" for name, value in rows)
    return (f"<div style='display: flex; gap: 2em; align-items: center'><table><caption>{html.escape(title)}</caption>"
            f"{body}</table>{picture}</div>")


def _some(names: tuple[str, ...], most: int = 12) -> str:
    return ", ".join(names[:most]) + (f", ... ({len(names)})" if len(names) > most else "")


def simulation_table(simulation: Simulation) -> str:
    """What the model has, and where its points are."""
    rows = [("method", simulation.method), ("t", f"{simulation.t:g}")]
    for label, kind in (("coordinates", "position"), ("multipliers", "multiplier"), ("contacts", "gap"),
                        ("conserved", "conserved"), ("observables", "observable")):
        names = simulation.names(kind)
        if names:
            rows.append((label, _some(names)))
    for label, numbers in (("params", simulation.params), ("inputs", simulation.inputs)):
        if numbers:
            rows.append((label, _some(tuple(f"{name} = {value:g}" for name, value in numbers.items()))))
    if "energy" in simulation.names():
        rows.append(("energy", f"{simulation.energy:.10g}"))
    return _table(simulation.model.title, rows, _picture(simulation))


def _picture(simulation: Simulation, most: int = 500) -> str:
    """The points as dots: x and y in the plane, x and z in space."""
    names, q = simulation.names("position"), simulation.q
    spots = []
    for i, name in enumerate(names):
        if name.endswith(".x") and (i == 0 or not names[i - 1].endswith(".w")):
            base = name[:-2]
            size = 3 if names[i + 2:i + 3] == (base + ".z",) else 2
            spots.append((q[i], q[i + size - 1], base))
    if not spots or len(spots) > most:
        return ""
    points = np.array([(x, y) for x, y, _ in spots] + [(0, 0)])
    low, high = points.min(axis=0), points.max(axis=0)
    scale = 150 / max(float((high - low).max()), 1e-300)
    dots = "".join(f'<circle cx="{15 + (x - low[0]) * scale:.1f}" cy="{165 - (y - low[1]) * scale:.1f}" r="4" '
                   f'fill="#0072b2"><title>{html.escape(name)}</title></circle>' for x, y, name in spots)
    middle = f'{15 - low[0] * scale:.1f} {165 + low[1] * scale:.1f}'
    return (f'<svg width="180" height="180" role="img" aria-label="positions of the points">'
            f'<path d="M {middle} m -5 0 h 10 m -5 -5 v 10" stroke="#888"/>{dots}</svg>')


def run_table(run: Run) -> str:
    """What there is of a run."""
    rows = [(name, run.properties[name]) for name in ("method", "precision") if name in run.properties]
    rows.append(("frames", str(len(run))))
    if len(run):
        rows.append(("t", f"{run.t[0]:g} .. {run.t[-1]:g}"))
        for name in ("constraint", "velocity_constraint"):
            if name in run:
                rows.append((f"largest {name}", f"{float(np.abs(run[name]).max()):.2g}"))
        if "energy" in run:
            change = float(np.abs(run.energy - run.energy[0]).max())
            rows.append(("largest energy - energy at the start", f"{change:.2g}"))
    if len(run.events):
        rows.append(("events", str(len(run.events))))
    rows.append(("columns", _some(run.columns)))
    return _table(run.properties.get("title", "run"), rows)
