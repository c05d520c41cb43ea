// Twelve models against pictures that were looked at: the scene as `taut render` draws it, pixel by pixel with a tolerance; the scene of the page (WebGL and
// plain canvas) against that one, by a coarse grid of mean colours; and the boxes of the page's layout, in what does not hang on fonts.
// UPDATE=1 writes the references: look at them before you keep them.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { call, folder, makePage, open, run, settled } from "./browser.mjs";

const kept = join(dirname(fileURLToPath(import.meta.url)), "references");
const update = !!process.env.UPDATE;
// models, time; short runs: the state at that time is the same on every processor, to far less than a pixel
const TWELVE = [
  ["double-spherical-pendulum", 4, "-s", "0.01", "-T", "6"],
  ["heavy-top", 0.5, "-s", "0.0005", "-T", "1", "--every", "4"],
  ["four-bar", 0.9, "-s", "0.001", "-T", "2"],
  ["six-balls", 3, "-s", "0.01", "-T", "5"],
  ["hanging-chain", 1.5, "-s", "0.005", "-T", "2", "-D", "N=24"],
  ["rigid-body", 2, "-s", "0.005", "-T", "5"],
  ["table-edge", 0.5, "-T", "1.5"],
  ["block-incline", 0.4, "-T", "2"],
  ["newtons-cradle", 0.4, "-T", "1"],
  ["dice", 0.3, "-T", "2"],
  ["stewart-platform", 2, "-T", "4"],
  ["slider-crank", 0.1, "-s", "0.0005", "-T", "0.3"],
];
const [WIDE, HIGH] = [300, 200];

let page; // that decodes pictures
const pixels = async (file) => Uint8ClampedArray.from(await page.evaluate(async (data) => {
  const picture = new Image();
  picture.src = `data:image/png;base64,${data}`;
  await picture.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [picture.width, picture.height];
  const pen = canvas.getContext("2d");
  pen.drawImage(picture, 0, 0);
  return [...pen.getImageData(0, 0, picture.width, picture.height).data];
}, readFileSync(file).toString("base64")));

/** Mean colours of a grid of cells. */
function cells(data, wide, high, columns, rows) {
  const out = new Float64Array(3 * columns * rows);
  const count = new Float64Array(columns * rows);
  for (let y = 0; y < high; y++)
    for (let x = 0; x < wide; x++) {
      const cell = Math.floor((y * rows) / high) * columns + Math.floor((x * columns) / wide);
      count[cell]++;
      for (let k = 0; k < 3; k++) out[3 * cell + k] += data[4 * (y * wide + x) + k];
    }
  return out.map((v, i) => v / count[Math.floor(i / 3)]);
}
const difference = (a, b) => a.reduce((sum, v, i) => sum + Math.abs(v - b[i]), 0) / a.length;

const layout = existsSync(join(kept, "layout.json")) ? JSON.parse(readFileSync(join(kept, "layout.json"), "utf8")) : {};
const boxes = (at) => at.evaluate(() => [...document.querySelectorAll("#head, .stage, .transport, .panel, .plot, #foot")].filter((e) => !e.closest("#foot") || e.id === "foot").map((e) => {
  const r = e.getBoundingClientRect();
  return [e.id || e.className.split(" ")[0], Math.round(r.x), Math.round(r.width), /stage|plot/.test(e.className) ? Math.round(r.height) : 0];
}));

const parts = {};
for (const [model, t, ...parameters] of TWELVE)
  parts[model] = async () => {
    const path = makePage(model, `${model}.lua`, ...parameters);
    const reference = join(kept, `${model}.png`);
    call("render", `${model}.taut`, "--at", String(t), "--size", `${WIDE}x${HIGH}`, "--plain", "-o", `${model}.png`);
    page ??= await open(path);
    if (update) {
      mkdirSync(kept, { recursive: true });
      writeFileSync(reference, readFileSync(join(folder, `${model}.png`)));
    }
    const [is, wanted] = [await pixels(join(folder, `${model}.png`)), await pixels(reference)];
    assert.equal(is.length, wanted.length);
    let off = 0;
    for (let i = 0; i < is.length; i += 4) off += Math.max(Math.abs(is[i] - wanted[i]), Math.abs(is[i + 1] - wanted[i + 1]), Math.abs(is[i + 2] - wanted[i + 2])) > 24;
    assert.ok(off < 0.002 * WIDE * HIGH, `${model}: ${off} pixels are not those of references/${model}.png`); // a line that moves by a quarter of a pixel is 100
    // the page's own scene, of the same size and time
    for (const kind of ["", "canvas&"]) {
      const other = await open(path, { hash: `#${kind}t=${t}` });
      await other.evaluate(([w, h]) => { const s = document.querySelector(".stage"); s.style.width = `${w + 2}px`; s.style.height = `${h + 2}px`; }, [WIDE, HIGH]);
      await settled(other);
      await other.evaluate(() => { window.taut.view.camera.reset(); window.taut.view.refresh(); });
      await settled(other);
      const shown = Uint8ClampedArray.from(await other.evaluate(([w, h]) => {
        const source = document.querySelector(".stage canvas");
        const canvas = document.createElement("canvas");
        [canvas.width, canvas.height] = [w, h];
        const pen = canvas.getContext("2d");
        pen.drawImage(source, 0, 0, w, h);
        return [...pen.getImageData(0, 0, w, h).data];
      }, [WIDE, HIGH]));
      const [a, b] = [cells(is, WIDE, HIGH, 30, 20), cells(shown, WIDE, HIGH, 30, 20)];
      const empty = cells(new Uint8ClampedArray(is.length).map((_, i) => [246, 247, 248, 255][i % 4]), WIDE, HIGH, 30, 20);
      const [apart, drawn] = [difference(a, b), difference(a, empty)];
      // a plain canvas has no shadows, shades no solids, and sees through its boxes
      assert.ok(apart < (kind ? 0.5 : 0.16) * drawn + (kind ? 1 : 0.25), `${model} ${kind || "webgl"}: ${apart.toFixed(2)} apart, where ${drawn.toFixed(2)} are drawn`);
      await other.context().close();
    }
    for (const [name, options] of [["laptop", {}], ["phone", { width: 390, height: 844, scale: 2 }]]) {
      const other = await open(path, options);
      const found = await boxes(other);
      const key = `${model} ${name}`;
      if (update) layout[key] = found;
      assert.deepEqual(found.map(([id]) => id), layout[key]?.map(([id]) => id), key);
      found.forEach(([id, ...is], i) => is.forEach((v, k) => assert.ok(Math.abs(v - layout[key][i][k + 1]) <= 16, `${key} ${id}: ${is}, not ${layout[key][i].slice(1)}`))); // a scroll bar
      await other.context().close();
    }
  };
await run(parts);
if (update) writeFileSync(join(kept, "layout.json"), `{\n${Object.entries(layout).map(([k, v]) => `${JSON.stringify(k)}: ${JSON.stringify(v)}`).join(",\n")}\n}\n`);
