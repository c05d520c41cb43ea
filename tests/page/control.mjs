// The page under mouse and keyboard: play, scrub, keys, zoom, phase plot, theme, the fallback without WebGL.
import assert from "node:assert/strict";
import { colours, makePage, open, row, run, settled } from "./browser.mjs";

const path = makePage("control", "double-spherical-pendulum.lua", "-s", "0.01", "-T", "20");
let page = await open(path);
const state = (expression) => page.evaluate(`(() => { const { player, span, panels, phase, view, run } = window.taut; return ${expression}; })()`);

await run({
  "play and pause": async () => {
    assert.equal(await row(page), 0);
    await page.getByRole("button", { name: "play" }).click();
    await page.waitForFunction(() => window.taut.player.row > 20);
    await page.getByRole("button", { name: "pause" }).click();
    const at = await row(page);
    await page.waitForTimeout(200);
    assert.equal(await row(page), at);
  },
  "the scene follows the time": async () => {
    assert.equal(await state("view.stage.kind"), "webgl");
    await page.keyboard.press("Home");
    await settled(page);
    const first = await page.locator(".stage").screenshot();
    await page.keyboard.press("End");
    await settled(page);
    assert.ok(!first.equals(await page.locator(".stage").screenshot()));
    assert.ok((await colours(page)) > 100);
  },
  "scrub": async () => {
    await page.locator("#scrub").fill("1234");
    assert.equal(await row(page), 1234);
    assert.equal(await page.locator("#scrub").getAttribute("aria-valuetext"), "t = 12.34");
  },
  "keys": async () => {
    await page.locator("body").click({ position: { x: 700, y: 5 } });
    for (const [key, wanted] of [["Home", 0], ["ArrowRight", 1], ["ArrowRight", 2], ["ArrowLeft", 1], ["Shift+ArrowRight", 21], ["End", 2000]]) {
      await page.keyboard.press(key);
      assert.equal(await row(page), wanted, key);
    }
    const speed = await state("player.speed");
    await page.keyboard.press("+");
    assert.ok((await state("player.speed")) > speed);
    await page.keyboard.press("-");
    assert.equal(await state("player.speed"), speed);
    await page.keyboard.press("Space");
    assert.equal(await state("player.playing"), true); // from the end: again from the start
    await page.keyboard.press("Space");
    assert.equal(await state("player.playing"), false);
    const azimuth = await state("view.camera.azimuth");
    await page.keyboard.press("d");
    assert.notEqual(await state("view.camera.azimuth"), azimuth);
    await page.keyboard.press("0");
    assert.equal(await state("view.camera.azimuth"), azimuth);
    await page.keyboard.press("t");
    assert.equal(await state("view.trail"), "long");
    await page.keyboard.press("?");
    assert.ok(await page.getByRole("dialog").isVisible());
    await page.keyboard.press("Escape");
    assert.ok(!(await page.getByRole("dialog").isVisible()));
  },
  "everything is reached with Tab, and focus is seen": async () => {
    const seen = new Set();
    for (let i = 0; i < 60; i++) {
      await page.keyboard.press("Tab");
      const [name, outlined] = await page.evaluate(() => {
        const e = document.activeElement;
        return [e.getAttribute("aria-label") ?? e.textContent, getComputedStyle(e).outlineStyle !== "none" || e === document.body];
      });
      assert.ok(outlined, name);
      seen.add(name);
    }
    for (const name of ["time", "upwards", "to the right", "keys", "source of the model", "trails (t)"]) assert.ok(seen.has(name), name);
  },
  "drag turns the scene": async () => {
    await page.evaluate(() => window.scrollTo(0, 0));
    const azimuth = await state("view.camera.azimuth");
    const box = await page.locator(".stage").boundingBox();
    await page.mouse.move(box.x + 200, box.y + 200);
    await page.mouse.down();
    await page.mouse.move(box.x + 300, box.y + 220, { steps: 4 });
    await page.mouse.up();
    assert.ok(Math.abs((await state("view.camera.azimuth")) - azimuth) > 0.5);
  },
  "a click in a plot goes there; dragging zooms all plots; r shows all": async () => {
    await page.locator("#panel-energy .u-over").waitFor();
    const box = await page.locator("#panel-energy .u-over").boundingBox();
    await page.mouse.click(box.x + box.width / 4, box.y + 40);
    assert.ok(Math.abs((await row(page)) - 500) <= 4); // a pixel is 4 frames
    await page.mouse.move(box.x + box.width / 2, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + (3 * box.width) / 4, box.y + 40, { steps: 4 });
    await page.mouse.up();
    const [min, max] = await state("[span.min, span.max]");
    assert.ok(Math.abs(min - 10) < 0.1 && Math.abs(max - 15) < 0.1, `${min} ${max}`);
    const scale = await state("panels[1].plot.scales.x.min");
    assert.equal(scale, min);
    await page.keyboard.press("r");
    assert.deepEqual(await state("[span.min, span.max]"), [0, 20]);
  },
  "lines are hidden and shown; logarithmic on demand": async () => {
    const chip = page.locator("#panel-state .chip").first();
    await chip.click();
    assert.equal(await chip.getAttribute("aria-pressed"), "false");
    assert.equal(await state("panels.find((p) => p.id === 'state').plot.series[1].show"), false);
    await page.locator("#panel-energy").getByRole("button", { name: /scale/ }).click();
    assert.equal(await state("panels[0].plot.scales.y.distr"), 3);
    await page.getByLabel("part of the state").selectOption("multiplier");
    assert.deepEqual(await state("panels.find((p) => p.id === 'state').lines.map((l) => l.label)"), ["lambda.rod1", "lambda.rod2"]);
  },
  "phase plot of any two columns": async () => {
    const [x, y] = [await state("run.find('b.x')"), await state("run.find('b.y')")];
    await page.getByLabel("to the right").selectOption(String(x));
    await page.getByLabel("upwards").selectOption(String(y));
    const [scale, low, high] = await state(`[[phase.plot.scales.x.min, phase.plot.scales.x.max], run.columns[${x}].lowest, run.columns[${x}].highest]`);
    assert.ok(scale[0] <= low && scale[1] >= high);
    await page.keyboard.press("Tab");
    await page.evaluate(() => window.taut.player.seek(777));
    const dot = await page.evaluate(() => { const r = document.querySelector(".dot").getBoundingClientRect(); const o = document.querySelector("#panel-phase .u-over").getBoundingClientRect(); return [r.x + r.width / 2 - o.x, r.y + r.height / 2 - o.y]; });
    const value = await state(`[run.values(${x}).value[777], run.values(${y}).value[777]]`);
    const read = await page.evaluate(([u, v]) => [window.taut.phase.plot.posToVal(u, "x"), window.taut.phase.plot.posToVal(v, "y")], dot);
    value.forEach((v, i) => assert.ok(Math.abs(v - read[i]) < 0.06, `${v} ${read[i]}`)); // a pixel is 0.03
  },
  "light and dark": async () => {
    const paper = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    assert.equal(await paper(), "rgb(255, 255, 255)");
    await page.emulateMedia({ colorScheme: "dark" });
    await page.waitForFunction(() => document.documentElement.dataset.theme === "dark");
    assert.equal(await paper(), "rgb(20, 23, 26)");
    await page.getByRole("button", { name: "light or dark" }).click();
    assert.equal(await paper(), "rgb(255, 255, 255)");
    await page.context().close();
  },
  "without WebGL: the same on a plain canvas": async () => {
    page = await open(path, { hash: "#canvas&t=5" });
    assert.equal(await state("view.stage.kind"), "canvas");
    assert.equal(await row(page), 500);
    await settled(page);
    assert.ok((await colours(page)) > 20);
    const first = await page.locator(".stage").screenshot();
    await page.keyboard.press("d");
    await page.keyboard.press("ArrowRight");
    await settled(page);
    assert.ok(!first.equals(await page.locator(".stage").screenshot()));
    await page.context().close();
  },
});
