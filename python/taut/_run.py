"""What a run recorded."""
from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Optional, Union

import numpy as np
import numpy.typing as npt

from ._columns import Columns
from ._library import Hooks, c_text, check, new_context, text_of
from ._notebook import Page
from ._taut import ffi, lib

Array = npt.NDArray[np.float64]
EVENT = np.dtype([("time", "f8"), ("contact", "U100"), ("kind", "U8"), ("impulse", "f8")])


class Run:
    """The frames of a run, of `Simulation.run` or `taut.open`.

    `run["a.x"]` is a column, `run["a"]` those of a point (frames x dimension), `run["a.dot"]`, `run["p.a"]` likewise:
    views of `rows`, without a copy. `len(run)` is the number of frames.

    >>> import taut
    >>> model = taut.loads("local x = coordinate 'x'; lagrangian(x.dot^2/2 - x^2/2); start { x = 1 }", "spring")
    >>> run = model.simulation().run(2, 0.5)
    >>> run.t
    array([0. , 0.5, 1. , 1.5, 2. ])
    >>> run["x"].base is run.rows
    True
    """

    rows: Array
    """All frames, row by row."""
    columns: tuple[str, ...]
    """Names of the columns of rows."""
    events: npt.NDArray[np.void]
    """Events of contacts: fields time, contact, kind, impulse."""
    stopped: bool
    """Whether it ended before its end time."""
    properties: Mapping[str, str]
    """Title, method, precision, ... as in the run file."""
    path: Optional[str]
    """The run file, if there is one."""

    def __init__(self, rows: Array, columns: Columns, events: Sequence[tuple[float, str, str, float]] = (), *,
                 stopped: bool = False, properties: Mapping[str, str] = {}, path: Optional[str] = None,
                 record: Optional[Callable[[str, int], None]] = None) -> None:
        self.rows = rows
        self.columns = columns.names
        self.events = np.array(list(events), dtype=EVENT)
        self.stopped = stopped
        self.properties = dict(properties)
        self.path = path
        self._columns = columns
        self._record = record

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, name: str) -> Array:
        """A column, or those of a point. KeyError where there is none."""
        return self.rows[:, self._columns.find(name)]

    def __contains__(self, name: str) -> bool:
        try:
            self._columns.find(name)
        except KeyError:
            return False
        return True

    @property
    def t(self) -> Array:
        """Times of the frames."""
        return self["t"]

    @property
    def energy(self) -> Array:
        """The energy of the frames."""
        return self["energy"]

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_record": None}

    def __repr__(self) -> str:
        title = self.properties.get("title", "")
        end = f"t = {self.t[0]:g} .. {self.t[-1]:g}" if len(self) else "empty"
        return f"<taut.Run {title!r}: {len(self)} frames, {end}>"

    # ---- for others ----

    def to_pandas(self) -> Any:
        """A pandas.DataFrame with the time as its index."""
        import pandas

        rest = [name for name in self.columns if name != "t"]
        return pandas.DataFrame({name: self[name] for name in rest}, index=pandas.Index(self.t, name="t"))

    def to_xarray(self) -> Any:
        """An xarray.Dataset over the time; points have a dimension of components."""
        import xarray

        data: dict[str, Any] = {}
        for name in self.columns:
            group, letter = _group(name)
            if name == "t" or group in data:
                continue
            values = self[group]
            if values.ndim == 1:
                data[group] = ("t", values)
            else:
                letters = [_group(column)[1] for column in self.columns if _group(column)[0] == group]
                axis = "".join(letters)
                data[group] = xarray.DataArray(values, {"t": self.t, axis: letters}, ("t", axis))
        return xarray.Dataset(data, {"t": self.t}, dict(self.properties))

    def plot(self, *names: str, axes: Any = None) -> Any:
        """Plots columns (by default the error of the energy) over time with matplotlib. Returns the axes."""
        import matplotlib.pyplot as pyplot

        axes = pyplot.gca() if axes is None else axes
        if not names:
            axes.plot(self.t, self.energy - self.energy[0], label="energy - energy at the start")
        for name in names:
            values = self[name]
            letters = [""] if values.ndim == 1 else ["." + letter for letter in "wxyz"[-values.shape[1]:]]
            if values.ndim == 2 and values.shape[1] == 2:
                letters = [".x", ".y"]
            axes.plot(self.t, values, label=None if len(letters) > 1 else name)
            for line, letter in zip(axes.lines[-len(letters):], letters):
                line.set_label(name + letter)
        axes.set_xlabel("t")
        axes.legend()
        return axes

    # ---- pages ----

    def page(self) -> str:
        """The page of the run (docs/report.md), one HTML file.

        It is made of a run file. A run without one that began at the start of its simulation, and had no callbacks, is
        computed again into a temporary one, with at most 2,000 frames; give `file` to `Simulation.run` for others.
        """
        if self.path is not None:
            return _page(self.path)
        if self._record is None:
            raise ValueError("the run has no run file: give file='run.taut' to Simulation.run")
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "run.taut")
            self._record(path, 2000)
            return _page(path)

    def show(self, height: int = 640) -> Page:
        """The page in a notebook, in a frame of its own."""
        return Page(self.page(), height)

    def _repr_html_(self) -> str:
        from ._notebook import run_table

        return run_table(self)


