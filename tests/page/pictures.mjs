// Pictures that must not be wrong: thin bars, long runs, trails, numbers that the terminal says too, plots under mouse and fingers.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { call, folder, makePage, models, open, row, run, settled } from "./browser.mjs";

let page;
const state = (expression) => page.evaluate(`(() => { const { player, span, near, panels, phase, view, run } = window.taut; return ${expression}; })()`);

/** Of the pixels along the line between two places of the scene, the part that has ink: not the colour of the paper. */
const inked = (shape) =>
  page.evaluate((which) => {
    const { view, player, run } = window.taut;
    const source = document.querySelector(".stage canvas");
    const copy = document.createElement("canvas");
    [copy.width, copy.height] = [source.width, source.height];
    const pen = copy.getContext("2d", { willReadFrequently: true });
    pen.drawImage(source, 0, 0);
    const places = new Float32Array(run.still.length);
    view.motion.fill(run.pictureFrame(player.row), places);
    const paper = pen.getImageData(2, 2, 1, 1).data;
    const bars = view.motion.shapes.filter((s) => s.type === which);
    let [ink, all] = [0, 0];
    for (const bar of bars.filter((_, i) => i % Math.ceil(bars.length / 200) === 0))
      for (const part of [0.25, 0.5, 0.75]) {
        const p = [0, 1, 2].map((c) => places[3 * bar.at[0] + c] * (1 - part) + places[3 * bar.at[1] + c] * part);
        const at = [0, 0, 0];
        view.camera.project(p, 0, at);
        const scale = source.width / source.clientWidth;
        const d = pen.getImageData(Math.round(at[0] * scale), Math.round(at[1] * scale), 1, 1).data;
        ink += Math.abs(d[0] - paper[0]) + Math.abs(d[1] - paper[1]) + Math.abs(d[2] - paper[2]) > 90 ? 1 : 0;
        all++;
      }
    return ink / all;
  }, shape);

const superscript = (text) => Number(text.replace(/\u2212/g, "-").replace(/(?:(\d)\u00d7)?10([\u207b\u2070-\u2079\u00b9\u00b2\u00b3]+)/, (_, d, e) =>
  `${d ?? "1"}e${[...e].map((c) => "\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079".indexOf(c)).map((k) => (k ? k - 1 : "-")).join("")}`));
const fact = async (name) => (await page.locator(".fact", { has: page.locator("dt", { hasText: name }) }).locator("dd").innerText()).trim();

