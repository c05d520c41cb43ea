// The other template: a document of text, tables, plots and verdicts.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { call, folder, models, open, readFrames, run, settled } from "./browser.mjs";

const template = readFileSync(join(dirname(fileURLToPath(import.meta.url)), "../../viewer/dist/document.html"), "utf8");
const steps = [0.1, 0.05, 0.025, 0.0125];
const data = {
  format: 1, title: "A </script> document", summary: "what it is about",
  parts: [
    { type: "heading", level: 2, text: "Claims" },
    { type: "text", text: "A paragraph with <b>angles</b>." },
    { type: "verdicts", items: [{ verdict: "holds", claim: "Constraints are kept", remark: "to 2e-15" }, { verdict: "qualified", claim: "Order 4", remark: "for small steps" }, { verdict: "fails", claim: "The energy does not drift", remark: null }] },
    { type: "table", caption: "Errors", columns: [{ name: "method", align: "left" }, { name: "error", align: "right" }], rows: [["rattle", "1.2e-4"], ["lobatto:s=3", "3e-9"]] },
    { type: "plot", title: "Error over step", x: { label: "step", log: true }, y: { label: "error", log: true },
      series: [{ label: "rattle", style: "both", x: steps, y: steps.map((h) => h ** 2) }, { label: "lobatto:s=3", style: "both", x: steps, y: steps.map((h) => h ** 4) }, { label: "order 2", style: "dashed", x: steps, y: steps.map((h) => 3 * h * h) }] },
    { type: "plot", title: "Linear", x: { label: "t", log: false }, y: { label: "energy", log: false }, series: [{ label: "E", style: "line", x: [0, 1, 2, 3], y: [1, null, 1.5, 1.2] }] },
    { type: "source", text: 'local a = point "a" -- </script>\n' },
  ],
};

await run({
  "all kinds of parts, on a laptop and a phone": async () => {
    const path = join(folder, "document.html");
    writeFileSync(path, template.replace("<!--TAUT DATA-->", () => `<script type="application/json" id="data">${JSON.stringify(data).replaceAll("<", "\\u003c")}</script>`));
    for (const [name, options] of [["document", {}], ["document-dark", { scheme: "dark" }], ["document-phone", { width: 390, height: 844, scale: 2 }]]) {
      const page = await open(path, options);
      await page.locator("figure .u-over").first().waitFor();
      await settled(page);
      assert.equal(await page.locator("h1").textContent(), data.title);
      assert.equal(await page.locator("figure").count(), 2);
      assert.deepEqual(await page.locator(".badge").allInnerTexts().then((t) => t.map((s) => s.replace(/\s+/g, " "))), ["\u2713 holds", "\u2248 holds with a qualification", "\u2717 does not hold"]);
      assert.equal(await page.locator("td.figure").nth(1).textContent(), "3e-9");
      const [content, inner] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
      assert.ok(content <= inner);
      await page.screenshot({ path: `${name}.png`, fullPage: true });
      await page.context().close();
    }
  },
  "taut compare --report": async () => {
    const table = call("compare", join(models, "pendulum.lua"), "-m", "rattle,lobatto:s=3", "--steps", "0.1,0.05", "-T", "2", "--csv", "--report", "compare.html");
    const errors = table.trim().split("\n").slice(1).map((line) => Number(line.split(",")[8]));
    const page = await open(join(folder, "compare.html"));
    await page.locator("figure .u-over").first().waitFor();
    const rows = await page.locator("tbody tr").evaluateAll((list) => list.map((row) => [...row.children].map((cell) => cell.textContent)));
    assert.deepEqual(rows.map((cells) => [cells[0], cells[1]]), [["rattle", "0.1"], ["rattle", "0.05"], ["lobatto:s=3", "0.1"], ["lobatto:s=3", "0.05"]]);
    rows.forEach((cells, i) => assert.ok(Math.abs(parseFloat(cells[8]) / errors[i] - 1) < 0.006, cells[8])); // three digits
    assert.deepEqual(await page.locator("figure h3").allTextContents().then((t) => t.filter((s) => !/^(rattle|lobatto)/.test(s))),
      ["Energy error over time", "The motion, side by side", "Work and precision", "Error over step", "Energy over step"]);
    await page.screenshot({ path: "compare.png", fullPage: true });
    await page.context().close();
  },
  "energy over time, and the motion of each method under one clock": async () => {
    call("compare", join(models, "double-spherical-pendulum.lua"), "-m", "rattle,em,naive:rk4", "-s", "0.02", "-T", "20", "--report", "side.html");
    const page = await open(join(folder, "side.html"));
    await page.locator("figure .u-over").first().waitFor();
    const part = (type, title) => page.evaluate(([t, n]) => JSON.parse(document.getElementById("data").textContent).parts.find((p) => p.type === t && p.title.startsWith(n)), [type, title]);
    const energy = await part("plot", "Energy error");
    assert.deepEqual(energy.series.map((s) => s.label), ["rattle", "em", "naive:rk4"]);
    // the largest of each line is that of the run with the same frames; rattle neither grows nor is exact, em is, rk4 grows
    const most = energy.series.map((s) => Math.max(...s.y));
    call("run", join(models, "double-spherical-pendulum.lua"), "-m", "rattle", "-s", "0.02", "-T", "20", "-o", "side.taut", "--force");
    const { names, rows } = readFrames("side");
    const change = rows.map((r) => Math.abs(r[names.indexOf("energy")] - rows[0][names.indexOf("energy")]));
    assert.ok(Math.abs(most[0] / Math.max(...change) - 1) < 1e-12);
    assert.ok(most[1] < 1e-11 && most[0] > 1e-3); // round-off of energies of size 200; order 2
    assert.ok(energy.series[2].y.at(-1) > 10 * energy.series[2].y[10]);
    const motion = await part("motion", "The motion");
    assert.deepEqual(motion.runs.map((r) => [r.label, r.t.length, r.t.at(-1)]), [["rattle", 1001, 20], ["em", 1001, 20], ["naive:rk4", 1001, 20]]);
    const at = (name) => rows.map((r) => r[names.indexOf(name)]);
    const place = await page.evaluate(() => { const s = window.tautScenes[0]; const out = [0, 0, 0]; s.motion.place(s.motion.traced[1], 700, out); return out; });
    assert.deepEqual(place, ["b.x", "b.y", "b.z"].map((n) => Math.fround(at(n)[700])));
    // the clock moves all of them
    const before = await page.locator(".side-scene .stage").nth(2).screenshot();
    await page.getByRole("slider", { name: "time" }).fill("500");
    await settled(page);
    assert.equal(await page.locator(".clock").innerText(), "t = 10.00");
    assert.ok(!before.equals(await page.locator(".side-scene .stage").nth(2).screenshot()));
    await page.getByRole("button", { name: "play" }).click();
    await page.waitForFunction(() => !document.querySelector(".clock").textContent.startsWith("t = 10.00"));
    await page.context().close();
  },
});
