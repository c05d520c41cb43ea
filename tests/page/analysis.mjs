// Poincare sections and spectra against motions that are known: two oscillators that know nothing of each other, and Henon and Heiles's stars.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { folder, makePage, open, run, settled } from "./browser.mjs";

// x = cos t, y = 0.5 cos(w t + 0.3), w = sqrt 2: by a method of order 6, so that its own error, some 1e-9, is far below what interpolation leaves
const w = Math.SQRT2;
writeFileSync(join(folder, "two.lua"), `title "Two oscillators"
units { time = "s", length = "m", mass = "kg" }
local x, y = coordinate "x", coordinate "y"
lagrangian(x.dot^2/2 - x^2/2 + y.dot^2/2 - y^2)
start { x = 1, ["x.dot"] = 0, y = ${0.5 * Math.cos(0.3)}, ["y.dot"] = ${-0.5 * w * Math.sin(0.3)} }
observe("sum", 3*x + 0.25*y)
`);
let page;
const state = (expression) => page.evaluate(`(() => { const { player, span, near, section, spectra, run } = window.taut; return ${expression}; })()`);
const choose = async (label, name) => page.getByLabel(label, { exact: true }).selectOption(String(await state(`run.find(${JSON.stringify(name)})`)));
const show = () => page.evaluate(() => { window.taut.section.show(); window.taut.spectra.show(); });
const near = (a, b, by, what = "") => assert.ok(Math.abs(a - b) <= by, `${what} ${a} is not ${b} within ${by}`);

