"""Models and the methods that there are for them."""
from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Optional, Union

from ._function import Function, define, explain
from ._library import TautError, c_text, error_of, new_context, text_of
from ._taut import ffi, lib

if TYPE_CHECKING:
    from ._simulation import Simulation

Setting = Union[float, str, bool]


def _settings(settings: Mapping[str, Setting]) -> tuple[Any, list[Any]]:
    """As an array of C, and what keeps its strings alive."""
    array = ffi.new("taut_setting[]", len(settings))
    kept: list[Any] = []
    for item, (name, value) in zip(array, settings.items()):
        kept.append(ffi.new("char[]", c_text(name)))
        item.name = kept[-1]
        if isinstance(value, bool):
            value = "true" if value else "false"
        elif hasattr(value, "__index__"):  # all digits of an integer
            value = str(value.__index__())
        if isinstance(value, str):
            kept.append(ffi.new("char[]", c_text(value)))
            item.text = kept[-1]
        else:
            item.number = float(value)
    return array, kept


def _translate(error: TautError, places: Optional[Sequence[tuple[str, int]]]) -> TautError:
    """A place in the script of a Builder becomes that in Python."""
    if places is not None and 0 < error.line <= len(places):
        old = f"{error.file}:{error.line}:"
        error.file, error.line = places[error.line - 1]
        error.text = error.text.replace(old, f"{error.file}:{error.line}:", 1)
        error.args = (error.text,)
    return error


class Model:
    """A model: a script after loading, or what a Builder built. It never changes; see `load`, `loads`, `Builder`.

    Any number of threads may make simulations of it.
    """

    def __init__(self) -> None:
        raise TypeError("use taut.load, taut.loads or taut.Builder")

    @classmethod
    def _make(cls, context: Any, pointer: Any, name: str, settings: Mapping[str, Setting],
              functions: Mapping[str, Function]) -> Model:
        self = cls.__new__(cls)
        self._context = context
        self._pointer = ffi.gc(pointer, lib.taut_model_release)
        self._name = name
        self._settings = dict(settings)
        self._functions = dict(functions)
        return self

    _context: Any
    _pointer: Any
    _name: str
    _settings: dict[str, Setting]
    _functions: dict[str, Function]
    _places: Optional[Sequence[tuple[str, int]]] = None  # of a Builder: file and line of Python, by lines of the script

    @classmethod
    def _from_text(cls, text: str, name: str, settings: Mapping[str, Setting],
                   places: Optional[Sequence[tuple[str, int]]] = None,
                   functions: Optional[Mapping[str, Function]] = None) -> Model:
        context, result = new_context(), ffi.new("taut_model **")
        define(context, functions or {})
        array, _kept = _settings(settings)
        data = text.encode()
        status = lib.taut_model_load_text(context, c_text(name), data, len(data), array, len(settings), result)
        if status:
            raise _translate(error_of(context, status), places)
        self = cls._make(context, result[0], name, settings, functions or {})
        self._places = places
        return self

    def _error(self, context: Any, status: int) -> TautError:
        """The error of the last call in a context of a simulation of this model."""
        return explain(_translate(error_of(context, status), self._places), self._functions)

    @property
    def title(self) -> str:
        return text_of(lib.taut_model_title(self._pointer))

    @property
    def source(self) -> str:
        """The script."""
        size = ffi.new("size_t *")
        lib.taut_model_source(self._pointer, ffi.NULL, 0, size)
        buffer = ffi.new("char[]", size[0] + 1)
        lib.taut_model_source(self._pointer, buffer, size[0] + 1, size)
        return bytes(ffi.buffer(buffer, size[0])).decode()

    def c_code(self, method: str = "rattle", step: float = 0.01, prefix: str = "model", *,
               single: bool = False) -> tuple[str, str]:
        """The model under a method as C for firmware and other programs: PREFIX.h and PREFIX.c (docs/compile.md).

        >>> import taut
        >>> model = taut.loads("local x = coordinate 'x'; lagrangian(x.dot^2/2 - x^2/2); start { x = 1 }", "spring")
        >>> header, source = model.c_code(prefix="spring")
        >>> "spring_step(" in header, '#include "spring.h"' in source
        (True, True)
        """
        context, result = new_context(), ffi.new("taut_c_code **")
        texts = [ffi.new("char[]", c_text(text)) for text in (method, repr(float(step)), prefix, prefix + ".h")]
        spec = ffi.new("taut_c_spec *", {"size": ffi.sizeof("taut_c_spec"), "method": texts[0], "step": texts[1],
                                         "prefix": texts[2], "header": texts[3], "single": single})
        status = lib.taut_c_create(context, self._pointer, spec, result)
        if status:
            raise self._error(context, status)
        code = ffi.gc(result[0], lib.taut_c_release)
        found = tuple(text_of(text(code, ffi.NULL)) for text in (lib.taut_c_header, lib.taut_c_source))
        ffi.release(code)
        return found[0], found[1]

    def simulation(self, method: str = "rattle", **options: Any) -> Simulation:
        """A simulation of this model; arguments as of `Simulation`."""
        from ._simulation import Simulation

        return Simulation(self, method, **options)

    def __repr__(self) -> str:
        return f"<taut.Model {self.title!r}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Model._from_text, (self.source, self._name, self._settings, None, self._functions)


