// What the page calls a drift (viewer/src/trend.ts): never of symplectic methods, however long or short the run; always of methods that drift,
// once the run is long. And numbers that say when a trend is one.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "../../viewer/node_modules/esbuild/lib/main.js";

const [taut, folder] = process.argv.slice(2);
const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
buildSync({ entryPoints: [join(root, "viewer/src/trend.ts")], bundle: true, format: "esm", outfile: join(folder, "trend.mjs") });
const { trend } = await import(join(folder, "trend.mjs"));

function frames(model, method, step, until) {
  const [head, ...lines] = execFileSync(taut, ["run", join(root, "models", `${model}.lua`), "-m", method, "-s", String(step), "-T", String(until), "--csv", "--quiet"],
    { encoding: "utf8", maxBuffer: 1 << 29, stdio: ["ignore", "pipe", "inherit"] }).trim().split("\n");
  const names = head.split(",");
  const rows = lines.map((line) => line.split(",").map(Number));
  const column = (k) => rows.map((row) => row[k]);
  return { times: column(0), energy: column(names.indexOf("energy")), motion: names.flatMap((name, k) => (name.endsWith(".dot") ? [column(k)] : [])) };
}

/** The verdict on the run up to t. */
function drifts(run, t) {
  const count = run.times.findLastIndex((x) => x <= t * (1 + 1e-9)) + 1;
  const part = (x) => x.slice(0, count);
  return trend(part(run.times), part(run.energy).map((e) => e - run.energy[0]), run.motion.map(part)).drifts;
}

// Models of the gallery with some ten to hundreds of oscillations until the end: the methods that drift do so there.
const GALLERY = [["pendulum", 0.01, 100], ["double-spherical-pendulum", 0.01, 100], ["spring-pendulum", 0.01, 100], ["triple-pendulum", 0.01, 100],
  ["heavy-top", 0.001, 10], ["rigid-body", 0.01, 100], ["henon-heiles", 0.05, 100]];
const UNTIL = [1, 2, 3, 5, 7, 10, 14, 20, 30, 50, 70, 100];
for (const [model, step, end] of GALLERY) {
  for (const method of ["rattle", "lobatto:s=3", "euler"]) {
    const run = frames(model, method, step, end);
    const said = UNTIL.filter((t) => t <= end).map((t) => drifts(run, t));
    assert.ok(!said.includes(true), `${model}, ${method}: ${said}`);
    assert.equal(said.at(-1), false, `${model}, ${method}: the whole run is long enough to tell`);
  }
  for (const method of ["naive", "extended"]) assert.equal(drifts(frames(model, method, step, end), end), true, `${model}, ${method}`);
}

// A harmonic oscillation of the motion, 20 of them, and values by hand.
const times = Array.from({ length: 2001 }, (_, i) => i / 100);
const of = (f) => times.map(f);
const swing = [of((t) => Math.sin(2 * Math.PI * t))];
const ripple = (t) => Math.cos(4 * Math.PI * t);
assert.deepEqual([...[0, 0.01, 0.05, 0.2, 3].map((slope) => trend(times, of((t) => ripple(t) + slope * t), swing).drifts)], [false, false, true, true, true]);
assert.ok(Math.abs(trend(times, of((t) => ripple(t) - 0.2 * t), swing).change + 0.2 * 20) < 0.01);
assert.equal(trend(times, of((t) => Math.sin(2 * Math.PI * t / 20)), swing).drifts, false); // a slow oscillation comes back
assert.equal(trend(times, of((t) => t), []).drifts, null); // nothing says how long is long
assert.equal(trend(times, of((t) => t), [of((t) => Math.cos(t / 4))]).drifts, null); // less than an oscillation
assert.equal(trend(times, of((t) => (t > 15 ? NaN : t)), swing).drifts, null);
assert.equal(trend(times.map((t) => -t), of((t) => t), swing).drifts, true); // back in time
assert.equal(trend([0, 1], [0, 1], [[0, 1]]).drifts, null);
assert.equal(trend(times, of(() => 0), swing).drifts, false);
