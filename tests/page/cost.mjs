// What the page of `make demo` costs: bytes, and milliseconds until something is seen and until everything is there. Not a test: times are measured, not
// asserted. Run it on a machine that does nothing else:
//   tests/page/run.sh build/taut build/pages/cost cost.mjs
import { readFileSync, statSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { makePage, open, finish } from "./browser.mjs";

const path = makePage("demo", "double-spherical-pendulum.lua", "-m", "rattle", "-s", "0.01", "-T", "100");
const text = readFileSync(path, "utf8");
const bytes = (pattern) => [...text.matchAll(pattern)].reduce((sum, m) => sum + m[0].length, 0);
const mb = (n) => `${(n / 1e6).toFixed(2)} MB`;
const columns = bytes(/<script type="text\/plain" id="numbers">[^<]*/g);
const motion = bytes(/<script type="text\/plain" id="(motion|still)">[^<]*/g);
console.log(`bytes                   ${mb(statSync(path).size)}: numbers of plots ${mb(columns)}, animation ${mb(motion)}, program ${mb(text.length - columns - motion)}; ${mb(gzipSync(text).length)} with gzip`);
const rounds = [];
for (let i = 0; i < 7; i++) {
  const page = await open(path);
  await page.waitForFunction(() => performance.getEntriesByName("first-contentful-paint").length > 0);
  rounds.push(await page.evaluate(() => [performance.getEntriesByName("first-paint")[0].startTime, performance.getEntriesByName("first-contentful-paint")[0].startTime,
    performance.getEntriesByName("ready")[0].startTime]));
  await page.context().close();
}
["first paint", "first contentful paint", "everything there"].forEach((what, k) => console.log(`${what.padEnd(23)} ${Math.min(...rounds.map((r) => r[k])).toFixed(0)} ms, the best of ${rounds.length}`));
await finish();
