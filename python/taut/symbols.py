"""Expressions of models: symbols with the operators and functions of the model language (docs/model-language.md).

An expression belongs to no model until it is used in one; only the symbols in it, declared by a Builder, do.
"""
from __future__ import annotations

import math
import numbers
import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn, Optional, Union

PACKAGE = os.path.dirname(os.path.abspath(__file__))
COMPONENTS = {2: "xy", 3: "xyz", 4: "wxyz"}


def where() -> tuple[str, int]:
    """File and line of the caller outside of this package."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE + os.sep):
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno


def literal(value: Any) -> str:
    """A number as Lua reads it back, digit by digit."""
    if isinstance(value, numbers.Integral) and abs(int(value)) < 2**63:
        text = str(int(value))
    else:
        value = float(value)
        if not math.isfinite(value):
            raise ValueError(f"numbers in a model must be finite, not {value}")
        text = repr(value)
    return f"({text})" if text.startswith("-") else text


def quoted(text: str) -> str:
    """A string as Lua reads it back."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
    return f'"{escaped}"'.replace("\0", "\\0")


class Expression:
    """A node: Lua text with places `{}` for its operands."""

    __slots__ = ("form", "operands", "owner", "place")
    __array_ufunc__ = None  # numpy leaves + - * / with symbols to them

    def __init__(self, form: str, operands: Sequence[Any] = (), owner: Any = None) -> None:
        self.form, self.operands, self.owner = form, tuple(operands), owner
        self.place = where()

    def _refuse(self, *_: Any) -> NoReturn:
        raise TypeError("symbols have no value while a model is built: they cannot be compared")

    __lt__ = __le__ = __gt__ = __ge__ = __bool__ = __float__ = __int__ = _refuse
    __eq__ = __ne__ = _refuse
    __hash__ = object.__hash__


class Symbol(Expression):
    """A scalar expression.

    >>> import taut
    >>> m = taut.Builder()
    >>> x = m.coordinate("x")
    >>> kinetic = x.dot**2/2 + taut.sin(x)
    >>> x < 1
    Traceback (most recent call last):
    TypeError: symbols have no value while a model is built: they cannot be compared
    """

    __slots__ = ()

    def __add__(self, other: Scalar) -> Symbol:
        return _binary("+", self, other)

    def __radd__(self, other: Scalar) -> Symbol:
        return _binary("+", other, self)

    def __sub__(self, other: Scalar) -> Symbol:
        return _binary("-", self, other)

    def __rsub__(self, other: Scalar) -> Symbol:
        return _binary("-", other, self)

    def __mul__(self, other: Scalar) -> Symbol:
        return _binary("*", self, other)

    def __rmul__(self, other: Scalar) -> Symbol:
        return _binary("*", other, self)

    def __truediv__(self, other: Scalar) -> Symbol:
        return _binary("/", self, other)

    def __rtruediv__(self, other: Scalar) -> Symbol:
        return _binary("/", other, self)

    def __pow__(self, other: Scalar) -> Symbol:
        return _binary("^", self, other)

    def __rpow__(self, other: Scalar) -> Symbol:
        return _binary("^", other, self)

    def __neg__(self) -> Symbol:
        return Symbol("-{}", (self,))

    def __pos__(self) -> Symbol:
        return self

    def __abs__(self) -> Symbol:
        return Symbol("abs({})", (self,))

    @property
    def dot(self) -> Symbol:
        """The total time derivative, of an expression of coordinates and time."""
        return Symbol("{}.dot", (self,))


Scalar = Union[Symbol, float]


