// The first five seconds: the page moves, says what it is and how it went; axes have units; shapes; links, pictures, numbers to take away.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { call, colours, folder, makePage, models, open, readFrames, row, run, settled, taut } from "./browser.mjs";

let page;
const state = (expression) => page.evaluate(`(() => { const { player, span, near, panels, phase, view, run } = window.taut; return ${expression}; })()`);
const path = makePage("opening", "double-spherical-pendulum.lua", "-s", "0.01", "-T", "20");
const download = async (button) => {
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: button }).click()]);
  await file.saveAs(join(folder, file.suggestedFilename()));
  return [file.suggestedFilename(), readFileSync(join(folder, file.suggestedFilename()))];
};

writeFileSync(join(folder, "part.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 1 3 4\nf 2 3 4\n");
writeFileSync(join(folder, "shapes.lua"), `-- Every kind of shape: for a test. And a second sentence.
title "Shapes"
units { length = "m", time = "s", mass = "kg" }
local a, b, c, r = point "a", point "b", point "c", rotation "r"
lagrangian((norm2(a.dot) + norm2(b.dot) + norm2(c.dot))/2 + norm2(r.omega)/2 - 9.81*(a.z + b.z))
local lambda = constraint("rod", (norm2(a) - 1)/2)
constraint("second", norm2(b - a) - 1)
start { a = {1, 0, 0}, b = {1, 1, 0}, c = {-1, 0.5, 0}, r = {1, 0, 0, 0}, ["r.omega"] = {1, 2, 0} }
draw { ground(-2.4), cylinder(origin, a, 0.04):colour "green", capsule(a, b, 0.05):label "rod", ball(b, 0.12):colour("#aa2244"):label "bob",
  arrow(a, -lambda*a):label "tension", arrow(b, b.dot, 0.1):colour "purple", plane({-1.5, 0, 0}, {1, 0, 0.3}):colour "yellow", spring({-1, -1, 0}, b),
  box({0, -1.5, 0}, {3, 0.4, 0.2}, r):colour "sky", disc(c, {0.3, 0.1}, r), mesh(c, "part.obj", r, 0.5):colour "brown", mesh(c, "gone.stl", r) }
`);

await run({
  "it moves when it is opened": async () => {
    page = await open(path, { motion: "no-preference" });
    await page.waitForFunction(() => window.taut.player.row > 5);
    await page.context().close();
  },
  "not for those who want no motion, and not when a moment is asked for": async () => {
    page = await open(path);
    await page.waitForTimeout(300);
    assert.deepEqual([await row(page), await state("player.playing")], [0, false]);
    await page.context().close();
    page = await open(path, { motion: "no-preference", hash: "#t=3" });
    await page.waitForTimeout(300);
    assert.deepEqual([await row(page), await state("player.playing")], [300, false]);
    await page.context().close();
  },
  "what it is, and how it went, in words": async () => {
    page = await open(path);
    const source = readFileSync(join(models, "double-spherical-pendulum.lua"), "utf8");
    const said = await page.locator(".lead").innerText();
    assert.ok(said.length > 10 && source.replace(/\n-- /g, " ").includes(said), said);
    const verdict = await page.locator(".verdict").innerText();
    assert.match(verdict, /^Energy within [\d.]+ %; constraints kept to \d\u00d710\u207b\u00b9\S+; momenta kept to round-off\.$/);
    // in percent of the largest energy there is, kinetic or total
    const { names, rows } = readFrames("opening");
    const column = (name) => rows.map((r) => r[names.indexOf(name)]);
    const energy = column("energy");
    const velocities = names.filter((n) => n.endsWith(".dot"));
    const kinetic = rows.map((r) => velocities.reduce((sum, n) => sum + (r[names.indexOf(n)] * r[names.indexOf(`p.${n.slice(0, -4)}`)]) / 2, 0));
    const watched = await state("run.watched('energy')");
    const off = Math.max(-watched.down, watched.up);
    const wanted = (100 * off) / Math.max(Math.abs(energy[0]), Math.max(...kinetic) - off);
    assert.equal(Number(verdict.match(/within ([\d.]+) %/)[1]), Number(wanted.toPrecision(1)));
    const shown = await page.locator("#panel-budget .chip", { hasText: "kinetic" }).count();
    assert.equal(shown, 1);
  },
  "a drift is one where the run is long enough to tell": async () => {
    const words = async (name, ...parameters) => {
      const other = await open(makePage(name, ...parameters));
      const text = await other.locator(".verdict").innerText();
      await other.context().close();
      return text;
    };
    for (const until of ["2", "3", "10"]) assert.match(await words("short", "pendulum.lua", "-T", until), /^Energy within [\d.]+ %; /);
    assert.match(await words("long", "pendulum.lua", "-T", "100"), /^Energy within [\d.]+ %, no drift; /);
    assert.match(await words("adrift", "pendulum.lua", "-T", "100", "-m", "naive"), /^Energy within [\d.]+ %, drifting by [\d.]+ % over the run; constraints off by up to /);
  },
  "what was lost is not called kept": async () => {
    // steps that are far too large: runs stop at what they lose first, and their pages say how far they went
    const verdict = async (model, ...parameters) => {
      writeFileSync(join(folder, "lost.lua"), model);
      for (const name of ["lost.taut", "lost.html"]) rmSync(join(folder, name), { force: true });
      assert.notEqual(spawnSync(taut, ["run", "lost.lua", "-T", "100", "-o", "lost.taut", ...parameters], { cwd: folder }).status, 0);
      call("report", "lost.taut", "-o", "lost.html");
      const other = await open(join(folder, "lost.html"));
      assert.match(await other.locator("p.warning").innerText(), /^This run failed: /);
      const text = await other.locator(".verdict").innerText();
      await other.context().close();
      return text;
    };
    const rod = `local a = point("a", 2)
lagrangian(norm2(a.dot)/2 - a.y)
constraint("rod", (norm2(a) - 1)/2)
start { a = {1, 0}, ["a.dot"] = {0, -2} }\n`;
    const fall = `local q = point("q", 2)
lagrangian(norm2(q.dot)/2 + 1/norm(q))
start { q = {1, 0} }\n`;
    assert.match(await verdict(rod, "-m", "naive", "-s", "0.3"), /^Energy off by up to \d+ %: a smaller step may be needed; constraints off by up to \S+\.$/);
    assert.match(await verdict(fall, "-m", "rattle", "-s", "0.01"), /^Energy from \u22121 to \S+, off by more than its size: this is not the motion; take a smaller step\.$/);
  },
  "axes of very large numbers have ticks": async () => {
    writeFileSync(join(folder, "large.lua"), `local x, y = coordinate "x", coordinate "y"
lagrangian(x.dot^2/2 + y.dot^2/2 - x^2/2)
observe("large", 1e233*x^2)
observe("most", 1.7e308*x)
observe("tiny", 1e-300*x)
start { x = 1, y = 0, ["y.dot"] = 1 }\n`);
    const other = await open(makePage("large", join(folder, "large.lua"), "-T", "10"));
    const found = [];
    for (const name of ["large", "most", "tiny"]) {
      await other.evaluate((label) => {
        const { panels, run } = window.taut;
        const panel = panels.find((p) => p.id === "observables");
        panel.setLines([{ label, column: run.find(label), on: true }]);
        panel.show();
      }, name);
      await settled(other);
      found.push(await other.evaluate(() => (window.taut.panels.find((p) => p.id === "observables").plot.axes[1]._values ?? []).filter((text) => text).length));
    }
    assert.ok(found.every((count) => count >= 2), String(found));
    await other.context().close();
  },
  "the sender's folders are not in the page, and the model can be saved": async () => {
    assert.ok(!readFileSync(path, "utf8").includes(models));
    const [name, text] = await download("save the model as a file");
    assert.deepEqual([name, text.toString()], ["double-spherical-pendulum.lua", readFileSync(join(models, "double-spherical-pendulum.lua"), "utf8")]);
  },
  "a link leads to the moment and the view": async () => {
    await page.evaluate(() => { const { player, view } = window.taut; player.seek(777); view.orbit(120, 40); view.zoom(0.7); });
    await settled(page);
    await page.getByRole("button", { name: /^put a link/ }).click();
    const hash = await page.evaluate(() => location.hash);
    const before = await state("[view.camera.azimuth, view.camera.elevation, view.camera.distance, ...view.camera.target]");
    await page.context().close();
    page = await open(path, { hash });
    await settled(page);
    assert.equal(await row(page), 777);
    const after = await state("[view.camera.azimuth, view.camera.elevation, view.camera.distance, ...view.camera.target]");
    before.forEach((x, i) => assert.ok(Math.abs(x - after[i]) <= 1e-5 * Math.max(1, Math.abs(x)), `${before} ${after}`)); // six digits
  },
  "PNG, SVG, CSV": async () => {
    await page.waitForFunction(() => window.taut.panels[0].plot);
    const [png, picture] = await download("save the scene");
    assert.equal(png, "double-spherical-pendulum.png");
    assert.ok(picture.subarray(1, 4).toString() === "PNG" && picture.length > 5000);
    const [svg, drawing] = await download("save the plots");
    assert.equal(svg, "double-spherical-pendulum.svg");
    assert.match(drawing.toString(), /^<svg [\s\S]*Energy error[\s\S]*<path d="M[\d.]+ [\d.]+L[\s\S]*<\/svg>\n$/);
    const parsed = await page.evaluate((text) => new DOMParser().parseFromString(text, "image/svg+xml").querySelector("parsererror") === null, drawing.toString());
    assert.ok(parsed);
    const [csv, numbers] = await download("save the numbers");
    assert.equal(csv, "double-spherical-pendulum.csv");
    const { names, rows } = readFrames("opening");
    const lines = numbers.toString().trim().split("\n");
    assert.equal(lines[0], names.join(","));
    assert.deepEqual(lines[1235].split(",").map(Number), rows[1234]);
  },
  "a film": async () => {
    await page.evaluate(() => { const { player } = window.taut; player.seek(player.last - 200); player.setSpeed(1); });
    const [name, film] = await download("film");
    assert.match(name, /^double-spherical-pendulum\.(webm|mp4)$/);
    assert.ok(film.length > 1000);
  },
  "the command line": async () => {
    const line = await page.locator(".command code").innerText();
    assert.match(line, /^taut run double-spherical-pendulum\.lua -m rattle -s 0\.01 -T 20 -o run\.taut$/);
    await page.context().close();
  },
  "axes, units, triad and scale bar": async () => {
    page = await open(makePage("shapes", "shapes.lua", "-s", "0.005", "-T", "3"));
    await settled(page);
    assert.equal(await page.locator(".lead").innerText(), "Every kind of shape: for a test.");
    assert.equal(await page.locator("#panel-energy h2").innerText(), "Energy error, J");
    assert.match(await page.locator("#panel-phase .u-over").evaluate(() => window.taut.phase.plot.axes.map((a) => a.label).join(" ")), /^a\.x, m a\.x\.dot, m\/s$/);
    assert.deepEqual(await page.locator(".triad text").allTextContents(), ["x", "y", "z"]);
    const [text, width, unit] = [await page.locator(".scale-bar span").innerText(), (await page.locator(".scale-bar i").boundingBox()).width, await state("view.camera.unit()")];
    assert.match(text, /^[125]\d*(\.\d+)? m$|^0\.[0]*[125] m$/);
    assert.ok(Math.abs(width * unit - parseFloat(text)) < 1.5 * unit); // pixels are whole
    assert.equal(await page.locator(".clock").innerText(), "t = 0 s");
  },
  "shapes: all there, with labels and colours, and the file that is gone is left out": async () => {
    const shapes = await state("run.header.picture.shapes.map((s) => s.type)");
    assert.deepEqual([...new Set(shapes)].sort(), ["arrow", "ball", "box", "capsule", "cylinder", "disc", "ground", "mesh", "plane", "spring"]);
    assert.deepEqual(await page.locator(".tag").allTextContents(), ["rod", "bob", "tension"]);
    assert.equal(await state("view.stage.meshes.length"), 1);
    assert.equal(await state("view.stage.meshes[0].mesh.geometry.getAttribute('position').count"), 12);
    assert.ok((await colours(page)) > 300);
    // the arrow on a: along -lambda a, by the run's own column
    await page.evaluate(() => window.taut.player.seek(200));
    await settled(page);
    const off = await state(`(() => { const s = run.header.picture.shapes.find((x) => x.type === "arrow"); const [f, h] = [[0, 0, 0], [0, 0, 0]];
      view.motion.place(s.at[0], 200, f); view.motion.place(s.at[1], 200, h); const l = run.values(run.find("lambda.rod")).value[200];
      return Math.max(...f.map((x, c) => Math.abs(h[c] - (x - l * x)))) / Math.abs(l); })()`);
    assert.ok(off < 1e-6, String(off)); // float
    // the plane is not in the way of the camera's choice, the long box is
    const [low, high] = await state("[view.motion.low, view.motion.high]");
    assert.ok(high[0] < 2.2 && high[0] > 1.2 && low[0] > -2.2, `${low} ${high}`);
    await page.screenshot({ path: join(folder, "shapes.png") });
    await page.context().close();
    page = await open(join(folder, "shapes.html"), { hash: "#canvas&t=1", scheme: "dark", width: 390, height: 844, scale: 2 });
    await settled(page);
    assert.ok((await colours(page)) > 50);
    await page.screenshot({ path: join(folder, "shapes-phone.png") });
    await page.context().close();
  },
  "what is drawn: an incline, a table, rods; a ball that falls is followed": async () => {
    for (const [model, types, follows] of [["block-incline", ["box", "plane"], false], ["table-edge", ["ball", "bar", "box"], true], ["newtons-cradle", ["ball", "bar"], false]]) {
      page = await open(makePage(model, `${model}.lua`, "-T", "3"));
      assert.deepEqual(await state("[...new Set(run.header.picture.shapes.map((s) => s.type))].sort()"), types);
      assert.equal(await state("view.camera.follow"), follows, model);
      await page.evaluate(() => window.taut.player.seek(window.taut.player.last));
      await settled(page);
      // what moves is inside the picture
      const [x, y, w, h] = await state("(() => { const m = [0, 0, 0], out = [0, 0, 0]; view.motion.middle(run.pictureFrame(player.row), m); view.camera.project(m, 0, out); return [out[0], out[1], view.camera.width, view.camera.height]; })()");
      assert.ok(x > 0 && y > 0 && x < w && y < h, model);
      await page.context().close();
    }
  },
  "on paper: all plots are there, and none is cut": async () => {
    page = await open(path);
    await page.emulateMedia({ media: "print" });
    await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
    await settled(page);
    const split = await page.locator(".panel, .stage").evaluateAll((list) => list.filter((e) => getComputedStyle(e).breakInside !== "avoid").map((e) => e.id || e.className));
    assert.deepEqual(split, []);
    const empty = await page.locator("section.panel").evaluateAll((list) => list.filter((e) => !e.querySelector("canvas")).map((e) => e.id));
    assert.deepEqual(empty.filter((id) => id !== "panel-phase"), []);
    assert.ok(!(await page.locator(".transport").isVisible()));
    await page.context().close();
  },
  "plots that make sense": async () => {
    page = await open(makePage("damped", "damped-pendulum.lua", "-T", "5"));
    assert.deepEqual(await state("panels[0].lines.map((l) => [l.label, l.on])"), [["E \u2212 W", true], ["E \u2212 E(0)", false], ["work W", false]]);
    const { names, rows } = readFrames("damped");
    const [e, w] = [names.indexOf("energy"), names.indexOf("work")];
    const balance = await state("Array.from(run.values(panels[0].lines[0].column).value)");
    balance.forEach((x, i) => assert.ok(Math.abs(x - (rows[i][e] - rows[0][e] - (rows[i][w] - rows[0][w]))) < 1e-13)); // roundings of numbers of size 10
    assert.deepEqual(await state("panels.map((p) => p.id)"), ["energy", "observables", "residuals", "state", "budget"]);
    await page.context().close();
    page = await open(makePage("die", "dice.lua", "-T", "1"));
    assert.ok((await state("panels.find((p) => p.id === 'state').lines.filter((l) => l.on).map((l) => l.label)")).every((name) => !name.startsWith("r.")));
    await page.context().close();
    page = await open(makePage("zero", "hanging-chain.lua", "-D", "N=3", "-T", "1"));
    assert.equal(await state("panels.some((p) => p.id === 'conserved')"), false); // angular_momentum.z is 0 throughout
    assert.match(await page.locator(".lead").innerText(), /\(SI units\)\.$/);
    await page.context().close();
    // an energy that begins with 0 is measured by the kinetic one; where that is not in the page, not at all
    page = await open(makePage("links", "hanging-chain.lua", "-D", "N=24", "-s", "0.005", "-T", "2"));
    assert.match(await page.locator(".verdict").innerText(), /^Energy within [\d.]+ %; /);
    await page.context().close();
    page = await open(makePage("links", "hanging-chain.lua", "-D", "N=100", "-s", "0.005", "-T", "2"));
    assert.match(await page.locator(".verdict").innerText(), /^Energy changed by at most 0\.\d+;/);
    await page.context().close();
  },
});
