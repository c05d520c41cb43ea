"""Functions in Python that models call."""
from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Optional

import numpy as np
import numpy.typing as npt

from ._library import TautError, c_text, check, evaluating, log
from ._taut import ffi, lib

Numbers = npt.NDArray[np.float64]


class Function:
    """A function of `arguments` numbers that a model calls by name: `call("name", x, y)` in a script, `m.call` of a
    `Builder`.

    value(x) is a number, gradient(x) its partial derivatives, hessian(x) the matrix of the second ones; x is an array.
    Lagrangians need a gradient, constraints a Hessian too, forces neither. It depends on x alone, and cannot use
    the simulation that calls it. Threads of an ensemble wait for each other in it.

    >>> import taut
    >>> spring = taut.Function(lambda x: 8*x[0]**4, 1, gradient=lambda x: 32*x**3)
    >>> text = "local x = coordinate 'x'; lagrangian(x.dot^2/2 - call('spring', x)); start { x = 0.5 }"
    >>> sim = taut.loads(text, functions={"spring": spring}).simulation()
    >>> energy = sim.energy
    >>> run = sim.run(5)
    >>> abs(sim.energy - energy) < 1e-3
    True
    """

    def __init__(self, value: Callable[[Numbers], Any], arguments: int, *,
                 gradient: Optional[Callable[[Numbers], Any]] = None,
                 hessian: Optional[Callable[[Numbers], Any]] = None) -> None:
        if hessian is not None and gradient is None:
            raise ValueError("a function with a Hessian needs its gradient, too")
        self.value, self.gradient, self.hessian = value, gradient, hessian
        self.arguments = arguments
        self.order = 2 if hessian is not None else 1 if gradient is not None else 0
        self._exception: Optional[BaseException] = None
        self._handle = ffi.new_handle(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return _make, (self.value, self.arguments, self.gradient, self.hessian)

    def _evaluate(self, order: int, x: Any, value: Any, gradient: Any, hessian: Any) -> None:
        n = self.arguments
        at = np.frombuffer(ffi.buffer(x, 8*n), dtype=np.float64).copy()
        value[0] = float(self.value(at.copy()))
        if order > 0 and self.gradient is not None:
            np.frombuffer(ffi.buffer(gradient, 8*n), dtype=np.float64)[:] = self.gradient(at.copy())
        if order > 1 and self.hessian is not None:
            full = np.frombuffer(ffi.buffer(hessian, 8*n*n), dtype=np.float64).reshape(n, n)
            full[:] = self.hessian(at)


def _make(value: Any, arguments: int, gradient: Any, hessian: Any) -> Function:
    return Function(value, arguments, gradient=gradient, hessian=hessian)


def define(context: Any, functions: Mapping[str, Function]) -> None:
    """Gives the models of a context these functions."""
    for name, function in functions.items():
        check(context, lib.taut_define(context, c_text(name), function.arguments, function.order,
                                       lib.taut_python_function, function._handle))


def explain(error: TautError, functions: Mapping[str, Function]) -> TautError:
    """An exception in a function becomes the cause of the error."""
    for function in functions.values():
        if function._exception is not None:
            error.__cause__, function._exception = function._exception, None
    return error


def _failed(kind: Any, exception: Any, traceback: Any) -> None:
    log.error("a function of a model failed: %r", exception)


@ffi.def_extern(error=lib.TAUT_REFUSED, onerror=_failed)  # type: ignore[misc]
def taut_python_function(user: Any, order: int, x: Any, value: Any, gradient: Any, hessian: Any) -> int:
    function = ffi.from_handle(user)
    depth = getattr(evaluating, "depth", 0)
    try:
        evaluating.depth = depth + 1
        function._evaluate(order, x, value, gradient, hessian)
    except BaseException as exception:  # the cause of what the library then says
        function._exception = exception
        return int(lib.TAUT_REFUSED)
    finally:
        evaluating.depth = depth
    return 0
