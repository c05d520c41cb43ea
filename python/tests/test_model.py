"""Loading, settings, errors, models in Python."""
import math
import pickle
import sys

import numpy as np
import pytest

import taut
from conftest import PENDULUM


def test_load_file(models):
    model = taut.load(models / "double-spherical-pendulum.lua")
    run = model.simulation().run(1, 0.01)
    assert model.title == "Double spherical pendulum"
    assert run["a"].shape == (101, 3)
    assert np.abs(run["constraint"]).max() < 1e-13  # a few ulps of the squares of lengths below 10


def test_settings():
    model = taut.loads(PENDULUM, g=1.62, l="0.5")
    assert dict(model.simulation().params) == {"g": 1.62, "l": 0.5}
    assert taut.loads(PENDULUM, l=np.int64(2)).simulation().params["l"] == 2
    with pytest.raises(taut.TautError) as caught:
        taut.loads(PENDULUM, gravity=1)
    assert caught.value.status is taut.Status.BAD_USAGE
    assert caught.value.item == "gravity"


def test_error_has_place():
    with pytest.raises(taut.TautError) as caught:
        taut.loads("local x = coordinate 'x'\nlagrangian(y^2)", "spring.lua")
    error = caught.value
    assert (error.status, error.file, error.line, error.item) == (taut.Status.BAD_MODEL, "spring.lua", 2, "y")
    assert math.isnan(error.time)


def test_script_output_is_logged(caplog):
    taut.loads("local x = coordinate 'x'; lagrangian(x.dot^2/2); start { x = 0 }; print('hello')")
    assert "hello" in caplog.text


def test_source_makes_the_same_model():
    model = taut.loads(PENDULUM, "pendulum.lua", g=2)
    again = pickle.loads(pickle.dumps(model))
    assert again.source == model.source == PENDULUM
    assert again.simulation().params["g"] == 2


def test_methods():
    found = {method.name: method for method in taut.methods()}
    assert found["rattle"].order == 2
    assert {"symplectic", "position"} <= found["rattle"].keeps
    assert taut.__version__ == taut.version()


# ---- in Python ----

def double_pendulum():
    m = taut.Builder("Double pendulum")
    g = m.param("g", 9.81)
    a, b = m.point("a", 2), m.point("b", 2)
    m.lagrangian((taut.norm2(a.dot) + taut.norm2(b.dot))/2 - g*(a.y + b.y))
    m.constraint("first", taut.norm2(a) - 1)
    m.constraint("second", taut.norm2(a - b) - 1)
    m.start({"a": [1, 0], b: (2, 0)})
    return m


LUA = """
local g = param("g", 9.81)
local a, b = point("a", 2), point("b", 2)
lagrangian((norm2(a.dot) + norm2(b.dot))/2 - g*(a.y + b.y))
constraint("first", norm2(a) - 1)
constraint("second", norm2(a - b) - 1)
start { a = {1, 0}, b = {2, 0} }
"""


def test_python_and_lua_are_the_same():
    ours = double_pendulum().simulation().run(2)
    theirs = taut.loads(LUA).simulation().run(2)
    assert ours.columns == theirs.columns
    assert (ours.rows == theirs.rows).all()


def test_every_operator_and_function():
    x0 = 0.3
    m = taut.Builder()
    x, y = m.coordinate("x"), m.coordinate("y")
    m.lagrangian((x.dot**2 + y.dot**2)/2)
    m.start({x: x0, "y": 0.7})
    expected = {
        "add": (1 + x + 2, 3.3), "sub": (1 - x - 2, -1.3), "mul": (2*x*3, 1.8), "div": (1/x/2, 1/0.6),
        "pow": (2**x + x**2 + x**-1, 2**0.3 + 0.09 + 1/0.3), "neg": (-x + +x + abs(-x), 0.3),
        "trig": (taut.sin(x) + taut.cos(x) + taut.tan(x), math.sin(x0) + math.cos(x0) + math.tan(x0)),
        "arc": (taut.asin(x) + taut.acos(x) + taut.atan(x), math.asin(x0) + math.acos(x0) + math.atan(x0)),
        "atan2": (taut.atan2(y, x), math.atan2(0.7, 0.3)),
        "hyper": (taut.sinh(x) + taut.cosh(x) + taut.tanh(x), math.sinh(x0) + math.cosh(x0) + math.tanh(x0)),
        "exp": (taut.exp(x) + taut.log(x) + taut.sqrt(x) + taut.cbrt(x),
                math.exp(x0) + math.log(x0) + math.sqrt(x0) + x0**(1/3)),
        "edges": (taut.minimum(x, y, 1) + taut.maximum(x, y, 0) + taut.pi, 1 + math.pi),
        "numpy": (np.float64(2)*x + np.int64(1), 1.6),
        "small": (x*1e-300*1e300 + 12345678901234567, 12345678901234567.3),
    }
    for name, (expression, _) in expected.items():
        m.observe(name, expression)
    sim = m.simulation()
    for name, (_, value) in expected.items():
        assert sim[name] == pytest.approx(value, rel=1e-13), name