await run({
  "a section: times and places of crossings": async () => {
    page = await open(makePage("two", "two.lua", "-m", "lobatto:s=4", "-s", "0.1", "-T", "400"));
    await show();
    await choose("section of", "x");
    await choose("x of the section", "y");
    await choose("y of the section", "y.dot");
    const { t, x, y } = await state("section.points");
    // cos t rises through 0 at 3 pi/2 + 2 pi k
    assert.equal(t.length, Math.floor((400 - 1.5 * Math.PI) / (2 * Math.PI)) + 1);
    for (let k = 0; k < t.length; k++) {
      const exact = 1.5 * Math.PI + 2 * Math.PI * k;
      near(t[k], exact, 1e-6, "time"); // Hermite's cubic: h^4/384 = 2.6e-7; a chord would miss by 1e-4
      near(x[k], 0.5 * Math.cos(w * exact + 0.3), 1.5e-6, "place"); // that, and the error of the time
      near(y[k], -0.5 * w * Math.sin(w * exact + 0.3), 2e-5, "velocity"); // the cubic through four frames: 3 h^4/128 |y'''''|
    }
    assert.equal(await page.locator("#panel-section .value").innerText(), `${t.length} points`);
    assert.deepEqual(await state("section.plot.axes.map((a) => a.label)"), ["y", "y.dot"]);
  },
  "falling, both ways, another level, a part of the run": async () => {
    const count = () => state("section.points.t.length");
    const rising = await count();
    await page.getByLabel("direction of the section").selectOption("both");
    const both = await count();
    await page.getByLabel("direction of the section").selectOption("down");
    assert.equal(both, rising + (await count()));
    near((await state("section.points.t"))[0], Math.PI / 2, 1e-6);
    await page.getByLabel("level of the section").fill("0.5");
    await page.getByLabel("level of the section").press("Enter");
    near((await state("section.points.t"))[0], Math.PI / 3, 1e-6);
    await page.getByLabel("level of the section").fill("1.5");
    await page.getByLabel("level of the section").press("Enter");
    assert.equal(await count(), 0);
    await page.getByLabel("level of the section").fill("0");
    await page.getByLabel("level of the section").press("Enter");
    await page.evaluate(() => window.taut.span.set(100, 200));
    const t = await state("section.points.t");
    assert.ok(t.length === 16 && t[0] > 99.8 && t[15] < 200.2, String(t)); // 100 / 2 pi
    await page.evaluate(() => window.taut.span.reset());
  },
  "a click on a point goes to its time": async () => {
    await page.locator("#panel-section").scrollIntoViewIfNeeded();
    await settled(page);
    const [x, y, t] = await state("[section.plot.valToPos(section.points.x[5], 'x'), section.plot.valToPos(section.points.y[5], 'y'), section.points.t[5]]");
    const box = await page.locator("#panel-section .u-over").boundingBox();
    await page.mouse.click(box.x + x, box.y + y);
    near(await state("run.times[player.row]"), t, 0.11);
  },
  "dragging zooms, a double click shows all": async () => {
    const box = await page.locator("#panel-section .u-over").boundingBox();
    const scale = () => state("[section.plot.scales.x.min, section.plot.scales.x.max]");
    const [low, high] = await scale();
    await page.mouse.move(box.x + box.width / 4, box.y + 30);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2, box.y + 110, { steps: 4 });
    await page.mouse.up();
    await settled(page);
    const [a, b] = await scale();
    near(a, low + (high - low) / 4, 0.02);
    near(b, (low + high) / 2, 0.02);
    await page.mouse.dblclick(box.x + box.width / 2, box.y + 60);
    assert.deepEqual(await scale(), [low, high]);
  },
  "a spectrum: frequencies and amplitudes of its peaks": async () => {
    await choose("spectrum of", "sum");
    const peaks = await state("spectra.peaks");
    const [f1, f2] = [1 / (2 * Math.PI), w / (2 * Math.PI)];
    assert.equal(peaks.length, 2, JSON.stringify(peaks)); // and no side lobe
    near(peaks[0][0], f1, 0.02 / 400, "frequency"); // a fiftieth of the resolution
    near(peaks[1][0], f2, 0.02 / 400, "frequency");
    near(peaks[0][1], 3, 0.01, "amplitude");
    near(peaks[1][1], 0.125, 0.002, "amplitude");
    const said = await page.locator("#panel-spectrum .peak").allInnerTexts();
    assert.deepEqual(said.map((s) => Number.parseFloat(s).toFixed(3)), [f1.toFixed(3), f2.toFixed(3)]);
    assert.match(await page.locator("#panel-spectrum .value").innerText(), /^4\u202f001 frames, \u0394f = 0\.0025 Hz$/);
    assert.deepEqual(await state("spectra.plot.axes.map((a) => a.label)"), ["frequency, Hz", "amplitude"]);
  },
  "of a part, in which the resolution is less": async () => {
    await page.evaluate(() => window.taut.span.set(100, 200));
    near(await state("spectra.result.resolution"), 0.01, 2e-4);
    const peaks = await state("spectra.peaks");
    near(peaks[0][0], 1 / (2 * Math.PI), 0.05 / 100);
    await page.evaluate(() => window.taut.span.reset());
    await page.getByRole("button", { name: "frequencies on a logarithmic scale" }).click();
    assert.equal(await state("spectra.plot.scales.x.distr"), 3);
    await page.locator("#panel-spectrum").scrollIntoViewIfNeeded();
    await settled(page);
    await page.screenshot({ path: "two.png" });
    await page.context().close();
  },
  "frames that are not evenly spaced": async () => {
    // the same sine by frames that wander: interpolated first
    page = await open(join(folder, "two.html"));
    const found = await page.evaluate(() => {
      const rows = 3000;
      const t = Float64Array.from({ length: rows }, (_, i) => 0.1 * (i + 0.4 * Math.sin(i)));
      const { run, spectra } = window.taut;
      run.values(0).value = t; // as the page reads them
      run.values(run.find("x")).value = t.map((s) => 2 * Math.sin(3 * s));
      run.values(run.find("x.dot")).value = t.map((s) => 6 * Math.cos(3 * s));
      run.header.rows = rows;
      window.taut.span.min = t[0];
      window.taut.span.max = t[rows - 1];
      spectra.column = run.find("x");
      spectra.show();
      spectra.update();
      return spectra.peaks;
    });
    near(found[0][0], 3 / (2 * Math.PI), 0.02 / 300);
    near(found[0][1], 2, 0.01);
    assert.ok(found.length === 1 || found[1][1] < 1e-3, JSON.stringify(found));
    await page.context().close();
  },
  "Henon and Heiles's stars: hundreds of points, within what the energy allows": async () => {
    page = await open(makePage("stars", "henon-heiles.lua", "-m", "lobatto:s=3", "-s", "0.1", "-T", "4000"));
    await show();
    const [n, energy] = await state("[section.points.t.length, run.columns[run.find('energy')].first]");
    assert.ok(n > 300, String(n));
    // in the section y = 0 the energy is x.dot^2/2 + y.dot^2/2 + x^2/2
    const most = await state("Math.max(...section.points.x.map((x, i) => section.points.y[i] ** 2 / 2 + x ** 2 / 2))");
    assert.ok(most <= energy * (1 + 1e-4) && most > 0.8 * energy, `${most} ${energy}`);
    await page.locator("#panel-section").scrollIntoViewIfNeeded();
    await settled(page);
    await page.screenshot({ path: "stars.png" });
    await page.context().close();
  },
  "a long run: sections and spectra of all of it": async () => {
    // 150,001 frames, of which the plots have the first 3,000 and then the least and greatest of many
    page = await open(makePage("long", "two.lua", "-m", "lobatto:s=4", "-s", "0.01", "-T", "1500"));
    assert.ok((await state("run.header.bucket")) > 1);
    await show();
    await choose("section of", "x");
    await choose("x of the section", "y");
    await choose("y of the section", "y.dot");
    const { t, x } = await state("section.points");
    assert.equal(t.length, Math.floor((1500 - 1.5 * Math.PI) / (2 * Math.PI)) + 1);
    for (let k = 0; k < t.length; k++) {
      const exact = 1.5 * Math.PI + 2 * Math.PI * k;
      near(t[k], exact, 1e-7, "time"); // the method's error, some 1e-9
      near(x[k], 0.5 * Math.cos(w * exact + 0.3), 1e-7, "place");
    }
    assert.equal(await page.locator("#panel-section .value").innerText(), `${t.length} points`);
    await choose("spectrum of", "y");
    assert.match(await page.locator("#panel-spectrum .value").innerText(), /^150\u202f001 frames, /);
    near((await state("spectra.peaks"))[0][0], w / (2 * Math.PI), 0.02 / 1500, "frequency");
    // a column that is not there frame by frame, and one of the section: the first frames
    await choose("spectrum of", "sum");
    assert.match(await page.locator("#panel-spectrum .value").innerText(), /^3\u202f000 frames, /);
    await choose("x of the section", "sum");
    assert.match(await page.locator("#panel-section .value").innerText(), /^\d+ points of the first 3\u202f000 frames$/);
    assert.ok(await state("section.points.t.every((t) => t < 30)"));
    // zoomed
    await choose("x of the section", "y");
    await page.evaluate(() => window.taut.span.set(1000, 1200));
    assert.ok(await state("section.points.t.length === 32 && section.points.t.every((t) => t >= 999.9 && t <= 1200.1)")); // 200 / 2 pi
    await page.context().close();
  },
  "a run that is longer still says of which frames its section is": async () => {
    // 300,001 frames of time, two coordinates and two velocities are more than 1,200,000 numbers
    page = await open(makePage("longer", "two.lua", "-m", "rattle", "-s", "0.01", "-T", "3000"));
    await show();
    assert.match(await page.locator("#panel-section .value").innerText(), /^\d+ points of the first 240\u202f000 frames$/);
    assert.ok(await state("Math.max(...section.points.t) > 2390 && Math.max(...section.points.t) < 2400"));
    await page.context().close();
  },
  "one coordinate has no section, and a spectrum": async () => {
    writeFileSync(join(folder, "one.lua"), 'local x = coordinate "x"\nlagrangian(x.dot^2/2 - x^2/2)\nstart { x = 1 }\n');
    page = await open(makePage("one", "one.lua", "-T", "20"));
    assert.equal(await page.locator("#panel-section").count(), 0);
    assert.equal(await page.locator("#panel-spectrum").count(), 1);
    await page.context().close();
  },
});
