"""Models that several tests use."""
import os
from pathlib import Path

import pytest

import taut

PENDULUM = """
title "A pendulum"
local g, l = param("g", 9.81), param("l", 1)
local a = point("a", 2)
lagrangian(norm2(a.dot)/2 - g*a.y)
local lambda = constraint("rod", norm2(a) - l^2)
observe("pull", -2*lambda)
start { a = {l, 0} }
"""
CART = """
local x, a, u = coordinate "x", coordinate "a", input("u", 0)
lagrangian(1.1/2*x.dot^2 + 0.05*x.dot*a.dot*cos(a) + 0.025/2*a.dot^2 - 0.4905*cos(a))
force(x, u)
start { x = 0, a = 0 }
"""
BALL = """
local z = coordinate "z"
lagrangian(z.dot^2/2 - 9.81*z)
contact("floor", z, {restitution = 0.5})
start { z = 1 }
"""


@pytest.fixture
def pendulum() -> taut.Simulation:
    return taut.loads(PENDULUM, "pendulum.lua").simulation()


@pytest.fixture
def cart() -> taut.Simulation:
    return taut.loads(CART, "cart.lua").simulation()


@pytest.fixture
def ball() -> taut.Simulation:
    return taut.loads(BALL, "ball.lua").simulation()


@pytest.fixture
def models() -> Path:
    """The folder models/ of the source tree."""
    folder = Path(os.environ.get("TAUT_SOURCE", Path(__file__).resolve().parents[2])) / "models"
    if not folder.is_dir():
        pytest.skip("no source tree")
    return folder