def test_vectors():
    m = taut.Builder()
    a, b = m.point("a"), m.point("b", 2)
    m.lagrangian((taut.norm2(a.dot) + taut.norm2(b.dot))/2)
    m.start({"a": [1, 2, 3], "b": [4, 5]})
    m.observe("dot", taut.dot(a, [1, 0, 2]))
    m.observe("cross", taut.cross(a, (0, 0, 1)).x + taut.cross(b, b - [1, 0]))
    m.observe("norm", taut.norm(2*a/2 - a*0.5 + taut.origin - (-a)/2))
    m.observe("parts", a[0] + a[-1] + b.y + len(a))
    m.observe("sum", sum([a, taut.vector([0, 0, m.time()])]).z)
    m.observe("array", taut.dot(a, np.array([1.0, 1.0, 1.0])) + (np.array([1, 1, 1]) - a).x)
    sim = m.simulation()
    assert sim["dot"] == 7 and sim["parts"] == 12 and sim["sum"] == 3 and sim["array"] == 6
    assert sim["cross"] == 2 + 5  # (1,2,3) x (0,0,1) = (2,-1,0); 4*5 - 5*3
    assert sim["norm"] == pytest.approx(math.sqrt(14))
    with pytest.raises(AttributeError):
        b.z
    with pytest.raises(TypeError):
        a * a


def test_rotation_and_drawing():
    m = taut.Builder("A plate on a pivot")
    r = m.rotation("r")
    w, centre = r.omega, r.apply([0, 0, -0.3])
    m.lagrangian((0.10*w.x**2 + 0.11*w.y**2 + 0.02*w.z**2)/2 - 9.81*centre.z)
    m.start({"r": [taut.cos(0.4), taut.sin(0.4), 0, 0], r.omega: [0, 0, 20]})
    m.draw(taut.box(centre, [0.2, 0.2, 0.6], r).colour("blue").label("a {plate}"), taut.ball(taut.origin, 0.02),
           taut.path([[0, 0, 0], centre, [0, 0, 1]]))
    run = m.simulation().run(0.1, 0.001)
    assert run["r"].shape == (101, 4)
    assert np.abs((run["r"]**2).sum(axis=1) - 1).max() < 1e-14
    assert "a {plate}" in run.page()


def test_hamiltonian_free_and_embed():
    m = taut.Builder()
    q = m.point("q", 2)
    p = m.momentum(q)
    m.hamiltonian(taut.norm2(p)/2 - 1/taut.norm(q))
    m.start({q: [1, 0], "p.q": [0, 1.2]})
    assert m.simulation()["p.q"].tolist() == [0, 1.2]
    m = taut.Builder()
    theta, c = m.coordinate("theta"), m.coordinate("c")
    a = m.embed("a", [taut.cos(theta), taut.sin(theta)])
    m.lagrangian(taut.norm2(a.dot)/2 - a.y + c.dot**2/2)
    m.constraint("tied", c - 2*theta)
    m.start({theta: 0.5, c: taut.free(0.9)})
    sim = m.simulation()
    assert sim["c"] == pytest.approx(1, abs=1e-14) and sim["a.x"] == pytest.approx(math.cos(0.5))


def test_errors_name_the_line_of_python():
    m = taut.Builder("wrong")
    a, b = m.point("a", 3), m.point("b", 2)
    line = sys._getframe().f_lineno + 1
    wrong = a - b
    m.lagrangian(taut.norm2(wrong))
    with pytest.raises(taut.TautError) as caught:
        m.finish()
    assert caught.value.file == __file__ and caught.value.line == line
    assert f"{__file__}:{line}:" in str(caught.value)


def test_errors_of_a_simulation_name_the_line_of_python():
    m = taut.Builder("off")
    a = m.point("a", 2)
    m.lagrangian(taut.norm2(a.dot)/2)
    line = sys._getframe().f_lineno + 1
    m.constraint("rod", taut.norm2(a) - 1)
    m.start({a: [2, 0]})
    model = m.finish()
    with pytest.raises(taut.TautError) as caught:
        model.simulation()
    assert (caught.value.file, caught.value.line, caught.value.item) == (__file__, line, "rod")
    sim = model.simulation(start="project")
    with pytest.raises(taut.TautError) as caught:
        sim.set_state(q=[2, 0])
    assert caught.value.line == line


def test_what_python_would_ignore():
    m, other = taut.Builder(), taut.Builder()
    x, y = m.coordinate("x"), other.coordinate("y")
    with pytest.raises(ValueError, match="another model"):
        m.lagrangian(x + y)
    for compare in (lambda: x < 1, lambda: x == y, lambda: bool(x), lambda: float(x), lambda: x != 0):
        with pytest.raises(TypeError):
            compare()
    with pytest.raises(ValueError, match="finite"):
        m.lagrangian(x*math.inf)
    with pytest.raises(TypeError):
        x + "1"
    with pytest.raises(TypeError):
        taut.sin("x")


def test_names_cannot_leave_their_quotes():
    m = taut.Builder('a "title"\\ with [[everything')
    x = m.coordinate("x")
    m.lagrangian(x.dot**2/2)
    m.start({x: 1})
    assert m.finish().title == 'a "title"\\ with [[everything'
    with pytest.raises(taut.TautError, match="cannot be seen"):
        taut.Builder("two\nlines").finish()
    with pytest.raises(taut.TautError):
        n = taut.Builder()
        n.coordinate('x") error("')
        n.finish()


def test_long_sums():
    m = taut.Builder()
    total = 0
    for i in range(5000):
        x = m.coordinate(f"x{i}")
        total = total + x.dot**2/2
        m.start({x: i})
    m.lagrangian(total)
    assert len(m.finish().simulation().names("position")) == 5000
