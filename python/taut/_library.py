"""What the other modules share: contexts, statuses, errors, callbacks."""
from __future__ import annotations

import enum
import logging
import math
import threading
from typing import TYPE_CHECKING, Any, Optional, Union

from ._taut import ffi, lib

if TYPE_CHECKING:
    from ._ensemble import Ensemble
    from ._run import Run

log = logging.getLogger("taut")


class Status(enum.IntEnum):
    """Why a call of the library failed (TAUT_BAD_USAGE ... of taut.h)."""

    BAD_USAGE = lib.TAUT_BAD_USAGE
    BAD_MODEL = lib.TAUT_BAD_MODEL
    OUT_OF_MEMORY = lib.TAUT_OUT_OF_MEMORY
    NO_CONVERGENCE = lib.TAUT_NO_CONVERGENCE
    SINGULAR = lib.TAUT_SINGULAR
    NOT_FINITE = lib.TAUT_NOT_FINITE
    CANNOT_READ = lib.TAUT_CANNOT_READ
    UNSUPPORTED = lib.TAUT_UNSUPPORTED
    CANNOT_WRITE = lib.TAUT_CANNOT_WRITE
    REFUSED = lib.TAUT_REFUSED


class TautError(Exception):
    """A call of the library failed.

    >>> import taut
    >>> try:
    ...     taut.loads("local x = coordinate 'x'\\nlagrangian(y.dot^2)", "spring.lua")
    ... except taut.TautError as error:
    ...     print(error.status.name, error.file, error.line)
    BAD_MODEL spring.lua 2
    """

    status: Status
    """What kind of failure it is."""
    text: str
    """What happened, where, and what to try."""
    file: str
    """The model, where the message names a place in it; otherwise empty."""
    line: int
    """Line of file; 0 if there is none."""
    item: str
    """The constraint, coordinate, setting ... that the message names; otherwise empty."""
    time: float
    """The time of the simulation where the message names one, otherwise NaN."""
    run: Run | None
    """What a run recorded until it failed."""
    ensemble: Ensemble | None
    """What the members of an ensemble recorded, with their statuses."""

    def __init__(self, text: str, status: Status = Status.BAD_USAGE, *, file: str = "", line: int = 0, item: str = "",
                 time: float = math.nan) -> None:
        super().__init__(text)
        self.text, self.status = text, status
        self.file, self.line, self.item, self.time = file, line, item, time
        self.run = None
        self.ensemble = None


def c_text(text: Union[str, bytes]) -> bytes:
    """What C gets of a string: it would end at a NUL."""
    data = text.encode() if isinstance(text, str) else text
    if b"\0" in data:
        raise ValueError(f"{text!r} contains a NUL")
    return data


def check_every(every: Optional[int]) -> None:
    if every is not None and every < 1:
        raise ValueError(f"every is a number of steps, at least 1, not {every}")


evaluating = threading.local()
"""depth: how many functions of models this thread is in."""


class Turns:
    """One thread at a time. A function of a model does not wait: what it waits for may wait for it."""

    def __init__(self) -> None:
        self._lock = threading.RLock()

    def __enter__(self) -> None:
        if not self._lock.acquire(blocking=not getattr(evaluating, "depth", 0)):
            raise TautError("a function of a model asks for a simulation that another thread uses; it depends on its "
                            "arguments alone")

    def __exit__(self, *exception: object) -> None:
        self._lock.release()


def text_of(pointer: Any) -> str:
    """A string of C."""
    return "" if pointer == ffi.NULL else bytes(ffi.string(pointer)).decode("utf-8", "replace")


def new_context() -> Any:
    """A context with Python's log."""
    context = lib.taut_context_create(ffi.NULL)
    if context == ffi.NULL:
        raise MemoryError("taut: no memory for a context")
    lib.taut_context_log(context, lib.taut_python_log, ffi.NULL)
    return ffi.gc(context, lib.taut_context_destroy)


def error_of(context: Any, status: int) -> TautError:
    """The error of the last call in a context."""
    error = ffi.new("taut_error *", {"size": ffi.sizeof("taut_error")})
    lib.taut_context_error(context, error)
    number = abs(status)
    known = Status(number) if number in Status._value2member_map_ else Status.REFUSED
    return TautError(text_of(error.text), known, file=text_of(error.file), line=error.line, item=text_of(error.item),
                     time=error.time)


def check(context: Any, status: int) -> None:
    """Raises TautError unless the status is 0."""
    if status:
        raise error_of(context, status)


@ffi.def_extern()  # type: ignore[misc]
def taut_python_log(user: Any, line: Any) -> None:
    log.warning("%s", text_of(line))


class Hooks:
    """What a run needs in its callbacks. An exception in one is kept here and raised when the run has ended."""

    def __init__(self) -> None:
        self.exception: BaseException | None = None
        self.events: list[tuple[float, str, str, float]] = []

    def before(self) -> int:
        return 0

    def after(self) -> int:
        return 0

    def write(self, data: bytes) -> None:
        pass

    def chunk(self, chunk: Any) -> int:
        return 0


def _failed(kind: Any, exception: Any, traceback: Any) -> None:
    # What leaves a callback in spite of _guard: KeyboardInterrupt between its lines.
    if traceback is not None and "user" in traceback.tb_frame.f_locals:
        ffi.from_handle(traceback.tb_frame.f_locals["user"]).exception = exception
    else:
        log.error("a callback failed: %r", exception)


def _guard(hooks: Hooks, call: Any) -> int:
    try:
        return int(call())
    except BaseException as exception:  # raised again by the caller of the library
        hooks.exception = exception
        return int(lib.TAUT_REFUSED)


@ffi.def_extern(error=lib.TAUT_REFUSED, onerror=_failed)  # type: ignore[misc]
def taut_python_before(user: Any, simulation: Any) -> int:
    hooks = ffi.from_handle(user)
    return _guard(hooks, hooks.before)


@ffi.def_extern(error=lib.TAUT_REFUSED, onerror=_failed)  # type: ignore[misc]
def taut_python_after(user: Any, simulation: Any) -> int:
    hooks = ffi.from_handle(user)
    return _guard(hooks, hooks.after)


@ffi.def_extern(error=lib.TAUT_REFUSED, onerror=_failed)  # type: ignore[misc]
def taut_python_event(user: Any, event: Any) -> int:
    hooks = ffi.from_handle(user)
    hooks.events.append((event.time, text_of(event.contact), text_of(event.kind), event.impulse))
    return 0


@ffi.def_extern(error=lib.TAUT_REFUSED, onerror=_failed)  # type: ignore[misc]
def taut_python_write(user: Any, data: Any, size: int) -> int:
    hooks = ffi.from_handle(user)
    return _guard(hooks, lambda: hooks.write(bytes(ffi.buffer(data, size))) or 0)


@ffi.def_extern(error=lib.TAUT_REFUSED, onerror=_failed)  # type: ignore[misc]
def taut_python_chunk(user: Any, chunk: Any) -> int:
    hooks = ffi.from_handle(user)
    return _guard(hooks, lambda: hooks.chunk(chunk))
