// What the page tests share: making runs and pages, opening them, watching for errors and requests.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "../../viewer/node_modules/playwright-core/index.mjs";

export const [taut, folder] = process.argv.slice(2);
export const models = join(dirname(fileURLToPath(import.meta.url)), "../../models");

export const call = (...parameters) => execFileSync(taut, parameters, { cwd: folder, encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "inherit"] });

/** Runs a model and makes its page; the path of the page. `name` is that of the files. */
export function makePage(name, model, ...parameters) {
  for (const ending of ["taut", "taut-wal", "taut-shm", "html"]) rmSync(join(folder, `${name}.${ending}`), { force: true });
  call("run", existsSync(join(models, model)) ? join(models, model) : model, ...parameters, "-o", `${name}.taut`);
  call("report", `${name}.taut`, "-o", `${name}.html`);
  return join(folder, `${name}.html`);
}

/** The frames of a run as `taut export` writes them: names, and rows of numbers. */
export function readFrames(name) {
  rmSync(join(folder, `${name}.csv`), { force: true });
  call("export", `${name}.taut`, `${name}.csv`);
  const [head, ...lines] = execFileSync("cat", [join(folder, `${name}.csv`)], { encoding: "utf8", maxBuffer: 1 << 29 }).trim().split("\n");
  return { names: head.split(","), rows: lines.map((line) => line.split(",").map(Number)) };
}

let browser = null;
export const problems = [];

/** Opens a page from disk, for a reader who wants no motion: it stays as it is. Console errors, exceptions and requests beyond the file itself are problems. */
export async function open(path, { width = 1440, height = 900, scheme = "light", hash = "", scale = 1, motion = "reduce" } = {}) {
  browser ??= await chromium.launch({ executablePath: process.env.TAUT_CHROMIUM, args: [...(process.getuid() === 0 ? ["--no-sandbox"] : []),
    "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"] });
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, deviceScaleFactor: scale, offline: true, reducedMotion: motion, acceptDownloads: true });
  const page = await context.newPage();
  page.setDefaultTimeout(60000);
  page.on("console", (m) => ["error", "warning"].includes(m.type()) && !/GL Driver Message|GPU stall/.test(m.text()) && problems.push(`${m.type()}: ${m.text()}`));
  page.on("pageerror", (e) => problems.push(`exception: ${e.message}`));
  page.on("request", (r) => r.url().split("#")[0] !== pathToFileURL(path).href && !/^(data|blob):/.test(r.url()) && problems.push(`request: ${r.url()}`));
  await page.goto(pathToFileURL(path).href + hash);
  await page.waitForSelector("html[data-ready]", { state: "attached" });
  return page;
}

/** Two frames later everything that changed is drawn. */
export const settled = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))));

export const noProblems = () => assert.deepEqual(problems, []);

/** A value of the page's time cursor. */
export const row = (page) => page.evaluate(() => window.taut.player.row);

/** How many different colours the scene shows: an empty box has one. */
export const colours = (page) =>
  page.evaluate(() => {
    const source = document.querySelector(".stage canvas");
    const copy = document.createElement("canvas");
    [copy.width, copy.height] = [source.width, source.height];
    const pen = copy.getContext("2d");
    pen.drawImage(source, 0, 0);
    return new Set(new Uint32Array(pen.getImageData(0, 0, copy.width, copy.height).data.buffer)).size;
  });

export async function finish() {
  noProblems();
  await browser?.close();
}

/** Runs the parts in order and says which one failed. */
export async function run(parts) {
  for (const [what, part] of Object.entries(parts)) {
    const begun = Date.now();
    try {
      await part();
      noProblems();
    } catch (error) {
      console.error(`FAILED: ${what}`);
      console.error(error);
      console.error(problems.join("\n"));
      await browser?.close();
      process.exit(1);
    }
    console.log(`ok  ${what} (${Date.now() - begun} ms)`);
  }
  await finish();
}
