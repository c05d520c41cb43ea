"""Simulations."""
from __future__ import annotations

import importlib
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, Optional, Union

import numpy as np
import numpy.typing as npt

from ._columns import Columns, as_list
from ._library import Hooks, TautError, Turns, c_text, check, check_every, new_context, text_of
from ._model import Model
from ._run import Array, Run, chosen
from ._taut import ffi, lib

START = {"strict": lib.TAUT_STRICT, "project": lib.TAUT_PROJECT, "as-is": lib.TAUT_AS_IS}
NATIVE = {"default": lib.TAUT_NATIVE_DEFAULT, "auto": lib.TAUT_NATIVE_AUTO, "on": lib.TAUT_NATIVE_ON,
          "off": lib.TAUT_NATIVE_OFF}

Values = Union[npt.ArrayLike, Mapping[str, npt.ArrayLike]]


class Stop:
    """The type of STOP."""

    def __repr__(self) -> str:
        return "taut.STOP"


STOP = Stop()
"""What a callback returns to end the run."""


class State(NamedTuple):
    """Time, positions and momenta."""

    t: float
    q: Array
    p: Array


class Event(NamedTuple):
    """An event of a contact."""

    time: float
    contact: str
    kind: str
    """ "impact", "rest", "release", "stick" or "slip"."""
    impulse: float
    """Of the multiplier, for impacts; 0 otherwise."""


class Work(NamedTuple):
    """Work since the simulation was created."""

    steps: int
    newton_iterations: int
    factorisations: int
    evaluations: int
    rejected: int
    position_projections: int
    momentum_projections: int
    projected_steps: int


def choose(what: str, value: str, there: Mapping[str, int]) -> int:
    if value not in there:
        raise ValueError(f"{what} is one of {', '.join(there)}, not {value!r}")
    return there[value]


@contextmanager
def interruptible() -> Iterator[Any]:
    """The flag for a run, which Ctrl-C sets. Signals are for Python's main thread; others have no flag."""
    if threading.current_thread() is not threading.main_thread():
        yield ffi.NULL
        return
    try:  # KeyboardInterrupt may come between any two calls
        yield lib.taut_python_watch()
    finally:
        lib.taut_python_unwatch()


