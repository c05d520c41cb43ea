"""State, params, inputs, copies, callbacks, interrupts, matrices."""
import copy
import gc
import os
import pickle
import signal
import threading
import time
import weakref

import numpy as np
import pytest

import taut
from conftest import CART, PENDULUM


def test_run_without_copies(pendulum):
    run = pendulum.run(1, 0.01, every=7)
    assert run.rows.flags["C_CONTIGUOUS"] and run.rows.flags["OWNDATA"]
    for values in (run.t, run["a"], run["a.dot"], run["p.a"], run["lambda.rod"], run.energy):
        assert values.base is run.rows
    assert run.t[0] == 0 and run.t[-1] == 1 and len(run) == 16
    assert run["a.dot"].shape == (16, 2) and run["pull"].shape == (16,)
    with pytest.raises(KeyError, match="energy"):
        run["enrgy"]


def test_some_columns(pendulum):
    other = pendulum.copy()
    few = pendulum.run(1, columns=["energy", "a"])
    assert few.columns == ("t", "energy", "a.x", "a.y")
    everything = other.run(1)
    assert (few["a"] == everything["a"]).all() and (few.energy == everything.energy).all()


def test_run_continues(pendulum):
    whole = pendulum.copy().run(1)
    first, second = pendulum.run(0.5), pendulum.run(1)
    # the step to t = 0.5 ends there, not at 50 times 0.01: a rounding error apart
    assert np.abs(np.concatenate([first["a"], second["a"][1:]]) - whole["a"]).max() < 1e-12
    with pytest.raises(taut.TautError):
        pendulum.run(0.5)


def test_failure_has_time_and_frames():
    sim = taut.loads("""
    local a = point("a", 2)
    lagrangian(norm2(a.dot)/2)
    constraint("circle", norm2(a) - (1 - time()))
    start { a = {1, 0}, ["a.dot"] = {-0.5, 0} }""").simulation()
    with pytest.raises(taut.TautError) as caught:
        sim.run(3, 0.01)  # the circle shrinks to a point at t = 1, and then there is none
    error = caught.value
    assert error.status in (taut.Status.NO_CONVERGENCE, taut.Status.SINGULAR, taut.Status.NOT_FINITE)
    assert 0.9 < error.time <= 1.01
    assert error.run is not None and 90 < len(error.run) < 103 and error.run.stopped
    assert np.isfinite(error.run["a"]).all()


def test_state(pendulum):
    pendulum.run(0.5)
    saved = pendulum.state
    assert saved.t == 0.5 and saved.q.shape == (2,)
    pendulum.run(1)
    pendulum.state = saved
    assert pendulum.t == 0.5 and np.allclose(pendulum.q, saved.q, rtol=0, atol=1e-14)
    pendulum.set_state(0, q={"a": [0.6, -0.8]}, v={"a.dot": [0.8, 0.6]})
    assert pendulum.t == 0 and pendulum["a"].tolist() == [0.6, -0.8]
    pendulum.set_state(q=[0.7, -0.8], v=[1, 1], how="project")
    assert abs(pendulum["constraint"]) < 1e-14
    with pytest.raises(taut.TautError) as caught:
        pendulum.set_state(q=[0.7, -0.8])
    assert caught.value.item == "rod"
    with pytest.raises(ValueError):
        pendulum.set_state(q=[1, 2, 3])
    with pytest.raises(ValueError):
        pendulum.set_state(v=[0, 0], p=[0, 0])
    with pytest.raises(ValueError, match="strict"):
        pendulum.set_state(how="anyhow")


def test_params(pendulum):
    pendulum.run(0.5)
    pendulum.params["g"] = 1.62
    assert pendulum.t == 0
    assert (pendulum.run(1)["a"] == taut.loads(PENDULUM, g=1.62).simulation().run(1)["a"]).all()
    pendulum.params.update(g=2, l=3)
    assert dict(pendulum.params) == {"g": 2, "l": 3} and pendulum["a"].tolist() == [3, 0]
    with pytest.raises(KeyError, match="g, l"):
        pendulum.params["m"] = 1
    with pytest.raises(taut.TautError):
        pendulum.params["l"] = float("nan")
    assert pendulum.params["l"] == 3
    with pytest.raises(TypeError):
        del pendulum.params["g"]


