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