class Simulation:
    """A model under a method: a state that steps forward in time.

    method: a name of the catalogue (`methods`) with its options, such as "lobatto:s=3". precision: "double" or "quad".
    tolerance: of Newton's iterations, relative; 0 is round-off. step: the first step, for models with start_points.
    time: of the start. start: "strict" refuses a start off the constraints, "project" moves it onto them, "as-is" takes
    it (methods naive, extended and dirac). active_set: active-set instead of event-driven steps. native: "default",
    "auto", "on", "off". threads: they share the steps of a large system.

    Several Python threads may use one simulation: calls wait for each other. Stepping releases the GIL.

    >>> import taut
    >>> sim = taut.loads('''
    ... local g, a = param("g", 9.81), point("a", 2)
    ... lagrangian(norm2(a.dot)/2 - g*a.y)
    ... constraint("rod", norm2(a) - 1)
    ... start { a = {1, 0} }''', "pendulum").simulation()
    >>> events = sim.step(0.01)
    >>> sim.t, sim.names("position")
    (0.01, ('a.x', 'a.y'))
    >>> run = sim.run(1, 0.01, every=10)
    >>> run["a"].shape, float(abs(run["constraint"]).max()) < 1e-14
    ((11, 2), True)
    """

    def __init__(self, model: Model, method: str = "rattle", *, precision: str = "double", tolerance: float = 0,
                 step: float = 0, time: float = 0, start: str = "strict", active_set: bool = False,
                 native: str = "default", threads: int = 1) -> None:
        self._options: dict[str, Any] = {"method": method, "precision": precision, "tolerance": tolerance,
                                         "step": step, "time": time, "start": start, "active_set": active_set,
                                         "native": native, "threads": threads}
        names = [ffi.new("char[]", c_text(method)), ffi.new("char[]", c_text(precision))]
        options = ffi.new("taut_options *", {
            "size": ffi.sizeof("taut_options"), "method": names[0], "precision": names[1], "tolerance": tolerance,
            "step": step, "time": time, "start": choose("start", start, START), "active_set": bool(active_set),
            "native": choose("native", native, NATIVE), "threads": threads})
        context, result = new_context(), ffi.new("taut_simulation **")
        status = lib.taut_simulation_create(context, model._pointer, options, result)
        if status:
            raise model._error(context, status)
        self._set_up(model, context, result[0])

    def _set_up(self, model: Model, context: Any, pointer: Any) -> None:
        self._model = model
        self._context = context
        self._pointer = ffi.gc(pointer, lib.taut_simulation_release)
        self._lock = Turns()
        self._running = False
        self._names: dict[int, Columns] = {}

    def _check(self, status: int) -> None:
        if status:
            raise self._model._error(self._context, status)

    @contextmanager
    def _alone(self) -> Iterator[Any]:
        """For calls that callbacks must not make."""
        with self._lock:
            if self._running:
                raise TautError("a callback may read the simulation, set inputs and the state, and kick; not run it")
            yield self._pointer

    # ---- reading ----

    # Made when asked for: kept, they and the simulation would keep each other until the next collection.
    @property
    def params(self) -> Numbers:
        """Params by name. Setting one compiles again and returns to the start; `update` sets several."""
        return Numbers(self, lib.TAUT_PARAM)

    @property
    def inputs(self) -> Numbers:
        """Inputs by name, held over steps until they are set again."""
        return Numbers(self, lib.TAUT_INPUT)

    @property
    def model(self) -> Model:
        return self._model

    @property
    def method(self) -> str:
        return str(self._options["method"])

    @property
    def t(self) -> float:
        """The current time."""
        with self._lock:
            return float(lib.taut_time(self._pointer))

    def _columns(self, kind: int) -> Columns:
        if kind not in self._names:
            self._names[kind] = Columns(text_of(lib.taut_name(self._pointer, kind, i))
                                        for i in range(lib.taut_count(self._pointer, kind)))
        return self._names[kind]

    def names(self, kind: str = "all") -> tuple[str, ...]:
        """Names of all columns, or of a kind of numbers: "position", "velocity", "momentum", "multiplier", "gap",
        "conserved", "observable", "param", "input"."""
        number = getattr(lib, "TAUT_" + kind.upper(), None)
        if not isinstance(number, int):
            raise ValueError(f"there are no numbers of kind {kind!r}")
        with self._lock:
            return self._columns(number).names

    def _get(self, kind: int, first: int = 0, count: Optional[int] = None) -> Array:
        with self._lock:
            if count is None:
                count = lib.taut_count(self._pointer, kind)
            values: Array = np.empty(count)
            self._check(lib.taut_get(self._pointer, kind, first, count, ffi.from_buffer("double[]", values), ffi.NULL))
            return values

    def __getitem__(self, name: str) -> Any:
        """The current value of a column, or the array of those of a point."""
        with self._lock:
            place = self._columns(lib.TAUT_ALL).find(name)
            if isinstance(place, int):
                return float(self._get(lib.TAUT_ALL, place, 1)[0])
            if isinstance(place, slice):
                return self._get(lib.TAUT_ALL, place.start, place.stop - place.start)
            return np.concatenate([self._get(lib.TAUT_ALL, i, 1) for i in place])

    def digits(self, name: str) -> tuple[float, float]:
        """High and low part of the current value of a column: in quad precision their sum is the value."""
        with self._lock:
            place = self._columns(lib.TAUT_ALL).find(name)
            if not isinstance(place, int):
                raise KeyError(f"{name!r} is not one column")
            parts = ffi.new("double[2]")
            self._check(lib.taut_get(self._pointer, lib.TAUT_ALL, place, 1, parts, parts + 1))
            return parts[0], parts[1]

    @property
    def q(self) -> Array:
        """All positions."""
        return self._get(lib.TAUT_POSITION)

    @property
    def v(self) -> Array:
        """All velocities."""
        return self._get(lib.TAUT_VELOCITY)

    @property
    def p(self) -> Array:
        """All momenta."""
        return self._get(lib.TAUT_MOMENTUM)

    @property
    def multipliers(self) -> Array:
        """Multipliers of the constraints, then of the contacts."""
        return self._get(lib.TAUT_MULTIPLIER)

    @property
    def energy(self) -> float:
        return float(self["energy"])

    @property
    def work(self) -> Work:
        """How much work the simulation has been."""
        work = ffi.new("taut_work *", {"size": ffi.sizeof("taut_work")})
        with self._lock:
            lib.taut_counts(self._pointer, work)
        return Work(*(getattr(work, name) for name in Work._fields))

    # ---- changing ----

    @property
    def state(self) -> State:
        """Time, positions and momenta. Setting it is `set_state`."""
        with self._lock:
            return State(self.t, self.q, self.p)

    @state.setter
    def state(self, state: State) -> None:
        self.set_state(state.t, state.q, p=state.p)

    def _fill(self, kind: int, values: Optional[Values], current: Callable[[], Array]) -> Array:
        """All numbers of a kind, from an array, from names and values, or those that there are."""
        if values is None:
            return current()
        if isinstance(values, Mapping):
            filled = current()
            for name, value in values.items():
                place = as_list(self._columns(kind).find(name))
                filled[place] = np.asarray(value, dtype=float)
            return filled
        array: Array = np.ascontiguousarray(values, dtype=float)
        count = lib.taut_count(self._pointer, kind)
        if array.shape != (count,):
            raise ValueError(f"{count} numbers are needed, not an array of shape {array.shape}")
        return array

    def set_state(self, t: Optional[float] = None, q: Optional[Values] = None, *, v: Optional[Values] = None,
                  p: Optional[Values] = None, how: str = "strict") -> None:
        """Another state. What is not given stays (velocities, if neither v nor p is given). Positions, velocities and
        momenta are arrays of all of them, or mappings from names to values: `q={"a": [1, 0]}, v={"a.dot": [0, 1]}`.
        how: "strict", "project" or "as-is", as for the start."""
        if v is not None and p is not None:
            raise ValueError("give velocities or momenta, not both")
        number = choose("how", how, START)
        with self._lock:
            kind = lib.TAUT_VELOCITY if p is None else lib.TAUT_MOMENTUM
            positions = self._fill(lib.TAUT_POSITION, q, lambda: self.q)
            others = self._fill(kind, v if p is None else p, lambda: self._get(kind))
            self._check(lib.taut_set_state(self._pointer, self.t if t is None else t,
                                           ffi.from_buffer("double[]", positions), kind,
                                           ffi.from_buffer("double[]", others), number))

    def kick(self, impulse: Values) -> None:
        """The momenta change by this impulse, and by that of the constraints which it provokes. An array, or a mapping
        from names of coordinates or points: `sim.kick({"a": [0, 1]})`."""
        with self._lock:
            values = self._fill(lib.TAUT_POSITION, impulse,
                                lambda: np.zeros(lib.taut_count(self._pointer, lib.TAUT_POSITION)))
            self._check(lib.taut_kick(self._pointer, ffi.from_buffer("double[]", values)))

    def restart(self) -> None:
        """Returns to the start; inputs have the values of the model again, params keep theirs."""
        with self._alone() as z:
            self._check(lib.taut_restart(z))

    def save(self) -> bytes:
        """Everything that later steps depend on, for `restore`."""
        with self._lock:
            size = ffi.new("size_t *")
            self._check(lib.taut_save(self._pointer, ffi.NULL, 0, size))
            buffer = ffi.new("char[]", size[0])
            self._check(lib.taut_save(self._pointer, buffer, size[0], size))
            return bytes(ffi.buffer(buffer, size[0]))

    def restore(self, saved: bytes) -> None:
        """Goes on where a simulation of the same model and method was saved, to the last bit."""
        with self._alone() as z:
            self._names.clear()
            self._check(lib.taut_restore(z, saved, len(saved)))

    def copy(self) -> Simulation:
        """A second simulation where this one is: it goes on as this one would, to the last bit."""
        context, result = new_context(), ffi.new("taut_simulation **")
        with self._lock:
            status = lib.taut_simulation_clone(self._pointer, context, result)
        check(context, status)
        other = Simulation.__new__(Simulation)
        other._options = dict(self._options)
        other._set_up(self._model, context, result[0])
        return other

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> Simulation:
        return self.copy()

    def __getstate__(self) -> dict[str, Any]:
        return {"model": self._model, "options": self._options, "saved": self.save()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["model"], **state["options"])  # type: ignore[misc]
        self.restore(state["saved"])

    # ---- motion ----

    def step(self, h: float) -> list[Event]:
        """Takes one step of length h, negative: back in time. On failure the state is unchanged.

        Returns the events of contacts in it.

        >>> import taut
        >>> text = "local y = coordinate 'y'; lagrangian(y.dot^2/2 - 10*y); contact('floor', y, {restitution = 0.5})"
        >>> ball = taut.loads(text + "start { y = 1 }").simulation()
        >>> [(round(e.time, 6), e.contact, e.kind) for e in ball.step(0.5)]
        [(0.447214, 'floor', 'impact')]
        """
        with self._alone() as z:
            if not lib.taut_count(z, lib.TAUT_GAP):
                self._check(lib.taut_step(z, h))
                return []
            hooks = Hooks()
            handle = ffi.new_handle(hooks)
            lib.taut_events(z, lib.taut_python_event, handle)
            try:
                self._check(lib.taut_step(z, h))
            finally:
                lib.taut_events(z, ffi.NULL, ffi.NULL)
            return [Event(*event) for event in hooks.events]

    def run(self, until: float, h: float = 0.01, *, every: int = 1, columns: Optional[Sequence[str]] = None,
            control: Optional[Callable[[Simulation], Any]] = None,
            observe: Optional[Callable[[Simulation], Any]] = None,
            file: Union[None, str, os.PathLike[str]] = None, replace: bool = False,
            progress: Union[bool, Callable[[float], Any]] = False) -> Run:
        """Steps of h up to the time `until`, the last one shortened to end there; a frame every so many steps.

        columns: names of columns or points, besides t; reading fewer costs less. control(sim) is called before each
        step, observe(sim) after it; both may read the simulation, set inputs and the state, and kick. What control
        returns sets the inputs: a mapping by name, or numbers for all of them. Either may return STOP. An exception in
        one ends the run and is raised again: the state is that of a whole step, and the simulation can go on. Ctrl-C
        ends the run in the same way. file: a run file is written, from the start of the simulation on.

        progress: a function that is called with the part of the run that is done, between 0 and 1, some ten times a
        second; True is a bar of tqdm, if that is installed. It takes a call of Python a step.

        When a step fails, TautError is raised; its `run` has the frames until then.

        >>> import taut
        >>> model = taut.loads('''
        ... local x, u = coordinate "x", input("u", 0)
        ... lagrangian(x.dot^2/2)
        ... force(x, u)
        ... start { x = 1 }''', "cart")
        >>> sim = model.simulation()
        >>> run = sim.run(10, 0.01, control=lambda sim: -sim["x"] - 2*sim["x.dot"])
        >>> abs(sim["x"]) < 1e-3
        True
        """
        check_every(every)
        is_plain = control is None and observe is None and file is None
        with self._alone() as z, _shown(self, progress, until, observe) as watch:
            observe = watch
            all_columns = self._columns(lib.TAUT_ALL)
            indices = None if columns is None else chosen(all_columns, columns)
            names = all_columns if indices is None else Columns(all_columns.names[i] for i in indices)
            hooks = RunHooks(self, control, observe)
            handle = ffi.new_handle(hooks)
            path = ffi.NULL if file is None else ffi.new("char[]", c_text(os.fsencode(file)))
            wanted = ffi.NULL if indices is None else ffi.new("size_t[]", indices)
            spec = ffi.new("taut_run *", {
                "size": ffi.sizeof("taut_run"), "h": h, "until": until, "every": every, "columns": wanted,
                "column_count": len(names.names), "file": path, "replace": bool(replace), "user": handle})
            if control is not None:
                spec.before = lib.taut_python_before
            if observe is not None:
                spec.after = lib.taut_python_after
            record = self._recorder(until, h) if is_plain else None
            count = lib.taut_run_rows(z, spec)
            rows: Array = np.empty((count, len(names.names)))
            buffer = ffi.from_buffer("double[]", rows)
            spec.rows, spec.row_capacity = buffer, count
            status = self._advance(spec, hooks, handle)
            run = Run(rows[:spec.row_count] if spec.row_count < count else rows, names, hooks.events,
                      stopped=bool(spec.stopped) or status != 0,
                      properties={"title": self._model.title, "method": self.method,
                                  "precision": str(self._options["precision"])},
                      path=None if file is None else os.path.abspath(os.fspath(file)), record=record)
        if hooks.exception is not None:
            raise hooks.exception
        if status:
            error = self._model._error(self._context, status)
            error.run = run
            raise error
        return run

    def _advance(self, spec: Any, hooks: RunHooks, handle: Any) -> int:
        has_contacts = lib.taut_count(self._pointer, lib.TAUT_GAP) > 0
        with interruptible() as flag:
            spec.interrupt = flag
            try:
                self._running = True
                if has_contacts:
                    lib.taut_events(self._pointer, lib.taut_python_event, handle)
                return int(lib.taut_advance(self._pointer, spec))
            finally:
                self._running = False
                if has_contacts:
                    lib.taut_events(self._pointer, ffi.NULL, ffi.NULL)

    def _recorder(self, until: float, h: float) -> Optional[Callable[[str, int], None]]:
        """A function that computes the run that begins now into a file; None where the library has no file for it."""
        if self.t != self._options["time"]:
            return None
        model, options, saved = self._model, self._options, self.save()

        def record(path: str, frames: int) -> None:
            again = Simulation(model, **options)
            again.restore(saved)
            steps = abs((until - again.t) / h)
            again.run(until, h, every=max(1, int(np.ceil(steps / frames))), columns=[], file=path)

        return record

    def flow(self, until: float, tolerance: float = 1e-12) -> None:
        """Moves the state along the exact solution, as a reference for the errors of methods."""
        with self._alone() as z:
            self._check(lib.taut_flow(z, until, tolerance))

    # ---- matrices ----

    def linearise(self, h: float) -> tuple[Array, Array]:
        """The tangent of a step of length h from the current state: the derivatives of (q, p) after it by (q, p) before
        it, and by the inputs."""
        with self._alone() as z:
            n, m = lib.taut_count(z, lib.TAUT_POSITION), lib.taut_count(z, lib.TAUT_INPUT)
            a: Array = np.empty((2 * n, 2 * n))
            b: Array = np.empty((2 * n, m))
            self._check(lib.taut_linearise(z, h, ffi.from_buffer("double[]", a),
                                           ffi.from_buffer("double[]", b) if m else ffi.NULL))
            return a, b

    def _matrix(self, matrix: int, sparse: bool) -> Any:
        with self._lock:
            z, n = self._pointer, lib.taut_count(self._pointer, lib.TAUT_POSITION)
            rows, starts, columns = ffi.new("size_t *"), ffi.new("const int **"), ffi.new("const int **")
            self._check(lib.taut_pattern(z, matrix, rows, starts, columns))
            count = starts[0][rows[0]] if rows[0] else 0
            values: Array = np.empty(count)
            self._check(lib.taut_values(z, matrix, ffi.from_buffer("double[]", values), count))
            start = np.array([starts[0][i] for i in range(rows[0] + 1)] if rows[0] else [0])
            column = np.array(ffi.unpack(columns[0], count) if count else [], dtype=int)
        if sparse:
            import scipy.sparse

            return scipy.sparse.csr_matrix((values, column, start), shape=(rows[0], n))
        dense: Array = np.zeros((rows[0], n))
        dense[np.repeat(np.arange(rows[0]), np.diff(start)), column] = values
        return dense

    def mass_matrix(self, sparse: bool = False) -> Any:
        """d momentum / d velocity at the current state; sparse: as scipy.sparse.csr_matrix."""
        return self._matrix(lib.TAUT_MASS, sparse)

    def jacobian(self, sparse: bool = False) -> Any:
        """dg/dq, constraints x coordinates, at the current state; sparse: as scipy.sparse.csr_matrix."""
        return self._matrix(lib.TAUT_JACOBIAN, sparse)

    def __repr__(self) -> str:
        return f"<taut.Simulation {self._model.title!r}, {self.method}, t = {self.t:g}>"

    def _repr_html_(self) -> str:
        from ._notebook import simulation_table

        return simulation_table(self)


