// Twelve models on a laptop and on a phone, light and dark, piles of bodies, mechanisms: nothing overflows, the scene is not
// empty.
// The pictures are in the build's folder.
import assert from "node:assert/strict";
import { colours, makePage, open, run, settled } from "./browser.mjs";

export const TWELVE = [
  ["double-spherical-pendulum", 0.41, "-s", "0.01", "-T", "60"],
  ["heavy-top", 0.72, "-s", "0.0005", "-T", "4", "--every", "2"],
  ["four-bar", 0.31, "-s", "0.001", "-T", "3"],
  ["six-balls", 0.37, "-s", "0.01", "-T", "60"],
  ["hanging-chain", 0.38, "-s", "0.002", "-T", "16", "--every", "8", "-D", "N=24"],
  ["rigid-body", 0.35, "-s", "0.005", "-T", "20"],
  ["table-edge", 0.3, "-T", "1.5"],
  ["block-incline", 0.2, "-T", "2"],
  ["newtons-cradle", 0.32, "-T", "3"],
  ["dice", 0.3, "-T", "4"],
  ["stewart-platform", 0.4, "-T", "5"],
  ["slider-crank", 0.35, "-s", "0.0005", "-T", "0.5"],
];

// Bodies that carry each other: one picture each.
export const PILES = [
  ["arch", 0.75, "-m", "em", "-s", "0.01", "-T", "0.7", "-D", "n=15", "-D", "thickness=0.1"],
  ["pyramid", 0.5, "-s", "0.01", "-T", "0.1", "-D", "rows=10"],
  ["dominoes", 0.12, "-m", "em", "-s", "0.01", "-T", "4"],
];

// Bodies and joints, which draw themselves: one picture each.
export const MECHANISMS = [
  ["suspension", 0.5, "-s", "0.002", "-T", "0.4"],
  ["stewart-legs", 0.5, "-s", "0.02", "-T", "2"],
  ["hinged-chain", 0.5, "-s", "0.002", "-T", "1"],
  ["benchmarks/a03-squeezer", 0.5, "-s", "0.00001", "-T", "0.03", "--every", "10"],
];

async function look(path, name, at, options, least = 60) {
  const page = await open(path, options);
  await page.evaluate((part) => window.taut.player.seek(part * window.taut.player.last), at);
  await page.waitForFunction(() => window.taut.panels[0].plot);
  await settled(page);
  assert.ok((await colours(page)) > least, "the scene is empty");
  const [content, window_] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
  assert.ok(content <= window_, `${name}: ${content} wide in a window of ${window_}`);
  await page.screenshot({ path: `${name}.png` });
  await page.context().close();
}

const parts = {};
TWELVE.forEach(([model, at, ...parameters], i) => {
  parts[model] = async () => {
    const path = makePage(model, `${model}.lua`, ...parameters);
    await look(path, `${model}`, at, { scheme: "light" });
    if (i % 3 === 0) await look(path, `${model}-dark`, at, { scheme: "dark" });
    if (i % 3 === 1) await look(path, `${model}-phone`, at, { width: 390, height: 844, scale: 2 });
  };
});
for (const [model, at, ...parameters] of PILES)
  parts[model] = async () => look(makePage(model, `${model}.lua`, ...parameters), model, at, { scheme: "light" }, 4); // flat faces
for (const [model, at, ...parameters] of MECHANISMS) {
  const name = model.replace("/", "-");
  parts[name] = async () => look(makePage(name, `${model}.lua`, ...parameters), name, at, { scheme: "light" }, 4);
}
await run(parts);
