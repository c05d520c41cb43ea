"""Models in Python."""
from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Optional, TypeVar, Union

from ._function import Function
from ._model import Model, Setting
from .symbols import Expression, Free, Rotation, Scalar, Shape, Symbol, Vector, VectorLike, literal, quoted, where

if TYPE_CHECKING:
    from ._simulation import Simulation

Node = TypeVar("Node", bound=Expression)

class Builder:
    """A model in Python: the calls of the model language as methods, its functions in this package.

    Numbers become part of the model digit by digit; arithmetic between plain numbers is Python's.

    >>> import taut
    >>> m = taut.Builder("A pendulum")
    >>> g, l = m.param("g", 9.81), m.param("l", 1)
    >>> a = m.point("a", 2)
    >>> m.lagrangian(taut.norm2(a.dot)/2 - g*a.y)
    >>> rod = m.constraint("rod", taut.norm2(a) - l**2)
    >>> m.start({"a": [l, 0]})
    >>> sim = m.simulation(g=1.62)
    >>> run = sim.run(1)
    >>> run["a"].shape
    (101, 2)

    The methods write a script (`source`), and `finish` loads it. Errors name the line of Python that wrote it.
    """

    def __init__(self, title: Optional[str] = None) -> None:
        self._lines: list[str] = []
        self._places: list[tuple[str, int]] = []
        self._numbers: dict[int, int] = {}
        self._kept: list[Expression] = []  # ids in _numbers are theirs
        self._functions: dict[str, Function] = {}
        self._title = title or "model"
        if title is not None:
            self._write(f"title {quoted(title)}")
        self._write("local e = {}")

    # ---- the script ----

    @property
    def source(self) -> str:
        """The script so far."""
        return "".join(line + "\n" for line in self._lines)

    def _write(self, line: str, place: Optional[tuple[str, int]] = None) -> None:
        self._lines.append(line)
        self._places.append(place or where())

    def _number(self, node: Expression, text: str) -> None:
        self._kept.append(node)
        self._numbers[id(node)] = len(self._kept)
        self._write(f"e[{len(self._kept)}] = {text}", node.place)

    def _text(self, value: Any) -> str:
        """A value in the script. Expressions have been written."""
        if isinstance(value, Expression):
            return f"e[{self._numbers[id(value)]}]"
        if isinstance(value, Free):
            return f"free({self._text(value.guess)})"
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, str):
            return quoted(value)
        if isinstance(value, numbers.Real):
            return literal(value)
        if isinstance(value, Mapping):
            return "{ " + ", ".join(f"[{self._text(k)}] = {self._text(v)}" for k, v in value.items()) + " }"
        if hasattr(value, "__iter__"):
            return "{" + ", ".join(self._text(item) for item in value) + "}"
        raise TypeError(f"a {type(value).__name__} cannot stand in a model")

    def _write_operands(self, values: Sequence[Any]) -> None:
        """Writes the expressions that were not yet written, operands first."""
        stack: list[tuple[Any, bool]] = [(value, False) for value in reversed(values)]
        while stack:
            value, is_ready = stack.pop()
            if isinstance(value, Expression):
                if id(value) in self._numbers:
                    continue
                if value.owner is not None:
                    raise ValueError("the expression has a symbol of another model")
                if is_ready:
                    operands = [self._text(operand) for operand in value.operands]
                    self._number(value, value.form.format(*operands))
                    continue
                stack.append((value, True))
                stack.extend((operand, False) for operand in reversed(value.operands))
            elif isinstance(value, Free):
                stack.append((value.guess, False))
            elif isinstance(value, Mapping):
                for key, item in value.items():
                    stack += [(item, False), (key, False)]
            elif isinstance(value, (str, numbers.Number)):
                continue
            elif hasattr(value, "__iter__"):
                stack.extend((item, False) for item in reversed(list(value)))

    def _statement(self, name: str, *operands: Any) -> None:
        self._write_operands(operands)
        self._write(f"{name}({', '.join(self._text(operand) for operand in operands)})")

    def _declare(self, node: Node, name: str, *operands: Any) -> Node:
        self._write_operands(operands)
        self._number(node, f"{name}({', '.join(self._text(operand) for operand in operands)})")
        return node

    # ---- declarations ----

    def units(self, **names: str) -> None:
        """Names of the units: length, time, mass."""
        self._statement("units", names)

    def param(self, name: str, value: Scalar) -> Symbol:
        """A parameter: constant during a run."""
        return self._declare(Symbol("", owner=self), "param", name, value)

    def input(self, name: str, value: Scalar = 0) -> Symbol:
        """An input: held over a step, set between steps."""
        return self._declare(Symbol("", owner=self), "input", name, value)

    def coordinate(self, name: str) -> Symbol:
        return self._declare(Symbol("", owner=self), "coordinate", name)

    def point(self, name: str, dimension: int = 3) -> Vector:
        """Two or three coordinates."""
        return self._declare(Vector("", size=dimension, owner=self), "point", name, dimension)

    def rotation(self, name: str) -> Rotation:
        """A unit quaternion, body to space, with its constraint."""
        return self._declare(Rotation("", size=4, owner=self), "rotation", name)

    def embed(self, name: str, position: VectorLike) -> Vector:
        """A point as a function of the coordinates and time."""
        return self._declare(Vector("", size=len(position), owner=self), "embed", name, position)

    def time(self) -> Symbol:
        return self._declare(Symbol("", owner=self), "time")

    def momentum(self, of: Any) -> Any:
        """The momentum of a coordinate, point or rotation (Hamiltonian and rate models)."""
        if isinstance(of, Vector):
            return self._declare(Vector("", size=of.size, owner=self), "momentum", of)
        return self._declare(Symbol("", owner=self), "momentum", of)

    def call(self, name: str, function: Function, *arguments: Union[Scalar, VectorLike]) -> Symbol:
        """The value of a function at these arguments; a vector counts with its components. The name is for messages
        and for the script."""
        if self._functions.setdefault(name, function) is not function:
            raise ValueError(f"there is another function {name!r} in this model")
        return self._declare(Symbol("", owner=self), "call", name, *arguments)

    # ---- equations ----

    def lagrangian(self, value: Scalar) -> None:
        """A summand of L."""
        self._statement("lagrangian", value)

    def hamiltonian(self, value: Scalar) -> None:
        """A summand of H."""
        self._statement("hamiltonian", value)

    def rate(self, of: Expression, value: Union[Scalar, VectorLike]) -> None:
        """The time derivative of a coordinate or momentum (rate models)."""
        self._statement("rate", of, value)

    def constraint(self, name: str, value: Scalar) -> Symbol:
        """The value stays zero. Returns the multiplier."""
        return self._declare(Symbol("", owner=self), "constraint", name, value)

    def contact(self, name: str, gap: Scalar, **options: Any) -> Symbol:
        """0 <= gap, 0 <= multiplier, one of them zero. Returns the multiplier. Options: docs/contacts.md."""
        return self._declare(Symbol("", owner=self), "contact", name, gap, *([options] if options else []))

    def impact_law(self, name: str) -> None:
        self._statement("impact_law", name)

    def gauge(self, name: str, value: Scalar) -> None:
        """A condition that fixes the gauge freedom of a singular Lagrangian."""
        self._statement("gauge", name, value)

    def force(self, on: Expression, value: Union[Scalar, VectorLike]) -> None:
        """A force on a coordinate or point, in addition to what follows from L or H."""
        self._statement("force", on, value)

    def observe(self, name: str, value: Scalar) -> None:
        """A column of the results."""
        self._statement("observe", name, value)

    def draw(self, *shapes: Union[Shape, VectorLike]) -> None:
        """What the page of a run shows."""
        self._statement("draw", list(shapes))

    def start(self, values: Mapping[Any, Any]) -> None:
        """Start values. Keys are names ("a", "a.dot") or symbols; values numbers, constant expressions, lists of them,
        or `free(guess)`."""
        self._statement("start", dict(values))

    def start_points(self, values: Mapping[Any, Any]) -> None:
        """Two positions, at the start and a step later."""
        self._statement("start_points", dict(values))

    # ---- the end ----

    def finish(self, **settings: Setting) -> Model:
        """The model, checked, with settings as of `load`. The builder may go on and be finished again."""
        return Model._from_text(self.source, self._title, settings, tuple(self._places), self._functions)

    def simulation(self, **settings: Setting) -> Simulation:
        """`finish(**settings).simulation()`."""
        return self.finish(**settings).simulation()