class Numbers(MutableMapping[str, float]):
    """Params or inputs of a simulation, by name."""

    def __init__(self, simulation: Simulation, kind: int) -> None:
        self._simulation, self._kind = simulation, kind

    def _find(self, name: str) -> int:
        names = self._simulation._columns(self._kind)
        if name not in names.names:
            raise KeyError(f"no {'param' if self._kind == lib.TAUT_PARAM else 'input'} {name!r}; there are: "
                           + (", ".join(names.names) or "none"))
        return names.names.index(name)

    def __getitem__(self, name: str) -> float:
        return float(self._simulation._get(self._kind, self._find(name), 1)[0])

    def __setitem__(self, name: str, value: float) -> None:
        self.update({name: value})

    def __delitem__(self, name: str) -> None:
        raise TypeError("it belongs to the model and cannot be removed")

    def __iter__(self) -> Iterator[str]:
        return iter(self._simulation._columns(self._kind).names)

    def __len__(self) -> int:
        return len(self._simulation._columns(self._kind).names)

    def __repr__(self) -> str:
        return repr(dict(self))

    def update(self, *args: Any, **more: Any) -> None:
        """Sets several; numbers that are adjacent in the model, params above all, by one call."""
        simulation = self._simulation
        values = sorted((self._find(name), float(value)) for name, value in dict(*args, **more).items())
        is_param = self._kind == lib.TAUT_PARAM
        with simulation._alone() if is_param else simulation._lock:  # type: ignore[attr-defined]
            while values:
                length = 1
                while length < len(values) and values[length][0] == values[0][0] + length:
                    length += 1
                numbers = [value for _, value in values[:length]]
                if is_param:
                    simulation._names.clear()
                simulation._check(lib.taut_set(simulation._pointer, self._kind, values[0][0], length, numbers))
                values = values[length:]


