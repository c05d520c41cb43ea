"""Run files, tables, notebooks."""
import pytest

import taut


def test_open(pendulum, tmp_path):
    path = tmp_path / "run.taut"
    run = pendulum.run(1, 0.01, every=10, file=path)
    again = taut.open(path)
    assert again.columns == run.columns and (again.rows == run.rows).all()
    assert again.properties["title"] == "A pendulum" and again.properties["status"] == "finished"
    assert not again.stopped and repr(again) == "<taut.Run 'A pendulum': 11 frames, t = 0 .. 1>"
    some = taut.open(path, ["a"], first=2, count=3)
    assert some.columns == ("t", "a.x", "a.y") and (some["a"] == run["a"][2:5]).all()
    with pytest.raises(taut.TautError) as caught:
        taut.open(tmp_path / "no.taut")
    assert caught.value.status is taut.Status.CANNOT_READ
    with pytest.raises(taut.TautError):
        pendulum.copy().run(2, file=path)
    pendulum.restart()
    with pytest.raises(taut.TautError):
        pendulum.run(2, file=path)
    pendulum.restart()
    pendulum.run(2, file=path, replace=True)
    assert taut.open(path).t[-1] == 2


def test_events_of_a_file(ball, tmp_path):
    run = ball.run(1.2, file=tmp_path / "ball.taut")
    again = taut.open(tmp_path / "ball.taut")
    assert len(run.events) > 2 and (again.events["time"] == run.events["time"]).all()
    assert (again.events["kind"] == run.events["kind"]).all()


def test_page(pendulum, tmp_path):
    recorded = pendulum.run(1, 0.01, file=tmp_path / "run.taut").page()
    pendulum.restart()
    computed = pendulum.run(1, 0.01).show()
    for page in (recorded, computed.html):
        assert page.lstrip().lower().startswith("<!doctype html") and "A pendulum" in page
    assert computed._repr_html_().startswith("<iframe srcdoc=")
    with pytest.raises(ValueError, match="file="):
        pendulum.run(2).show()  # it did not begin at the start


def test_tables_in_notebooks(pendulum, cart, ball):
    for sim in (pendulum, cart, ball):
        assert sim.model.title in sim._repr_html_()
        assert "frames" in sim.run(0.1)._repr_html_()
    assert "<svg" in pendulum._repr_html_() and "params" in pendulum._repr_html_()


def test_pandas(pendulum):
    pytest.importorskip("pandas")
    run = pendulum.run(1)
    table = run.to_pandas()
    assert table.index.name == "t" and (table["a.x"].to_numpy() == run["a.x"]).all()


def test_xarray(pendulum):
    pytest.importorskip("xarray")
    run = pendulum.run(1)
    data = run.to_xarray()
    assert data["a"].dims == ("t", "xy") and (data["a"].sel(xy="y").to_numpy() == run["a.y"]).all()
    assert data["a.dot"].shape == (101, 2) and (data["energy"].to_numpy() == run.energy).all()
    assert data["lambda.rod"].dims == ("t",)


def test_plot(pendulum):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as pyplot

    run = pendulum.run(1)
    axes = run.plot("a", "energy")
    assert [line.get_label() for line in axes.lines] == ["a.x", "a.y", "energy"]
    assert (axes.lines[1].get_ydata() == run["a.y"]).all()
    pyplot.close("all")
    assert len(run.plot().lines) == 1
    pyplot.close("all")