await run({
  "a chain of 100 links is a line, not dots": async () => {
    page = await open(makePage("chain", "hanging-chain.lua", "-s", "0.005", "-T", "2", "--every", "4"));
    await page.evaluate(() => window.taut.player.seek(80));
    await settled(page);
    assert.ok((await inked("bar")) > 0.97);
    await page.context().close();
    page = await open(join(folder, "chain.html"), { hash: "#canvas" });
    await page.evaluate(() => window.taut.player.seek(80));
    await settled(page);
    assert.ok((await inked("bar")) > 0.97);
    await page.context().close();
  },
  "10,000 links are seen, and cheap": async () => {
    page = await open(makePage("chain10000", "hanging-chain.lua", "-D", "N=10000", "-s", "0.01", "-T", "0.5"));
    const begun = Date.now();
    await page.evaluate(() => window.taut.player.seek(30));
    await settled(page);
    console.log(`    a seek: ${Date.now() - begun} ms`);
    assert.equal(await state("view.motion.shapes.length"), 10000);
    assert.ok((await inked("bar")) > 0.97);
    assert.ok((await state("view.stage.triangles")) < 200000); // 3.9 million with cylinders
    await page.context().close();
  },
  "page and terminal say the same, whatever is recorded": async () => {
    const rounded = (text) => Number(Number(text).toPrecision(2));
    for (const [name, model, ...rest] of [["every", "hanging-chain.lua", "-D", "N=20", "-s", "0.01", "-T", "8", "--every", "8"],
      ["many", "pendulum.lua", "-s", "0.01", "-T", "500"], ["cradle", "newtons-cradle.lua", "-s", "0.01", "-T", "3"]]) {
      const said = call("run", join(models, model), ...rest, "-o", `${name}.taut`, "--force");
      call("report", `${name}.taut`);
      page = await open(join(folder, `${name}.html`));
      const [down, up] = said.match(/error (\S+) \.\. (\S+)[,\n]/).slice(1).map(rounded);
      const shown = (await fact("Energy")).match(/(\S+) \u2026 (\S+), slope/).slice(1).map(superscript);
      assert.deepEqual(shown, [down, up], name);
      const g = Number(said.match(/ constraints +at most (\S+)/)[1]);
      assert.equal(superscript((await fact("Constraints |g|")).replace(/^\u2264 /, "")), rounded(g), name);
      // and it is true of all frames
      const least = Number(execFileSync("sqlite3", [join(folder, `${name}.taut`), "select min(energy) - (select energy from frames where frame = 0) from frames"], { encoding: "utf8" }));
      assert.ok((await state("run.watched('energy').down")) <= least + 1e-12, name); // one rounding of energies of size 10
      await page.context().close();
    }
  },
  "a long run: its first frames one by one, points instead of chords, no trails in the gaps": async () => {
    page = await open(makePage("long", "pendulum.lua", "-s", "0.01", "-T", "1200"));
    const { dense, bucket, rows, frames } = await state("run.header");
    const picture = await state("run.header.picture");
    assert.ok(bucket > 1 && dense > 1000 && picture.dense === 3000 && picture.every > 4);
    assert.equal(frames, 120001);
    const times = await state("Array.from(run.times)");
    assert.equal(times.length, rows);
    for (const i of [0, 1, 2, dense - 1, dense, dense + 1, rows - 1]) // t of the frame that begins the row
      assert.ok(Math.abs(times[i] - 0.01 * (i < dense ? i : dense + (i - dense) * bucket)) < 1e-9, String(i));
    // the place of the ball in the animation is that of the row's frame, also between the two
    const far = await state(`[0, 500, ${dense - 1}, ${dense + 7}, ${rows - 1}].map((r) => { const out = [0, 0, 0]; const f = run.pictureFrame(r);
      view.motion.place(view.motion.traced[0], f, out); const s = run.rowOf(f); return Math.abs(out[0] - run.values(run.find("a.x")).value[s]) / (s === r || s >= ${dense} ? 1 : Infinity); })`);
    assert.ok(far.slice(0, 3).every((d) => d < 1e-6), String(far));
    // the state is shown as long as it is dense, the energy for the whole run
    assert.ok(Math.abs((await state("near.max")) - times[dense - 1]) < 1e-9);
    assert.ok((await state("span.max")) > 1199);
    assert.ok(await page.getByRole("button", { name: "show the whole run" }).isVisible());
    assert.ok((await state("view.stage.trails[0].line.visible")) === false); // at the start there is none yet
    await page.evaluate(() => window.taut.player.seek(400));
    await settled(page);
    assert.equal(await state("view.stage.trails[0].line.visible"), true);
    await page.evaluate(() => window.taut.player.seek(window.taut.player.last - 50));
    await settled(page);
    assert.equal(await state("view.stage.trails[0].line.visible"), false);
    await page.evaluate(() => window.taut.span.reset());
    await settled(page);
    assert.ok((await state("near.max")) > 1199);
    // playing ends with the frames that have no gaps
    await page.evaluate(() => { const { player } = window.taut; player.seek(2950); player.setSpeed(10); player.play(); });
    await page.waitForFunction(() => !window.taut.player.playing);
    assert.equal(await row(page), await state("run.rowOf(2999)"));
    assert.match(await page.locator("#foot").innerText(), /the first 3\u202f000 frames, then every \d+(st|nd|rd|th) frame/);
    await page.context().close();
  },
  "a part of a run: --from --to --every": async () => {
    call("report", "long.taut", "--from", "500", "--to", "510", "-o", "part.html");
    page = await open(join(folder, "part.html"));
    assert.deepEqual(await state("[run.header.frames, run.header.bucket, run.header.picture.every, run.times[0], run.times[1000]].map((x) => Math.round(x * 1e9) / 1e9)"), [1001, 1, 1, 500, 510]);
    const energy = Number(execFileSync("sqlite3", [join(folder, "long.taut"), "select energy - (select energy from frames where frame = 0) from frames where frame = 50500"], { encoding: "utf8" }));
    assert.ok(Math.abs((await state("run.values(run.find('energy', true)).value[500]")) / energy - 1) < 1e-12); // from the start of the run, not of the part; sqlite3 prints 15 digits
    await page.context().close();
    call("report", "long.taut", "--from", "500", "--to", "510", "--every", "7", "-o", "part.html");
    page = await open(join(folder, "part.html"));
    assert.deepEqual(await state("[run.header.frames, run.times[1], run.times[142]].map((x) => Math.round(x * 1e9) / 1e9)"), [143, 500.07, 509.94]);
    await page.context().close();
    assert.throws(() => call("report", "long.taut", "--from", "1300"));
    assert.throws(() => call("report", "long.taut", "--every", "0"));
  },
  "the trail's faded end does not cover a strong part": async () => {
    // a pendulum retraces its path: the pixels of the path have the colour of the newest part there
    page = await open(makePage("trails", "pendulum.lua", "-s", "0.01", "-T", "8"), { hash: "#t=7" });
    assert.deepEqual(await state("[view.stage.trails[0].line.material.depthTest, view.stage.trails[0].line.renderOrder]"), [true, 1]);
    assert.equal(await state("view.stage.trails[0].line.material.blendEquation"), 103); // the darker one
    await page.emulateMedia({ colorScheme: "dark" });
    await page.waitForFunction(() => document.documentElement.dataset.theme === "dark");
    assert.equal(await state("view.stage.trails[0].line.material.blendEquation"), 104); // the lighter one
    await page.context().close();
  },
  "a double click shows the whole run and leaves the time": async () => {
    page = await open(join(folder, "trails.html"));
    await page.locator("#panel-energy .u-over").waitFor();
    await page.evaluate(() => { window.taut.player.seek(111); window.taut.span.set(2, 4); });
    const box = await page.locator("#panel-energy .u-over").boundingBox();
    await page.mouse.dblclick(box.x + box.width / 2, box.y + 40);
    assert.equal(await row(page), 111);
    assert.deepEqual(await state("[span.min, span.max]"), [0, 8]);
  },
  "the phase plot shows the span of the plots, and lengths in one scale": async () => {
    await page.evaluate(() => window.taut.span.set(1, 1.2));
    await page.getByLabel("to the right").selectOption(String(await state("run.find('a.x')")));
    await page.getByLabel("upwards").selectOption(String(await state("run.find('a.y')")));
    await page.locator("#panel-phase .u-over").waitFor();
    const [x, y, low, high, width, height] = await state(`[phase.plot.scales.x, phase.plot.scales.y,
      Math.min(...run.values(run.find("a.x")).value.slice(100, 121)), Math.max(...run.values(run.find("a.x")).value.slice(100, 121)), phase.plot.bbox.width, phase.plot.bbox.height]
      .map((v) => (typeof v === "number" ? v : [v.min, v.max]))`);
    assert.ok(x[0] <= low && x[1] >= high);
    const [ux, uy] = [(x[1] - x[0]) / width, (y[1] - y[0]) / height];
    assert.ok(Math.abs(ux / uy - 1) < 0.03, `${ux} ${uy}`); // the axes' sizes are rounded to pixels
    const whole = await state("Math.max(...run.values(run.find('a.x')).value) - Math.min(...run.values(run.find('a.x')).value)");
    assert.ok(Math.max(x[1] - x[0], y[1] - y[0]) < whole);
  },
  "two fingers zoom a plot, one goes along": async () => {
    await page.evaluate(() => window.taut.span.reset());
    const fingers = (moves) => page.evaluate((list) => {
      const over = document.querySelector("#panel-energy .u-over");
      const box = over.getBoundingClientRect();
      for (const [type, id, x] of list)
        over.dispatchEvent(new PointerEvent(type, { pointerType: "touch", pointerId: id, clientX: box.left + x * box.width, clientY: box.top + 30, bubbles: true }));
    }, moves);
    await fingers([["pointerdown", 1, 0.4], ["pointerdown", 2, 0.6], ["pointermove", 1, 0.3], ["pointermove", 2, 0.7], ["pointerup", 1, 0.3], ["pointerup", 2, 0.7]]);
    const [min, max] = await state("[span.min, span.max]");
    assert.ok(max - min < 4.5 && min > 1 && max < 7, `${min} ${max}`); // twice as near, about the middle
    await page.evaluate(() => window.taut.span.reset());
    await fingers([["pointerdown", 1, 0.4], ["pointermove", 1, 0.5], ["pointerup", 1, 0.5]]);
    assert.ok(Math.abs((await row(page)) - 400) <= 4);
    await page.context().close();
  },
  "selectors keep their width on a phone": async () => {
    page = await open(join(folder, "trails.html"), { width: 360, height: 740, scale: 2 });
    for (const box of await page.locator("select").evaluateAll((list) => list.map((s) => s.getBoundingClientRect().width))) assert.ok(box > 80, String(box));
    await page.context().close();
  },
  "round-off that is lucky does not set a scale": async () => {
    page = await open(join(folder, "trails.html"));
    await page.waitForFunction(() => window.taut.panels.find((p) => p.id === "residuals").plot);
    assert.ok((await state("panels.find((p) => p.id === 'residuals').plot.scales.y.min")) >= 1e-19);
    await page.context().close();
  },
  "a failed run says so on a line of its own": async () => {
    assert.throws(() => call("run", join(models, "double-spherical-pendulum.lua"), "-m", "naive:rk4", "-s", "0.9", "-T", "2000", "-o", "failed.taut", "--force"));
    call("report", "failed.taut");
    page = await open(join(folder, "failed.html"));
    assert.match(await page.locator("p.warning").innerText(), /^This run failed: /);
    assert.ok(!(await page.locator(".summary").innerText()).includes("failed"));
    await page.context().close();
  },
  "numbers of a comparison stay on one line": async () => {
    call("compare", join(models, "pendulum.lua"), "-m", "rattle,lobatto:s=3", "-s", "0.1", "-T", "2", "--report", "narrow.html");
    page = await open(join(folder, "narrow.html"), { width: 700 });
    const [most, line] = await page.evaluate(() => [Math.max(...[...document.querySelectorAll("td.figure")].map((c) => c.getBoundingClientRect().height)), parseFloat(getComputedStyle(document.body).lineHeight)]);
    assert.ok(most < 1.6 * line, `${most} ${line}`);
    await page.context().close();
  },
});