def test_inputs(cart):
    cart.inputs["u"] = 2
    cart.step(0.01)
    assert cart.inputs["u"] == 2 and cart["x.dot"] > 0
    with pytest.raises(KeyError):
        cart.inputs["v"]


def test_kick(pendulum):
    pendulum.kick({"a": [1, 2]})
    assert pendulum["a.dot"].tolist() == pytest.approx([0, 2], abs=1e-14)  # the rod takes what is along it
    pendulum.kick([0, -2])
    assert pendulum["a.dot"].tolist() == pytest.approx([0, 0], abs=1e-14)


def test_copy_and_pickle_go_on_with_the_same_bits(pendulum):
    pendulum.params["g"] = 5
    pendulum.run(0.3)
    others = [pendulum.copy(), copy.deepcopy(pendulum), pickle.loads(pickle.dumps(pendulum))]
    expected = pendulum.run(1)["a"]
    for other in others:
        assert other.t == 0.3 and (other.run(1)["a"] == expected).all()


def test_save_and_restore(pendulum):
    pendulum.run(0.3)
    saved = pendulum.save()
    expected = pendulum.run(1)["a"]
    pendulum.params["g"] = 3
    pendulum.restore(saved)
    assert pendulum.params["g"] == 9.81 and (pendulum.run(1)["a"] == expected).all()
    pendulum.restart()
    assert pendulum.t == 0
    with pytest.raises(taut.TautError):
        pendulum.restore(b"nonsense")
    with pytest.raises(taut.TautError):
        taut.loads(CART).simulation().restore(saved)


def test_quad():
    sim = taut.loads(PENDULUM).simulation(precision="quad")
    sim.run(0.1)
    high, low = sim.digits("a.x")
    assert high == sim["a.x"] and 0 < abs(low) < abs(high)*2**-52


def test_options_are_checked():
    model = taut.loads(PENDULUM)
    for wrong in ({"start": "loose"}, {"native": "maybe"}):
        with pytest.raises(ValueError):
            model.simulation(**wrong)
    for wrong in ({"method": "none"}, {"precision": "half"}, {"threads": -1}):
        with pytest.raises(taut.TautError):
            model.simulation(**wrong)
    assert model.simulation(time=5).t == 5


# ---- callbacks ----

def riccati(a, b, q, r, rounds=3000):
    p = np.zeros_like(a)
    for _ in range(rounds):
        gain = np.linalg.solve(r + b.T @ p @ b, b.T @ p @ a)
        p = q + a.T @ p @ (a - b @ gain)
    return gain


def test_lqr(cart):
    a, b = cart.linearise(0.01)
    assert a.shape == (4, 4) and b.shape == (4, 1)
    gain = riccati(a, b, np.diag([10, 100, 1, 1.0]), np.array([[0.1]]))
    cart.set_state(0, q={"a": 0.3})
    seen = []
    run = cart.run(6, 0.01, control=lambda sim: -gain @ np.concatenate([sim.q, sim.p]),
                   observe=lambda sim: seen.append(sim.inputs["u"]))
    assert abs(run["a"][-1]) < 0.01 and len(seen) == 600 and seen[0] != 0


def test_control_by_name_and_stop(cart):
    assert cart.run(1, control=lambda sim: {"u": 1.0})["x.dot"][-1] > 0.4
    cart.restart()
    run = cart.run(1, observe=lambda sim: taut.STOP if sim.t > 0.495 else None)
    assert run.stopped and len(run) == 51 and cart.t == pytest.approx(0.5)
    cart.restart()
    assert len(cart.run(1, control=lambda sim: taut.STOP)) == 1
    with pytest.raises(ValueError, match="1 inputs"):
        cart.run(1, control=lambda sim: [1, 2])