class Vector(Expression):
    """A vector of 1 to 4 components. Lists and tuples of as many may be used with it."""

    __slots__ = ("size",)

    def __init__(self, form: str, operands: Sequence[Any] = (), size: Optional[int] = None, owner: Any = None) -> None:
        super().__init__(form, operands, owner)
        self.size = size

    def _combine(self, op: str, a: Any, b: Any) -> Vector:
        if not _is_vector(a) or not _is_vector(b):
            return NotImplemented
        return Vector("{} " + op + " {}", (a, b), self.size or _size(b if a is self else a))

    def _scale(self, op: str, a: Any, b: Any) -> Vector:
        if not _is_scalar(b if a is self else a):
            return NotImplemented
        return Vector("{} " + op + " {}", (a, b), self.size)

    def __add__(self, other: VectorLike) -> Vector:
        return self._combine("+", self, other)

    def __radd__(self, other: Any) -> Vector:
        if isinstance(other, (int, float)) and other == 0:  # sum([a, b])
            return self
        return self._combine("+", other, self)

    def __sub__(self, other: VectorLike) -> Vector:
        return self._combine("-", self, other)

    def __rsub__(self, other: VectorLike) -> Vector:
        return self._combine("-", other, self)

    def __mul__(self, other: Scalar) -> Vector:
        return self._scale("*", self, other)

    def __rmul__(self, other: Scalar) -> Vector:
        return self._scale("*", other, self)

    def __truediv__(self, other: Scalar) -> Vector:
        return self._scale("/", self, other)

    def __neg__(self) -> Vector:
        return Vector("-{}", (self,), self.size)

    def __len__(self) -> int:
        if self.size is None:
            raise TypeError("this vector fits any dimension")
        return self.size

    def __getitem__(self, index: int) -> Symbol:
        """A component, counted from 0."""
        size = len(self)
        if not -size <= index < size:
            raise IndexError("the vector has %d components" % size)
        return Symbol("{}[%d]" % (index % size + 1), (self,))

    def _letter(self, letter: str) -> Symbol:
        place = COMPONENTS[max(len(self), 2)].find(letter)
        if place < 0:
            raise AttributeError(f"a vector of {len(self)} has no component {letter}")
        return self[place]

    @property
    def x(self) -> Symbol:
        return self._letter("x")

    @property
    def y(self) -> Symbol:
        return self._letter("y")

    @property
    def z(self) -> Symbol:
        return self._letter("z")

    @property
    def dot(self) -> Vector:
        """The vector of time derivatives."""
        return Vector("{}.dot", (self,), self.size)


class Rotation(Vector):
    """A unit quaternion, body to space."""

    __slots__ = ()

    @property
    def w(self) -> Symbol:
        return self[0]

    @property
    def omega(self) -> Vector:
        """Angular velocity in the axes of the body."""
        return Vector("{}.omega", (self,), 3)

    def apply(self, point: VectorLike) -> Vector:
        """The position in space of a point fixed in the body, relative to its centre."""
        return Vector("{}:apply({})", (self, point), 3)


VectorLike = Union[Vector, Sequence[Scalar]]


class Shape(Expression):
    """Something for `draw`."""

    __slots__ = ()

    def colour(self, name: str) -> Shape:
        return Shape("{}:colour(%s)" % _braced(quoted(name)), (self,))

    def label(self, text: str) -> Shape:
        return Shape("{}:label(%s)" % _braced(quoted(text)), (self,))


