// Twelve models against pictures that were looked at: the scene as `taut render` draws it, pixel by pixel with a tolerance; the scene of the page (WebGL and
// plain canvas) against that one, by a coarse grid of mean colours; and the boxes of the page's layout, in what does not hang on fonts.
// UPDATE=1 writes the references: look at them before you keep them.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { inflateSync } from "node:zlib";
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

/** A PNG of 8 bits per channel as red, green, blue, 255 and so on. */
function decode(file) {
  const [wide, high, type] = [file.readUInt32BE(16), file.readUInt32BE(20), file[25]];
  const parts = [];
  let colours = null;
  for (let at = 8; at < file.length; at += 12 + file.readUInt32BE(at)) {
    const [kind, data] = [file.toString("latin1", at + 4, at + 8), file.subarray(at + 8, at + 8 + file.readUInt32BE(at))];
    if (kind === "IDAT") parts.push(data);
    if (kind === "PLTE") colours = data;
  }
  const step = { 2: 3, 3: 1, 6: 4 }[type];
  const [rows, line] = [inflateSync(Buffer.concat(parts)), step * wide];
  const out = new Uint8ClampedArray(4 * wide * high).fill(255);
  for (let y = 0; y < high; y++) {
    const from = y * (line + 1) + 1;
    for (let x = 0; x < line; x++) {
      const [left, up, corner] = [x >= step ? rows[from + x - step] : 0, y ? rows[from + x - line - 1] : 0, y && x >= step ? rows[from + x - line - 1 - step] : 0];
      const [a, b, c] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)];
      rows[from + x] += [0, left, up, (left + up) >> 1, a <= b && a <= c ? left : b <= c ? up : corner][rows[from - 1]];
      if (type === 3) out.set(colours.subarray(3 * rows[from + x], 3 * rows[from + x] + 3), 4 * (y * wide + x));
      else if (x % step < 3) out[4 * (y * wide + Math.floor(x / step)) + (x % step)] = rows[from + x];
    }
  }
  return out;
}

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

function compareLayout(key, found) {
  if (update) layout[key] = found;
  assert.deepEqual(found.map(([id]) => id), layout[key]?.map(([id]) => id), key);
  found.forEach(([id, ...is], i) => is.forEach((v, k) => assert.ok(Math.abs(v - layout[key][i][k + 1]) <= 16, `${key} ${id}: ${is}, not ${layout[key][i].slice(1)}`))); // a scroll bar
}

const parts = {};
for (const [model, t, ...parameters] of TWELVE)
  parts[model] = async () => {
    const path = makePage(model, `${model}.lua`, ...parameters);
    const reference = join(kept, `${model}.png`);
    call("render", `${model}.taut`, "--at", String(t), "--size", `${WIDE}x${HIGH}`, "--plain", "-o", `${model}.png`);
    if (update) {
      mkdirSync(kept, { recursive: true });
      writeFileSync(reference, readFileSync(join(folder, `${model}.png`)));
    }
    const [is, wanted] = [decode(readFileSync(join(folder, `${model}.png`))), decode(readFileSync(reference))];
    assert.equal(is.length, wanted.length);
    let off = 0;
    for (let i = 0; i < is.length; i += 4) off += Math.max(Math.abs(is[i] - wanted[i]), Math.abs(is[i + 1] - wanted[i + 1]), Math.abs(is[i + 2] - wanted[i + 2])) > 24;
    assert.ok(off < 0.002 * WIDE * HIGH, `${model}: ${off} pixels are not those of references/${model}.png`); // a line that moves by a quarter of a pixel is 100
    // the page's own scene, of the same size and time; on a plain canvas, too, of some
    for (const kind of TWELVE.findIndex(([name]) => name === model) % 3 === 0 ? ["", "canvas&"] : [""]) {
      const other = await open(path, { hash: `#${kind}t=${t}` });
      for (const [name, size] of kind ? [] : [["laptop", { width: 1440, height: 900 }], ["phone", { width: 390, height: 844 }]]) {
        await other.setViewportSize(size);
        await settled(other);
        compareLayout(`${model} ${name}`, await boxes(other));
      }
      await other.setViewportSize({ width: 1440, height: 900 });
      await other.evaluate(([w, h]) => { const s = document.querySelector(".stage"); s.style.width = `${w + 2}px`; s.style.height = `${h + 2}px`; }, [WIDE, HIGH]);
      await settled(other);
      await other.evaluate(() => { window.taut.view.camera.reset(); window.taut.view.refresh(); });
      await settled(other);
      const shown = decode(Buffer.from(await other.evaluate(([w, h]) => {
        const canvas = document.createElement("canvas");
        [canvas.width, canvas.height] = [w, h];
        canvas.getContext("2d").drawImage(document.querySelector(".stage canvas"), 0, 0, w, h);
        return canvas.toDataURL("image/png").split(",")[1];
      }, [WIDE, HIGH]), "base64"));
      await other.context().close();
      const [a, b] = [cells(is, WIDE, HIGH, 30, 20), cells(shown, WIDE, HIGH, 30, 20)];
      const empty = cells(new Uint8ClampedArray(is.length).map((_, i) => [246, 247, 248, 255][i % 4]), WIDE, HIGH, 30, 20);
      const [apart, drawn] = [difference(a, b), difference(a, empty)];
      // a plain canvas has no shadows, shades no solids, and sees through its boxes
      assert.ok(apart < (kind ? 0.5 : 0.16) * drawn + (kind ? 1 : 0.25), `${model} ${kind || "webgl"}: ${apart.toFixed(2)} apart, where ${drawn.toFixed(2)} are drawn`);
    }
  };
await run(parts);
if (update) writeFileSync(join(kept, "layout.json"), `{\n${Object.entries(layout).map(([k, v]) => `${JSON.stringify(k)}: ${JSON.stringify(v)}`).join(",\n")}\n}\n`);