@pytest.mark.parametrize("which", ["control", "observe"])
def test_an_exception_is_raised_after_a_whole_step(pendulum, which):
    twin = pendulum.copy()

    def fail(sim):
        if sim.t > 0.295:
            raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        pendulum.run(1, **{which: fail})
    assert pendulum.t == pytest.approx(0.3)
    whole = twin.run(1)
    assert (pendulum.q == whole["a"][30]).all()
    assert np.abs(pendulum.run(1)["a"][-1] - whole["a"][-1]).max() < 1e-12  # goes on


def test_a_callback_may_not_run(pendulum):
    for call in (lambda sim: sim.step(0.1), lambda sim: sim.run(5), lambda sim: sim.params.update(g=1),
                 lambda sim: sim.restart(), lambda sim: sim.linearise(0.1)):
        with pytest.raises(taut.TautError, match="callback"):
            pendulum.run(1, observe=call)
    pendulum.run(2, observe=lambda sim: sim.copy().run(sim.t + 0.01))  # a copy may


@pytest.fixture
def ctrl_c():
    """Python's own handler; a shell may have started us in the background, where SIGINT is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_ctrl_c(pendulum, ctrl_c):
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    before = signal.getsignal(signal.SIGINT)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        pendulum.run(1e6, 0.01, every=10**9)
        time.sleep(5)  # had the run been over before
    timer.join()
    assert 0 < pendulum.t < 1e6
    assert signal.getsignal(signal.SIGINT) is before
    pendulum.run(pendulum.t + 1)


def test_ctrl_c_in_a_callback(pendulum, ctrl_c):
    def interrupt(sim):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(1)

    with pytest.raises(KeyboardInterrupt):
        pendulum.run(1, observe=interrupt)
    assert pendulum.t == pytest.approx(0.01)


def test_ctrl_c_in_an_ensemble(pendulum, ctrl_c):
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        taut.ensemble(pendulum, 1e6, 0.01, every=10**9, g=[1, 2], threads=2)
        time.sleep(5)
    timer.join()


def test_an_ignored_signal_stays_ignored(pendulum, ctrl_c):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    assert not pendulum.run(1, observe=lambda sim: os.kill(os.getpid(), signal.SIGINT)).stopped


def test_the_gil_is_free_while_stepping(pendulum):
    done = []

    def work():
        pendulum.run(2000, 0.01, every=10**9)
        done.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    turns = 0
    while not done:
        turns += 1  # with the GIL held, there would be one or two turns
        time.sleep(0)
    thread.join()
    assert turns > 10


def test_two_threads_wait_for_each_other(pendulum):
    expected = pendulum.copy()
    expected.run(2)
    threads = [threading.Thread(target=lambda: [pendulum.step(0.01) for _ in range(100)]) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert pendulum.t == pytest.approx(2) and np.allclose(pendulum.q, expected.q, rtol=0, atol=1e-12)


# ---- others ----

def test_events(ball):
    run = ball.run(1, 0.01)
    impacts = run.events[run.events["kind"] == "impact"]
    # sqrt(2/9.81); then half of the speed, up and down again; the step finds them to round-off
    fall = (2/9.81)**0.5
    assert impacts["time"][:2] == pytest.approx([fall, 2*fall], abs=1e-12)
    assert set(impacts["contact"]) == {"floor"} and (impacts["impulse"] > 0).all()


def test_matrices(pendulum):
    assert (pendulum.mass_matrix() == np.eye(2)).all()
    assert pendulum.jacobian().tolist() == [[2, 0]]
    assert pendulum.work.steps == 0
    pendulum.step(0.01)
    assert pendulum.work.steps == 1
    with pytest.raises(ValueError):
        pendulum.names("colour")


def test_flow(pendulum):
    exact, rough = pendulum.copy(), pendulum.copy()
    exact.flow(1)
    rough.run(1, 0.001)
    assert np.abs(exact.q - rough.q).max() < 1e-5  # of order h^2


def test_lifetimes():
    sim = taut.loads(PENDULUM).simulation()
    gc.collect()
    other = sim.copy()
    del sim
    gc.collect()
    run = other.run(1)
    values = run["a"]
    del other, run
    gc.collect()
    assert values.shape == (101, 2) and np.isfinite(values).all()


def test_memory_is_given_back_at_once():
    sim = taut.loads(PENDULUM).simulation()
    sim.run(1, observe=lambda sim: None)
    sim.params["g"] = 1
    gc.collect()
    gc.disable()
    try:
        there = weakref.ref(sim)
        del sim
        assert there() is None
    finally:
        gc.enable()


def test_runs_and_errors_travel(pendulum):
    run = pickle.loads(pickle.dumps(pendulum.run(1)))
    assert (run["a"][-1] == pendulum["a"]).all() and run.columns[0] == "t"
    with pytest.raises(taut.TautError) as caught:
        pendulum.run(0)
    error = pickle.loads(pickle.dumps(caught.value))
    assert error.status is taut.Status.BAD_USAGE and str(error) == str(caught.value)


def test_back_in_time(pendulum):
    pendulum.run(1)
    run = pendulum.run(0, -0.01)
    assert run.t[-1] == 0 and np.abs(run["a"][-1] - [1, 0]).max() < 1e-10  # rattle is reversible


# ---- ensembles ----

def test_ensemble_of_params(pendulum):
    pendulum.run(0.5)
    g = np.linspace(1, 10, 5)
    ens = taut.ensemble(pendulum, 1, g=g, threads=2)
    assert ens["a"].shape == (5, 101, 2) and ens.t.shape == (5, 101) and not ens.statuses.any()
    assert ens["a"].base is ens.rows
    for i, value in enumerate(g):
        assert (ens["a"][i] == taut.loads(PENDULUM, g=value).simulation().run(1)["a"]).all()
    assert pendulum.t == 0.5


def test_ensemble_of_starts(pendulum):
    speed = np.array([0, 1, 2.0])
    ens = taut.ensemble(pendulum, 1, vary={"a.y.dot": speed}, columns=["a"])
    assert ens.columns == ("t", "a.x", "a.y") and len(ens) == 3
    pendulum.set_state(v={"a.dot": [0, 2]})
    assert (pendulum.run(1)["a"] == ens["a"][2]).all()
    both = taut.ensemble(pendulum, 1.1, vary={"a": [[1, 0], [0, -1]], "a.dot": [[0, 0], [1, 0]]})
    assert both["a"][:, 0].tolist() == [[1, 0], [0, -1]]


def test_ensemble_with_failures(pendulum):
    with pytest.raises(taut.TautError) as caught:
        taut.ensemble(pendulum, 1, vary={"a.x": [1, 2, 1]})
    assert caught.value.ensemble.statuses.tolist() == [0, taut.Status.BAD_MODEL, 0]
    ens = taut.ensemble(pendulum, 1, vary={"a.x": [1, 2, 1]}, failures="keep")
    assert np.isnan(ens["a"][1]).all() and np.isfinite(ens["a"][[0, 2]]).all()
    for wrong in ({}, {"g": 1, "failures": "ignore"}, {"g": [[1, 2]]}):
        with pytest.raises(ValueError):
            taut.ensemble(pendulum, 1, **wrong)
    with pytest.raises(KeyError):
        taut.ensemble(pendulum, 1, m=[1])
    with pytest.raises(taut.TautError):
        taut.ensemble(pendulum, -1, g=[1, 2], failures="keep")


def test_progress():
    sim, parts, seen = taut.loads(PENDULUM).simulation(), [], []
    plain = taut.loads(PENDULUM).simulation().run(2, 0.01)
    run = sim.run(2, 0.01, progress=parts.append, observe=lambda sim: seen.append(sim.t))
    assert (run.rows == plain.rows).all() and len(seen) == 200
    assert parts[-1] == 1 and all(0 <= part <= 1 for part in parts) and parts == sorted(parts)


def test_events_of_a_step():
    text = "local y = coordinate 'y'; lagrangian(y.dot^2/2 - 10*y); contact('floor', y, {restitution = 0.5})"
    ball = taut.loads(text + "start { y = 1 }").simulation()
    assert ball.step(0.1) == []
    events = ball.step(0.4)
    assert [(event.contact, event.kind) for event in events] == [("floor", "impact")]
    assert events[0].impulse == pytest.approx(1.5*20**0.5)
    assert taut.loads(PENDULUM).simulation().step(0.1) == []


def test_ensemble_by_laws(pendulum):
    ens = taut.ensemble(pendulum, 0.5, 0.01, g="uniform(1,10)", members=40, at=[0.2, 0.5], columns=["a", "energy"],
                        stats=True, every=10, seed=4, threads=2)
    assert ens.columns == ("t", "a.x", "a.y", "energy") and ens["a"].shape == (40, 2, 2)
    assert ens.t[3].tolist() == [0.2, 0.5] and ens.varied["g"].shape == (40,) and not ens.statuses.any()
    one = pendulum.copy()  # to the bit
    one.params["g"] = ens.varied["g"][17]
    run = one.run(0.6, 0.01)  # further: the last step of a run ends at its end, whatever the rounding of t
    assert run["a"][20].tolist() == ens["a"][17, 0].tolist() and run["a"][50].tolist() == ens["a"][17, 1].tolist()
    found = ens.stats["a.x"]
    assert found.t.tolist() == [0, 0.1, 0.2, 0.3, 0.4, 0.5] and found.count.tolist() == [40] * 6
    assert found.mean[5] == pytest.approx(ens["a.x"][:, 1].mean(), abs=1e-14)
    assert found.quantiles[5, 2] == pytest.approx(np.median(ens["a.x"][:, 1]), abs=1e-14)
    assert found.histogram[5].sum() == 40 and found.lowest[5] == ens["a.x"][:, 1].min()
    again = taut.ensemble(pendulum, 0.5, 0.01, g="uniform(1,10)", members=3, first=17, at=[0.2, 0.5], seed=4,
                          columns=["a", "energy"], on="interpreter")
    assert np.array_equal(again.rows, ens.rows[17:20]) and again.on == "interpreter"


def test_ensemble_of_values_from_the_start(pendulum, tmp_path):
    done = []
    ens = taut.ensemble(pendulum, 0.1, 0.01, vary={"a": [[1, 0.1], [0, -1], [0.5, 0]], "a.x.dot": 0.1},
                        g="uniform(1,2)", lyapunov=True, progress=done.append)
    assert ens["lyapunov"].shape == (3, 1) and done[-1] == 1 and np.isfinite(ens["lyapunov"]).all()
    assert np.allclose((ens["a"]**2).sum(axis=-1), 1)  # moved onto the rod
    with pytest.raises(taut.TautError, match="member 0: ") as caught:
        taut.ensemble(pendulum, 0.1, 0.01, vary={"a.x": [0.5, 1]}, start="strict")
    assert caught.value.ensemble.statuses.tolist() == [taut.Status.BAD_MODEL, 0]
    kept = taut.ensemble(pendulum, 0.1, 0.01, vary={"a.x": [0.5, 1]}, start="strict", failures="keep").failures
    assert [failure.member for failure in kept] == [0] and kept[0].time == 0 and kept[0].reason
    path = tmp_path / "sweep.taut"
    taut.ensemble(pendulum, 0.1, 0.01, g=[1, 2.5], file=path)
    assert taut.open(path)["g"].tolist() == [1, 2.5]
    for wrong in ({"g": "uniform(1)", "members": 2}, {"g": "uniform(1,2)"}, {"g": [1], "on": "abacus"}):
        with pytest.raises(taut.TautError):
            taut.ensemble(pendulum, 1, **wrong)
    with pytest.raises(ValueError):
        taut.ensemble(pendulum, 1, g=[1], stats=["mode"])
    pendulum.run(0.1)
    with pytest.raises(ValueError, match="not at its start"):
        taut.ensemble(pendulum, 1, g="uniform(1,2)", members=3)


def test_an_exception_in_the_progress_of_an_ensemble(pendulum):
    def fails(part):
        raise LookupError(part)

    with pytest.raises(LookupError):
        taut.ensemble(pendulum, 0.1, g="uniform(1,2)", members=3, progress=fails)


def test_ctrl_c_in_an_ensemble_of_laws(pendulum, ctrl_c):
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        taut.ensemble(pendulum, 100, 0.01, columns=[], g="uniform(1,10)", members=10**6, threads=2)
        time.sleep(5)
    timer.join()