def _braced(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def _is_scalar(value: Any) -> bool:
    return isinstance(value, Symbol) or (isinstance(value, numbers.Real) and not isinstance(value, bool))


def _is_vector(value: Any) -> bool:
    return isinstance(value, (Vector, list, tuple)) or getattr(value, "ndim", None) == 1


def _size(value: Any) -> Optional[int]:
    return value.size if isinstance(value, Vector) else len(value)


def _scalar(value: Any) -> Any:
    if not _is_scalar(value):
        raise TypeError(f"a scalar expression or a number is needed, not {type(value).__name__}")
    return value


def _binary(op: str, a: Any, b: Any) -> Symbol:
    if not _is_scalar(a) or not _is_scalar(b):
        return NotImplemented
    return Symbol("{} " + op + " {}", (a, b))


def _call(name: str, *operands: Any) -> Symbol:
    return Symbol("%s(%s)" % (name, ", ".join(["{}"] * len(operands))), [_scalar(operand) for operand in operands])


# ---- functions ----

pi = Symbol("pi")
origin = Vector("origin")
"""Zero, in any dimension."""


def sin(x: Scalar) -> Symbol:
    return _call("sin", x)


def cos(x: Scalar) -> Symbol:
    return _call("cos", x)


def tan(x: Scalar) -> Symbol:
    return _call("tan", x)


def asin(x: Scalar) -> Symbol:
    return _call("asin", x)


def acos(x: Scalar) -> Symbol:
    return _call("acos", x)


def atan(x: Scalar) -> Symbol:
    return _call("atan", x)


def atan2(y: Scalar, x: Scalar) -> Symbol:
    """The angle of the point (x, y), in (-pi, pi]."""
    return _call("atan2", y, x)


def sinh(x: Scalar) -> Symbol:
    return _call("sinh", x)


def cosh(x: Scalar) -> Symbol:
    return _call("cosh", x)


def tanh(x: Scalar) -> Symbol:
    return _call("tanh", x)


def exp(x: Scalar) -> Symbol:
    return _call("exp", x)


def log(x: Scalar) -> Symbol:
    """The natural logarithm."""
    return _call("log", x)


def sqrt(x: Scalar) -> Symbol:
    return _call("sqrt", x)


def cbrt(x: Scalar) -> Symbol:
    """The cube root, of negative numbers too."""
    return _call("cbrt", x)


def minimum(*x: Scalar) -> Symbol:
    """`min` of the model language."""
    return _call("min", *x)


def maximum(*x: Scalar) -> Symbol:
    """`max` of the model language."""
    return _call("max", *x)


def vector(components: Sequence[Scalar]) -> Vector:
    """A vector of 1 to 4 components."""
    return Vector("vector({})", (list(components),), len(components))


def dot(a: VectorLike, b: VectorLike) -> Symbol:
    """The scalar product."""
    return Symbol("dot({}, {})", (a, b))


def cross(a: VectorLike, b: VectorLike) -> Any:
    """The vector product; of two vectors in the plane a scalar."""
    flat = 2 in (_size(a), _size(b))
    return Symbol("cross({}, {})", (a, b)) if flat else Vector("cross({}, {})", (a, b), 3)


def norm2(a: VectorLike) -> Symbol:
    """The square of the length."""
    return Symbol("norm2({})", (a,))


def norm(a: VectorLike) -> Symbol:
    """The length. Not differentiable at 0."""
    return Symbol("norm({})", (a,))


class Free:
    """A start value that the constraints determine; see `free`."""

    def __init__(self, guess: Scalar) -> None:
        self.guess = guess


def free(guess: Scalar = 0) -> Free:
    """In `Builder.start`: the value is solved from the constraints, nearest to the guess."""
    return Free(guess)


# ---- shapes ----

def _shape(name: str, *operands: Any) -> Shape:
    given = [operand for operand in operands if operand is not None]
    return Shape("%s(%s)" % (name, ", ".join(["{}"] * len(given))), given)


def bar(p: VectorLike, q: VectorLike) -> Shape:
    return _shape("bar", p, q)


def spring(p: VectorLike, q: VectorLike) -> Shape:
    return _shape("spring", p, q)


def ball(p: VectorLike, radius: Optional[float] = None) -> Shape:
    return _shape("ball", p, radius)


def box(p: VectorLike, sides: Sequence[float], turned: Any = None) -> Shape:
    """A rigid body: its sides, and the rotation (in the plane the angle) by which it is turned."""
    return _shape("box", p, sides, turned)


def disc(p: VectorLike, size: Any, turned: Any = None) -> Shape:
    """size: in space radius and thickness, in the plane the radius."""
    return _shape("disc", p, size, turned)


def cylinder(p: VectorLike, q: VectorLike, radius: float) -> Shape:
    return _shape("cylinder", p, q, radius)


def capsule(p: VectorLike, q: VectorLike, radius: float) -> Shape:
    return _shape("capsule", p, q, radius)


def plane(p: VectorLike, normal: VectorLike) -> Shape:
    return _shape("plane", p, normal)


def ground(height: Optional[float] = None) -> Shape:
    return _shape("ground", height)


def arrow(p: VectorLike, v: VectorLike, scale: Optional[float] = None) -> Shape:
    return _shape("arrow", p, v, scale)


def mesh(p: VectorLike, file: str, turned: Any = None, scale: Optional[float] = None) -> Shape:
    """A body from an STL or OBJ file, its origin at p."""
    if scale is not None and turned is None:
        raise ValueError("a scale comes after the rotation")
    return _shape("mesh", p, file, turned, scale)


def path(positions: Sequence[VectorLike]) -> Shape:
    """A curve through these positions."""
    return Shape("path({})", (list(positions),))


def surface(positions: Sequence[Sequence[VectorLike]]) -> Shape:
    """A surface through rows of positions, all of the same length, at least two by two.

    >>> import taut
    >>> m = taut.Builder()
    >>> x = m.coordinate("x")
    >>> m.lagrangian(x.dot**2/2)
    >>> m.start({"x": 0})
    >>> m.draw(taut.surface([[[u, v, u*v + x] for v in (0, 1, 2)] for u in (0, 1)]))
    >>> m.finish()
    <taut.Model 'model'>
    """
    rows = [list(row) for row in positions]
    if len(rows) < 2 or len(rows[0]) < 2 or any(len(row) != len(rows[0]) for row in rows):
        raise ValueError("a surface has two or more rows of positions, of the same length")
    n, m = len(rows) - 1, len(rows[0]) - 1
    form = (f"(function(p) return surface(function(u, v) return p[u // 1 + 1][v // 1 + 1] end, {{{{0, {n}}}}}, "
            f"{{{{0, {m}}}}}, {n}, {m}) end)({{}})")
    return Shape(form, (rows,))
