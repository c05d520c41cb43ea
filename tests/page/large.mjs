// A million frames: the page stays small, and a single frame that differs is seen.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { call, folder, makePage, open, run, settled } from "./browser.mjs";

const FRAMES = Number(process.env.TAUT_PAGE_FRAMES ?? 1000000);
const SPIKE = Math.floor(FRAMES * 0.54321);
const path = makePage("large", "pendulum.lua", "-s", "0.01", "-T", String(FRAMES / 100));
const energy = Number(execFileSync("sqlite3", [join(folder, "large.taut"), "select energy from frames where frame = 0"], { encoding: "utf8" }));

await run({
  "one frame in a million is seen in the plot": async () => {
    execFileSync("sqlite3", [join(folder, "large.taut"), `update frames set energy = energy + 7 where frame = ${SPIKE}`]);
    const begun = Date.now();
    call("report", "large.taut", "-o", "large.html");
    console.log(`    taut report of ${FRAMES} frames: ${Date.now() - begun} ms, page of ${(statSync(path).size / 1e6).toFixed(1)} MB`);
    assert.ok(statSync(path).size < 20e6);
    const opened = Date.now();
    const page = await open(path);
    await page.locator("#panel-energy .u-over").waitFor();
    await settled(page);
    console.log(`    opened in ${Date.now() - opened} ms`);
    const [frames, bucket, high, low, value] = await page.evaluate((spike) => {
      const { run } = window.taut;
      const v = run.values(run.find("energy"));
      const row = run.header.dense + Math.floor((spike - run.header.dense) / run.header.bucket);
      return [run.header.frames, run.header.bucket, v.high[row], v.low[row], v.value[row]];
    }, SPIKE);
    assert.equal(frames, FRAMES + 1);
    assert.ok(bucket > 1);
    assert.ok(high > energy + 6.9 && high < energy + 7.1, String(high)); // the spike stands 7 above the energy, which errs by 1e-3
    assert.ok(Math.abs(low - energy) < 0.1 && Math.abs(value - energy) < 0.1);
    // and in the picture: ink near the upper edge at the spike, none there elsewhere
    const ink = await page.evaluate((spike) => {
      const { run, panels } = window.taut;
      const u = panels[0].plot;
      const t = run.values(0).value[run.header.dense + Math.floor((spike - run.header.dense) / run.header.bucket)];
      const { width } = u.ctx.canvas;
      const y = Math.round(u.valToPos(6.5, "y", true));
      const pixels = u.ctx.getImageData(0, y - 2, width, 5).data;
      const at = (time) => {
        const x = Math.round(u.valToPos(time, "x", true));
        let blue = 0;
        for (let line = 0; line < 5; line++)
          for (let k = x - 3; k <= x + 3; k++) {
            const i = 4 * (line * width + k);
            if (pixels[i + 2] - pixels[i] > 60 && pixels[i + 3] > 60) blue++;
          }
        return blue;
      };
      return [at(t), at(t * 0.5), at(t * 0.77)];
    }, SPIKE);
    assert.ok(ink[0] > 0, String(ink));
    assert.equal(ink[1] + ink[2], 0);
    assert.ok((await page.locator("#foot").innerText()).includes("least to their greatest value"));
    await page.screenshot({ path: "large.png" });
    await page.context().close();
  },
});