def load(path: Union[str, os.PathLike[str]], /, functions: Optional[Mapping[str, Function]] = None,
         **settings: Setting) -> Model:
    """Loads a model from a Lua file. Keywords set its params, inputs and options; a string has all digits of a number.
    `functions` are those that it calls, by name.

    >>> import taut
    >>> taut.load("no-such.lua")
    Traceback (most recent call last):
    taut.TautError: cannot read 'no-such.lua': No such file or directory; check the path
    """
    context, result = new_context(), ffi.new("taut_model **")
    array, _kept = _settings(settings)
    define(context, functions or {})
    status = lib.taut_model_load_file(context, c_text(os.fsencode(path)), array, len(settings), result)
    if status:
        raise error_of(context, status)
    return Model._make(context, result[0], os.fspath(path), settings, functions or {})


def loads(text: str, name: str = "model", /, functions: Optional[Mapping[str, Function]] = None,
          **settings: Setting) -> Model:
    """Loads a model from a string. Messages use name as the name of the file. The rest is as of `load`.

    >>> import taut
    >>> text = "local x = coordinate 'x'; lagrangian(x.dot^2/2 - param('k', 4)*x^2/2); start { x = 1 }"
    >>> model = taut.loads(text, k=9)
    >>> sim = model.simulation()
    >>> sim.params["k"]
    9.0
    """
    return Model._from_text(text, name, settings, functions=functions)


class Method(NamedTuple):
    """A method of the catalogue, with its default options."""

    name: str
    summary: str
    source: str
    order: int
    keeps: frozenset[str]
    """Some of "symplectic", "energy", "momentum", "reversible", "position", "velocity"."""


def methods() -> list[Method]:
    """The catalogue of methods.

    >>> import taut
    >>> [m.order for m in taut.methods() if m.name == "rattle"]
    [2]
    """
    bits = {name: getattr(lib, "TAUT_KEEPS_" + name.upper())
            for name in ("symplectic", "energy", "momentum", "reversible", "position", "velocity")}
    info = ffi.new("taut_method_info *", {"size": ffi.sizeof("taut_method_info")})
    found: list[Method] = []
    while lib.taut_methods(len(found), info) == lib.TAUT_OK:
        found.append(Method(text_of(info.name), text_of(info.summary), text_of(info.source), info.order,
                            frozenset(name for name, bit in bits.items() if info.keeps & bit)))
    return found


def version() -> str:
    """The version of the library."""
    number = lib.taut_version()
    return f"{number // 10000}.{number // 100 % 100}.{number % 100}"
