"""Functions in Python in the equations of motion."""
import pickle

import numpy as np
import pytest

import taut

TEXT = "local a = point('a', 2); lagrangian(norm2(a.dot)/2 - {}); start {{ a = {{1, 0.5}}, ['a.dot'] = {{0, 0.3}} }}"


def value(x):
    return x[0]**2*x[1] + x[1]**3/3 + x @ x


def gradient(x):
    return np.array([2*x[0]*x[1], x[0]**2 + x[1]**2]) + 2*x


def hessian(x):
    return np.array([[2*x[1], 2*x[0]], [2*x[0], 2*x[1]]]) + 2*np.eye(2)


def cubic():
    return taut.Function(value, 2, gradient=gradient, hessian=hessian)


@pytest.mark.parametrize("method", ["rattle", "lobatto:s=3"])
def test_as_the_formula(method):
    formula = taut.loads(TEXT.format("(a.x^2*a.y + a.y^3/3 + a.x^2 + a.y^2)")).simulation(method).run(1)
    called = taut.loads(TEXT.format("call('cubic', a)"), functions={"cubic": cubic()}).simulation(method).run(1)
    assert np.abs(called["a"] - formula["a"]).max() < 1e-12


def test_an_exception_is_the_cause():
    fails = []

    def refuse(x):
        if fails:
            raise KeyError("nothing there")
        return value(x)

    functions = {"f": taut.Function(refuse, 2, gradient=gradient)}
    sim = taut.loads(TEXT.format("call('f', a)"), functions=functions).simulation()
    sim.step(0.01)
    before = sim.q
    fails.append(1)
    with pytest.raises(taut.TautError) as caught:
        sim.run(1, 0.01)
    assert caught.value.status is taut.Status.REFUSED
    assert caught.value.item == "f" and caught.value.time == pytest.approx(0.01, abs=0.02)
    assert isinstance(caught.value.__cause__, KeyError)
    fails.clear()
    assert (sim.q == before).all()
    sim.run(0.1, 0.01)


def test_not_a_number():
    function = taut.Function(lambda x: np.nan, 2, gradient=gradient)
    with pytest.raises(taut.TautError) as caught:
        taut.loads(TEXT.format("call('f', a)"), functions={"f": function}).simulation()
    assert caught.value.status is taut.Status.NOT_FINITE and caught.value.item == "f"


def test_missing():
    with pytest.raises(taut.TautError, match="no function 'f'"):
        taut.loads(TEXT.format("call('f', a)"))
    with pytest.raises(taut.TautError, match="order 1"):
        taut.loads(TEXT.format("call('f', a)"), functions={"f": taut.Function(value, 2)})
    with pytest.raises(ValueError):
        taut.Function(value, 2, hessian=hessian)


def test_pickle_copies_and_ensembles():
    sim = pickle.loads(pickle.dumps(taut.loads(TEXT.format("call('f', a)"), functions={"f": cubic()}))).simulation()
    ens = taut.ensemble(sim, 0.2, 0.01, vary={"a.x": [1, 1.1, 1.2]}, threads=2)
    run = sim.copy().run(0.2, 0.01)
    assert (ens["a"][0] == run["a"]).all()


def test_builder():
    m = taut.Builder()
    x, f = m.coordinate("x"), taut.Function(lambda x: x[0]**2, 1)
    m.lagrangian(x.dot**2/2)
    m.force(x, -m.call("f", f, x.dot))
    m.start({"x": 0, "x.dot": 1})
    run = m.simulation().run(1, 0.001)
    assert run["x"][-1] == pytest.approx(np.log(2), abs=1e-6)     # x' = 1/(1 + t)
    with pytest.raises(ValueError):
        m.call("f", cubic(), x, x)


@pytest.mark.parametrize("use", [lambda sim: sim.step(0.01), lambda sim: sim.run(1), lambda sim: sim["x"],
                                 lambda sim: sim.restart(), lambda sim: sim.set_state(sim.t, [1])])
@pytest.mark.parametrize("threads", [1, 2])
def test_function_uses_its_own_simulation(use, threads):
    m, box, depth = taut.Builder(), [], []
    x = m.coordinate("x")

    def force(v):
        assert len(depth) < 2, "it is called by what it calls"
        if box:
            depth.append(None)
            try:
                use(box[0])
            finally:
                depth.pop()
        return -v[0]

    m.lagrangian(x.dot**2/2)
    m.force(x, m.call("f", taut.Function(force, 1), x))
    m.start({"x": 1})
    sim = m.finish().simulation(threads=threads)
    box.append(sim)
    with pytest.raises(taut.TautError) as caught:
        sim.step(0.01)
    assert caught.value.status is taut.Status.REFUSED
    assert isinstance(caught.value.__cause__, taut.TautError) and "function of" in str(caught.value.__cause__)


def test_strings_end_where_they_end():
    text = TEXT.format("0")
    model = taut.loads(text)
    for call in (lambda: model.simulation("rattle\0, or so"), lambda: taut.loads(text, "a\0b"),
                 lambda: model.simulation(precision="double\0"), lambda: taut.loads(text, **{"m\0": 1}),
                 lambda: taut.load("no\0such.lua"), lambda: taut.open("no\0such.taut"),
                 lambda: taut.loads(text, functions={"f\0": cubic()}),
                 lambda: model.simulation().run(1, file="a\0b.taut")):
        with pytest.raises(ValueError, match="NUL"):
            call()


def test_every_is_a_number_of_steps():
    sim = taut.loads(TEXT.format("0")).simulation()
    for every in (0, -1):
        with pytest.raises(ValueError, match="at least 1"):
            sim.run(1, every=every)
        with pytest.raises(ValueError, match="at least 1"):
            taut.ensemble(sim, 1, vary={"a.x": [1, 1.1]}, every=every)
    assert sim.t == 0
