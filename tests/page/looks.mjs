// Twelve models, a comparison and an ensemble on a laptop and on a phone, light and dark; piles of bodies, mechanisms:
// nothing overflows, the scene is not empty. Of nine of the models on a laptop, light, alone, but for TAUT_TEST_LONG=1.
// The pictures are in the build's folder.
import assert from "node:assert/strict";
import { join } from "node:path";
import { call, colours, folder, makePage, models, open, run, settled } from "./browser.mjs";

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

const fits = async (page, name) => {
  const [content, window_] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
  assert.ok(content <= window_, `${name}: ${content} wide in a window of ${window_}`);
};

/** In the schemes named, the first when it is opened. */
async function look(path, name, at, options, least = 60, schemes = [["", "light"]]) {
  const page = await open(path, { ...options, scheme: schemes[0][1] });
  await page.evaluate((part) => window.taut.player.seek(part * window.taut.player.last), at);
  await page.waitForFunction(() => window.taut.panels[0].plot);
  for (const [ending, scheme] of schemes) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.waitForFunction((wanted) => document.documentElement.dataset.theme === wanted, scheme);
    await settled(page);
    assert.ok((await colours(page)) > least, "the scene is empty");
    await fits(page, name);
    await page.screenshot({ path: `${name}${ending}.png` });
  }
  await page.context().close();
}

const LAPTOP = {};
const PHONE = { width: 390, height: 844, scale: 2 };
const parts = {};
TWELVE.forEach(([model, at, ...parameters], index) => {
  parts[model] = async () => {
    const path = makePage(model, `${model}.lua`, ...parameters);
    if (index > 2 && !process.env.TAUT_TEST_LONG) return look(path, model, at, LAPTOP);
    await look(path, model, at, LAPTOP, 60, [["", "light"], ["-dark", "dark"]]);
    await look(path, model, at, PHONE, 60, [["-phone", "light"], ["-phone-dark", "dark"]]);
  };
});
for (const [model, at, ...parameters] of PILES)
  parts[model] = async () => look(makePage(model, `${model}.lua`, ...parameters), model, at, LAPTOP, 4); // flat faces
for (const [model, at, ...parameters] of MECHANISMS) {
  const name = model.replace("/", "-");
  parts[name] = async () => look(makePage(name, `${model}.lua`, ...parameters), name, at, LAPTOP, 4);
}

/** Pages without a clock of their own. */
async function lookAtDocument(path, name) {
  for (const [ending, options] of [["", LAPTOP], ["-phone", PHONE]]) {
    const page = await open(path, options);
    for (const scheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme: scheme });
      await page.waitForFunction((wanted) => document.documentElement.dataset.theme === wanted, scheme);
      await settled(page);
      await fits(page, name);
      await page.screenshot({ path: `${name}${ending}${scheme === "dark" ? "-dark" : ""}.png`, fullPage: true });
    }
    await page.context().close();
  }
}
parts.compare = async () => {
  call("compare", join(models, "double-spherical-pendulum.lua"), "-m", "rattle,lobatto:s=3,em,naive:rk4", "-s", "0.02", "-T", "20", "--report", "compare.html");
  await lookAtDocument(join(folder, "compare.html"), "compare");
};
parts.ensemble = async () => {
  call("ensemble", join(models, "pendulum.lua"), "--vary", "g=uniform(0.8,1.2)", "--members", "60", "-s", "0.02", "-T", "10", "-o", "ensemble.taut", "--force");
  call("report", "ensemble.taut", "-o", "ensemble.html");
  await lookAtDocument(join(folder, "ensemble.html"), "ensemble");
};
await run(parts);
