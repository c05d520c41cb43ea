// The page of an ensemble: fans, histograms, scatter plots, maps of two grids, failures, one member.
import assert from "node:assert/strict";
import { join } from "node:path";
import { call, folder, models, open, run, settled } from "./browser.mjs";

const model = join(models, "double-spherical-pendulum.lua");
const picture = (page, title) => page.locator(`figure[aria-label="${title}"] canvas`);
const dataOf = (page) => page.evaluate(() => JSON.parse(document.getElementById("data").textContent));
const doubles = (text) => new Float64Array(new Uint8Array(Buffer.from(text, "base64")).buffer);
const floats = (text) => new Float32Array(new Uint8Array(Buffer.from(text, "base64")).buffer);

await run({
  "a random ensemble: fans, a histogram, results against what varies": async () => {
    call("ensemble", model, "-s", "0.02", "-T", "2", "--members", "60", "--vary", "a.x=uniform(2.7,2.9)", "--vary", "m2=uniform(1,5)", "--keep", "energy,b.z", "--at", "1,2", "-o", "random.taut", "--force");
    call("report", "random.taut");
    call("export", "random.taut", "random.csv");
    const { readFileSync } = await import("node:fs");
    const rows = readFileSync("random.csv", "utf8").trim().split("\n").slice(1).map((line) => line.split(",").map(Number));
    for (const [name, options] of [["ensemble", {}], ["ensemble-dark", { scheme: "dark" }], ["ensemble-phone", { width: 390, height: 844, scale: 2 }]]) {
      const page = await open(join(folder, "random.html"), options);
      await settled(page);
      assert.equal(await page.locator("h1").textContent(), "Double spherical pendulum");
      assert.deepEqual(await page.locator("figure h3").allTextContents(), ["Over time", "Distribution", "Result against what varies"]);
      const [content, inner] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
      assert.ok(content <= inner);
      await page.screenshot({ path: `${name}.png`, fullPage: true });
      await page.context().close();
    }
    const page = await open(join(folder, "random.html"));
    await settled(page);
    const data = await dataOf(page);
    assert.deepEqual(data.columns, ["energy", "b.z"]);
    assert.equal(data.members.done, 60);
    // the numbers of the page are those of the file
    const end = data.slices.find((s) => s.moment === data.moments.length - 1 && s.column === 1);
    assert.deepEqual([...floats(end.data)], rows.filter((r) => r[3] === 2).map((r) => Math.fround(r[5])));
    const mean = doubles(data.statistics.mean);
    const found = rows.filter((r) => r[3] === 2).reduce((sum, r) => sum + r[5], 0) / 60;
    assert.ok(Math.abs(mean[mean.length - 1] - found) < 1e-12);
    const counts = data.histograms.find((h) => h.moment === data.moments.length - 1 && h.column === 1).counts.split(" ").map(Number);
    assert.equal(counts.reduce((a, b) => a + b), 60);
    // a time chosen in the fan is that of the histogram
    const before = await picture(page, "Distribution").screenshot();
    const box = await picture(page, "Over time").boundingBox();
    await page.mouse.click(box.x + 66 + (box.width - 80) / 2, box.y + 100);
    await settled(page);
    assert.match(await page.locator('figure[aria-label="Distribution"] .value').textContent(), /^t = 1$/);
    assert.ok(!before.equals(await picture(page, "Distribution").screenshot()));
    // another column, another picture
    const fan = await picture(page, "Over time").screenshot();
    await page.getByRole("combobox", { name: "column" }).selectOption("energy");
    await settled(page);
    assert.ok(!fan.equals(await picture(page, "Over time").screenshot()));
    // a member chosen in the scatter plot is the one to be replayed
    const dots = await picture(page, "Result against what varies").boundingBox();
    await page.mouse.click(dots.x + 66 + (dots.width - 80) / 2, dots.y + 120);
    await settled(page);
    const command = await page.locator(".member code").textContent();
    const chosen = Number(/--member (\d+)/.exec(command)[1]);
    assert.match(command, /^taut replay random\.taut --member \d+ -o member-\d+\.taut && taut report member-\d+\.taut$/);
    call("replay", "random.taut", "--member", String(chosen), "-o", "member.taut", "--force");
    await page.context().close();
  },
  "two grids: a map; members that failed": async () => {
    call("ensemble", model, "--start", "strict", "-s", "0.02", "-T", "0.4", "--vary", "a.x=grid(2,4.2,12)", "--vary", "m2=values(1,2,5)", "--keep", "b.x", "-o", "grid.taut", "--force");
    call("report", "grid.taut");
    const page = await open(join(folder, "grid.html"));
    await settled(page);
    const data = await dataOf(page);
    assert.equal(data.grid, true);
    assert.deepEqual(data.varied.map((v) => v.levels.length), [12, 3]);
    assert.ok(data.members.failed > 0 && data.failures[0].reason.includes("start"));
    assert.equal(await page.locator("tbody tr").count(), data.members.failed);
    assert.deepEqual(await page.locator("figure h3").allTextContents(), ["Over time", "Distribution", "Map", "Result against what varies"]);
    // the corner of the first member, which failed, is grey; that of a member in the middle is not
    const cells = [[0, 0], [6, 1], [11, 2], [3, 2]];
    const colours = await picture(page, "Map").evaluate((canvas, list) => {
      const [ratio, pixels] = [canvas.width / canvas.clientWidth, canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height)];
      return list.map(([i, k]) => {
        const x = 66 + ((canvas.clientWidth - 80) * (i + 0.5)) / 12, y = 8 + (canvas.clientHeight - 46) * (1 - (k + 0.5) / 3);
        const at = 4 * (Math.round(y * ratio) * canvas.width + Math.round(x * ratio));
        return [...pixels.data.slice(at, at + 3)];
      });
    }, cells);
    const values = floats(data.slices[0].data);
    cells.forEach(([i, k], n) => assert.equal(colours[n].every((c) => c === 128), Number.isNaN(values[i * 3 + k]), `member ${i * 3 + k}`));
    assert.ok(cells.some(([i, k]) => Number.isNaN(values[i * 3 + k])) && cells.some(([i, k]) => !Number.isNaN(values[i * 3 + k])));
    await page.screenshot({ path: "ensemble-map.png", fullPage: true });
    await page.context().close();
  },
});
