"""Ensembles."""
from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Optional

import numpy as np
import numpy.typing as npt

from ._columns import Columns, as_list
from ._run import Array, chosen
from ._simulation import Simulation, interruptible
from ._taut import ffi, lib


class Ensemble:
    """The frames of all members, of `ensemble`. `ens["a.x"]` is members x frames, `ens["a"]` members x frames x
    dimension: views of `rows`. What a member did not reach is NaN."""

    rows: Array
    """Members x frames x columns."""
    columns: tuple[str, ...]
    varied: dict[str, Array]
    """What differs from member to member."""
    statuses: npt.NDArray[np.intc]
    """0, or why a member failed (`Status`)."""

    def __init__(self, rows: Array, columns: Columns, varied: dict[str, Array], statuses: npt.NDArray[np.intc]) -> None:
        self.rows, self.columns, self.varied, self.statuses = rows, columns.names, varied, statuses
        self._columns = columns

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, name: str) -> Array:
        return self.rows[:, :, self._columns.find(name)]

    @property
    def t(self) -> Array:
        """Times of the frames, members x frames."""
        return self["t"]

    @property
    def energy(self) -> Array:
        return self["energy"]

    def __repr__(self) -> str:
        return f"<taut.Ensemble: {len(self)} members, {self.rows.shape[1]} frames>"


def ensemble(simulation: Simulation, until: float, h: float = 0.01, *, every: int = 1,
             columns: Optional[Sequence[str]] = None, threads: Optional[int] = None,
             vary: Optional[Mapping[str, npt.ArrayLike]] = None, failures: str = "raise",
             **more: npt.ArrayLike) -> Ensemble:
    """Runs copies of a simulation that differ in some numbers, in several threads.

    Keywords (or, for names with dots, `vary`) name params, inputs, positions, velocities or momenta, and give a value
    per member, for a point an array of members x dimension; numbers stand for all members. Members begin where the
    simulation is; where params vary, at the start. threads: by default as many as there are processors; the results do
    not depend on it. failures: "raise" raises the error of the first member that fails (its `ensemble` has all the
    others), "keep" only says so in `statuses`, unless all fail. The simulation is unchanged.

    >>> import numpy as np, taut
    >>> sim = taut.loads("local x = coordinate 'x'; lagrangian(x.dot^2/2 - param('k', 1)*x^2/2); start { x = 1 }",
    ...                  "spring").simulation()
    >>> ens = taut.ensemble(sim, 1, k=np.linspace(1, 4, 7), threads=2)
    >>> ens["x"].shape
    (7, 101)
    """
    if failures not in ("raise", "keep"):
        raise ValueError(f"failures is raise or keep, not {failures!r}")
    varied = {name: np.asarray(values, dtype=float) for name, values in {**(vary or {}), **more}.items()}
    if not varied:
        raise ValueError("nothing varies: give values for a param, an input or a coordinate")
    with simulation._alone() as z:
        spots: list[tuple[int, int]] = []
        parts: list[Array] = []
        for name, values in varied.items():
            kind, places = _find(simulation, name)
            spots += [(kind, place) for place in places]
            parts += [values] if len(places) == 1 else [values[..., i] for i in range(len(places))]
        if all(part.ndim == 0 for part in parts):
            parts[0] = parts[0].reshape(1)
        numbers: Array = np.ascontiguousarray(np.stack(np.broadcast_arrays(*parts), axis=-1))
        if numbers.ndim != 2:
            raise ValueError("a value per member is needed, in one dimension")
        there = simulation._columns(lib.TAUT_ALL)
        indices = list(range(len(there.names))) if columns is None else chosen(there, columns)
        spec = ffi.new("taut_run *", {"size": ffi.sizeof("taut_run"), "h": h, "until": until, "every": every})
        wanted = ffi.new("size_t[]", indices)
        spec.columns, spec.column_count = wanted, len(indices)
        return _run(simulation, z, spec, numbers, spots, varied, Columns(there.names[i] for i in indices),
                    threads or min(os.cpu_count() or 1, lib.TAUT_THREADS_MOST), failures)


def _run(simulation: Simulation, z: Any, spec: Any, numbers: Array, spots: Sequence[tuple[int, int]],
         varied: dict[str, Array], columns: Columns, threads: int, failures: str) -> Ensemble:
    varies_param = any(kind == lib.TAUT_PARAM for kind, _ in spots)
    frames = _frames(simulation, spec, varies_param)
    spec.row_capacity = frames
    rows: Array = np.empty((len(numbers), frames, len(columns.names)))
    statuses: npt.NDArray[np.intc] = np.zeros(len(numbers), dtype=np.intc)
    with interruptible() as flag:
        spec.interrupt = flag
        status = lib.taut_ensemble(z, spec, len(numbers), ffi.new("taut_vary[]", spots), len(spots),
                                   ffi.from_buffer("double[]", numbers), threads, ffi.from_buffer("double[]", rows),
                                   ffi.from_buffer("int[]", statuses))
    result = Ensemble(rows, columns, varied, statuses)
    # With the same failure in all of them, or in none, it is one of the arguments.
    if status and (failures == "raise" or statuses.all() or not statuses.any()):
        error = simulation.model._error(simulation._context, status)
        error.ensemble = result
        raise error
    return result


def _frames(simulation: Simulation, spec: Any, from_start: bool) -> int:
    """Members whose params vary begin at the start of the simulation, others where it is."""
    there = simulation
    if from_start and simulation.t != simulation._options["time"]:
        there = simulation.copy()
        there.restart()
    return int(lib.taut_run_rows(there._pointer, spec))


def _find(simulation: Simulation, name: str) -> tuple[int, list[int]]:
    for kind in (lib.TAUT_PARAM, lib.TAUT_INPUT, lib.TAUT_POSITION, lib.TAUT_VELOCITY, lib.TAUT_MOMENTUM):
        names = simulation._columns(kind)
        try:
            return kind, as_list(names.find(name))
        except KeyError:
            pass
    raise KeyError(f"no param, input, position, velocity or momentum {name!r}")