def _group(name: str) -> tuple[str, str]:
    """"a.x.dot" is component x of "a.dot"; other names stay."""
    base, end = (name[:-4], ".dot") if name.endswith(".dot") else (name, "")
    head, _, letter = base.rpartition(".")
    return (head + end, letter) if head and len(letter) == 1 and letter in "wxyz" and head not in (
        "momentum", "angular_momentum", "p") else (name, "")


class _Pieces(Hooks):
    def __init__(self) -> None:
        super().__init__()
        self.pieces: list[bytes] = []

    def write(self, data: bytes) -> None:
        self.pieces.append(data)


class _File:
    """An open run file."""

    def __init__(self, path: str) -> None:
        self.context, result = new_context(), ffi.new("taut_file **")
        check(self.context, lib.taut_file_open(self.context, c_text(os.fsencode(path)), result))
        self.pointer = ffi.gc(result[0], lib.taut_file_close)

    def __enter__(self) -> _File:
        return self

    def __exit__(self, *_: Any) -> None:
        ffi.release(self.pointer)

    def columns(self) -> Columns:
        return Columns(text_of(lib.taut_file_column(self.pointer, i))
                       for i in range(lib.taut_file_columns(self.pointer)))

    def read(self, first: int, count: int, indices: Sequence[int]) -> Array:
        rows: Array = np.empty((count, len(indices)))
        check(self.context, lib.taut_file_read(self.pointer, first, count, indices, len(indices),
                                               ffi.from_buffer("double[]", rows), ffi.NULL))
        return rows

    def frames(self) -> int:
        count = ffi.new("size_t *")
        check(self.context, lib.taut_file_frames(self.pointer, count))
        return int(count[0])

    def properties(self) -> dict[str, str]:
        names = ("title", "model", "source", "method", "precision", "step", "until", "every", "status", "message")
        values = {name: lib.taut_file_property(self.pointer, name.encode()) for name in names}
        return {name: text_of(value) for name, value in values.items() if value != ffi.NULL}

    def events(self) -> list[tuple[float, str, str, float]]:
        count, event = ffi.new("size_t *"), ffi.new("taut_file_event *", {"size": ffi.sizeof("taut_file_event")})
        check(self.context, lib.taut_file_events(self.pointer, count))
        found = []
        for i in range(count[0]):
            check(self.context, lib.taut_file_event_at(self.pointer, i, event))
            found.append((event.time, text_of(event.contact), text_of(event.kind), event.impulse))
        return found


def _page(path: str) -> str:
    hooks = _Pieces()
    handle = ffi.new_handle(hooks)
    with _File(path) as file:
        status = lib.taut_page(file.pointer, lib.taut_python_write, handle)
        if hooks.exception is not None:
            raise hooks.exception
        check(file.context, status)
    return b"".join(hooks.pieces).decode()


def open(path: Union[str, os.PathLike[str]], columns: Optional[Sequence[str]] = None, first: int = 0,
         count: Optional[int] = None) -> Run:
    """Reads a run file: all frames and columns, or `count` frames from `first` on, and some columns besides `t`.

    The file may still be written: what was committed is read.

    >>> import os, taut, tempfile
    >>> model = taut.loads("local x = coordinate 'x'; lagrangian(x.dot^2/2 - x^2/2); start { x = 1 }", "spring")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "run.taut")
    ...     run = model.simulation().run(2, 0.5, file=path)
    ...     again = taut.open(path, ["x"])
    >>> again.columns, bool((again["x"] == run["x"]).all()), again.properties["method"]
    (('t', 'x'), True, 'rattle')
    """
    with _File(os.fspath(path)) as file:
        there = file.columns()
        indices = list(range(len(there.names))) if columns is None else chosen(there, columns)
        frames = file.frames()
        first = min(max(first, 0), frames)
        count = frames - first if count is None else max(0, min(count, frames - first))
        properties = file.properties()
        return Run(file.read(first, count, indices), Columns(there.names[i] for i in indices), file.events(),
                   stopped=properties.get("status") != "finished", properties=properties, path=os.fspath(path))


def chosen(there: Columns, names: Sequence[str]) -> list[int]:
    """Indices of t and of these columns, each once."""
    return list(dict.fromkeys([0] + there.indices(names)))


def resume(path: Union[str, os.PathLike[str]], until: Optional[float] = None) -> Run:
    """Goes on with a run file that was interrupted or failed, or on to another end, and reads it.

    What follows is, to the last bit, what a run that was never interrupted has.

    >>> import os, taut, tempfile
    >>> model = taut.loads("local x = coordinate 'x'; lagrangian(x.dot^2/2 - x^2/2); start { x = 1 }", "spring")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "run.taut")
    ...     _ = model.simulation().run(1, 0.5, file=path)
    ...     run = taut.resume(path, until=2)
    >>> run.t
    array([0. , 0.5, 1. , 1.5, 2. ])
    """
    from ._simulation import interruptible

    context, result = new_context(), ffi.new("taut_session **")
    with interruptible() as flag:
        end = ffi.NULL if until is None else ffi.new("char[]", repr(float(until)).encode())
        spec = ffi.new("taut_session_spec *", {"size": ffi.sizeof("taut_session_spec"), "until": end,
                                               "interrupt": flag})
        check(context, lib.taut_session_open(context, c_text(os.fsencode(path)), spec, result))
        session = ffi.gc(result[0], lib.taut_session_release)
        status = lib.taut_session_run(session)
    check(context, status)
    ffi.release(session)
    return open(path)
