"""Taut: constrained mechanics without drift.

    import taut

    sim = taut.load("models/double-spherical-pendulum.lua").simulation(method="rattle")
    run = sim.run(100, 0.01, every=10)
    run.t, run["a"], run.energy         # numpy arrays

Models are scripts (`load`, `loads`) or written in Python (`Builder`, with the functions of this package); a
`Simulation` steps, a `Run` has the frames. docs/python.md is the guide.
"""
from ._builder import Builder
from ._ensemble import Ensemble, ensemble
from ._function import Function
from ._library import Status, TautError
from ._members import Failure, Statistics
from ._model import Method, Model, load, loads, methods, version
from ._notebook import Page
from ._run import Run, open, resume
from ._simulation import STOP, Event, Simulation, State, Work
from .symbols import (acos, arrow, asin, atan, atan2, ball, bar, box, capsule, cbrt, cos, cosh, cross, cylinder, disc,
                      dot, exp, free, ground, log, maximum, mesh, minimum, norm, norm2, origin, path, pi, plane, sin,
                      sinh, spring, sqrt, surface, tan, tanh, vector)

__version__ = version()

for _thing in (Builder, Ensemble, Event, Failure, Function, Status, TautError, Method, Model, Page, Run, Simulation,
               State, Statistics, Work):
    _thing.__module__ = "taut"

__all__ = [
    "Builder", "Ensemble", "Event", "Failure", "Function", "Method", "Model", "Page", "Run", "STOP", "Simulation",
    "State", "Statistics", "Status", "TautError", "Work", "acos", "arrow", "asin", "atan", "atan2", "ball", "bar",
    "box", "capsule", "cbrt", "cos", "cosh", "cross", "cylinder", "disc", "dot", "ensemble", "exp", "free",
    "ground", "load", "loads", "log", "maximum", "mesh", "methods", "minimum", "norm", "norm2", "open", "origin",
    "path", "pi", "plane", "resume", "sin", "sinh", "spring", "sqrt", "surface", "tan", "tanh", "vector", "version",
]