@contextmanager
def _shown(simulation: Simulation, progress: Union[bool, Callable[[float], Any]], until: float,
           observe: Optional[Callable[[Simulation], Any]]) -> Iterator[Optional[Callable[[Simulation], Any]]]:
    """The hook after a step, with progress shown."""
    if progress is False:
        yield observe
        return
    begin, last = simulation.t, [0.0]
    bar: Any = None
    if progress is True:
        bar = importlib.import_module("tqdm.auto").tqdm(total=1.0, bar_format="{l_bar}{bar}| [{elapsed}<{remaining}]")

    def show(part: float) -> None:
        if bar is not None:
            bar.update(part - bar.n)
        elif callable(progress):
            progress(part)

    def watch(sim: Simulation) -> Any:
        now = time.monotonic()
        if now - last[0] >= 0.1:
            last[0] = now
            show(min(1.0, (sim.t - begin)/(until - begin)))
        return None if observe is None else observe(sim)

    try:
        yield watch
        show(1.0)
    finally:
        if bar is not None:
            bar.close()


class RunHooks(Hooks):
    """The callbacks of a run."""

    def __init__(self, simulation: Simulation, control: Optional[Callable[[Simulation], Any]],
                 observe: Optional[Callable[[Simulation], Any]]) -> None:
        super().__init__()
        self.simulation, self.control, self.observe = simulation, control, observe

    def before(self) -> int:
        assert self.control is not None
        given = self.control(self.simulation)
        if given is None:
            return 0
        if given is STOP:
            return int(lib.TAUT_STOP)
        inputs = self.simulation.inputs
        if isinstance(given, Mapping):
            inputs.update(given)
            return 0
        values: Array = np.atleast_1d(np.asarray(given, dtype=float))
        if values.shape != (len(inputs),):
            raise ValueError(f"control gave an array of shape {values.shape} for {len(inputs)} inputs")
        simulation = self.simulation
        simulation._check(lib.taut_set(simulation._pointer, lib.TAUT_INPUT, 0, len(inputs),
                                       ffi.from_buffer("double[]", values)))
        return 0

    def after(self) -> int:
        assert self.observe is not None
        return int(lib.TAUT_STOP) if self.observe(self.simulation) is STOP else 0
