// Every number of a page is that of the run file, and the page says them rightly.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { call, folder, makePage, models, open, readFrames, run } from "./browser.mjs";

/** All columns of the page as plain arrays. */
const allColumns = (page) =>
  page.evaluate(() => {
    const { run } = window.taut;
    return run.columns.map((c, i) => ({ name: c.name, kind: c.kind, deviation: !!c.deviation, lowest: c.lowest, highest: c.highest, values: Array.from(run.values(i).value) }));
  });

let page;
await run({
  "all values of all columns": async () => {
    const path = makePage("values", "spring-pendulum.lua", "-m", "rattle", "-s", "0.01", "-T", "8");
    page = await open(path);
    const frames = readFrames("values");
    const columns = await allColumns(page);
    assert.deepEqual(columns.filter((c) => !c.deviation).map((c) => c.name), frames.names);
    for (const c of columns) {
      const k = frames.names.indexOf(c.name);
      const wanted = frames.rows.map((values) => values[k] - (c.deviation ? frames.rows[0][k] : 0)); // exact: doubles all the way, and one subtraction
      assert.deepEqual(c.values, wanted, c.name);
      assert.equal(c.lowest, Math.min(...wanted));
      assert.equal(c.highest, Math.max(...wanted));
    }
  },
  "the legend and the cursor, against SQL": async () => {
    await page.evaluate(() => window.taut.player.seek(345));
    const shown = await page.locator("#panel-state .chip", { hasText: "b.x" }).locator(".value").textContent();
    const [t, x] = execFileSync("sqlite3", [join(folder, "values.taut"), `select t, "b.x" from frames where frame = 345`], { encoding: "utf8" }).trim().split("|").map(Number);
    assert.equal(shown, String(Number(x.toPrecision(6))).replace("-", "\u2212"));
    assert.equal((await page.locator(".clock").textContent()).replace(/^t = /, ""), t.toPrecision(4));
    assert.ok(Math.abs(t - 3.45) < 1e-12);
  },
  "places of the picture": async () => {
    // b of the model is drawn at (x, -y): the last ball, in single precision
    const frames = readFrames("values");
    const places = await page.evaluate(() => {
      const { motion } = window.taut.view;
      const ball = motion.shapes.find((s) => s.type === "ball");
      return [0, 345, 800].map((k) => { const out = [0, 0, 0]; motion.place(ball.at[0], k, out); return out; });
    });
    [0, 345, 800].forEach((k, i) => {
      const [x, y] = ["b.x", "b.y"].map((name) => frames.rows[k][frames.names.indexOf(name)]);
      assert.deepEqual(places[i], [Math.fround(x), Math.fround(-y), 0]);
    });
  },
  "header: method, step, parameters, source, what was kept": async () => {
    const head = await page.locator("#head").innerText();
    for (const text of ["Nonlinear spring pendulum", "rattle", "h = 0.01", "t = 0 \u2026 8", "801 frames", "4 coordinates, 2 constraints", "Energy", "\u22120.707106781"])
      assert.ok(head.includes(text), `${text} in ${head}`);
    // the figures beside them, from the frames: with two digits, as 1.2e-3 or 1.2x10^-3
    const frames = readFrames("values");
    const column = (name) => frames.rows.map((values) => values[frames.names.indexOf(name)]);
    const plain = (text) => Number(text.replace("\u2212", "-").replace(/(?:(\d)\u00d7)?10([\u207b\u2070-\u2079\u00b9\u00b2\u00b3]+)/, (_, d, e) =>
      `${d ?? "1"}e${[...e].map((c) => "\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079".indexOf(c)).map((k) => (k ? k - 1 : "-")).join("")}`));
    const rounded = (x) => Number(x.toPrecision(2));
    const fact = async (name) => (await page.locator(".fact", { has: page.locator("dt", { hasText: name }) }).locator("dd").innerText()).trim();
    const [t, change] = [column("t"), column("energy").map((e) => e - column("energy")[0])];
    const mean = (x) => x.reduce((sum, value) => sum + value, 0) / x.length;
    const slope = mean(t.map((at, i) => (at - mean(t)) * change[i])) / mean(t.map((at) => (at - mean(t)) ** 2));
    const shown = (await fact("Energy")).match(/(\S+) \u2026 (\S+), slope (\S+) per unit time$/).slice(1).map(plain);
    assert.deepEqual(shown, [Math.min(...change), Math.max(...change), slope].map(rounded));
    for (const [name, of] of [["Constraints |g|", "constraint"], ["Velocities |dg/dt|", "velocity_constraint"]])
      assert.deepEqual(plain((await fact(name)).replace(/^\u2264 /, "")), rounded(Math.max(...column(of))), name);
    const foot = await page.locator("#foot").innerText();
    for (const text of ["m1", "Parameters", 'constraint("rod", norm2(b - a) - l^2)']) assert.ok(foot.includes(text), text);
    await page.context().close();
  },
  "settings, and a run in quad whose energy error is below double": async () => {
    const path = makePage("quad", "pendulum.lua", "-m", "lobatto:s=6", "-s", "0.02", "-T", "2", "--precision", "quad", "-D", "m=2");
    page = await open(path);
    const error = await page.evaluate(() => { const c = window.taut.run.columns.find((k) => k.name === "energy" && k.deviation); return Math.max(-c.lowest, c.highest); });
    const { names, rows } = readFrames("quad");
    assert.ok(error > 0 && error < 1e-16, String(error)); // order 10 with h = 0.02: below what doubles can tell from 0
    assert.equal(new Set(rows.map((r) => r[names.indexOf("energy")])).size, 1);
    assert.ok((await page.locator("#foot").innerText()).includes("Set with -D"));
    // its axis tells such numbers apart
    const labels = await page.evaluate(() => window.taut.panels.find((p) => p.plot).plot.axes[1]._values);
    assert.ok(labels.length > 1 && new Set(labels).size === labels.length, labels.join(" "));
    await page.context().close();
  },
  "events: those of the run file, in the data and in the table": async () => {
    page = await open(makePage("events", "bouncing-ball.lua", "-T", "10"));
    const wanted = execFileSync("sqlite3", ["-json", join(folder, "events.taut"), "select t, name, kind, impulse from events order by rowid"], { encoding: "utf8" });
    const events = await page.evaluate(() => window.taut.run.header.events.map(({ t, name, kind, impulse }) => ({ t, name, kind, impulse })));
    assert.deepEqual(events, JSON.parse(wanted));
    // the first fall from 1 ends at sqrt(2/g) with sqrt(2 g); impulse (1 + e) m u
    assert.ok(Math.abs(events[0].t - Math.sqrt(2 / 9.81)) < 1e-14 && Math.abs(events[0].impulse - 1.9 * Math.sqrt(2 * 9.81)) < 1e-13);
    assert.deepEqual([events[0].kind, events.at(-1).kind], ["impact", "rest"]);
    const foot = await page.locator("#foot").innerText();
    for (const text of [`Events (${events.length})`, "0.45152364", "8.41595"]) assert.ok(foot.includes(text), text);
    // one row of the run is at the event: the link in the table leads there
    await page.locator("#foot button", { hasText: "0.45152364" }).click();
    assert.equal((await page.locator(".clock").textContent()).replace(/^t = /, ""), events[0].t.toPrecision(5));
    await page.context().close();
  },
  "no draw: bars guessed": async () => {
    writeFileSync(join(folder, "guess.lua"), 'local a, b = point "a", point "b"\nlagrangian(norm2(a.dot) + norm2(b.dot) - a.z - b.z)\n' +
      'constraint("one", norm2(a) - 1)\nconstraint("two", norm(b - a) - 2)\nstart { a = {1, 0, 0}, b = {3, 0, 0} }\n');
    page = await open(makePage("guess", "guess.lua", "-T", "1"));
    const shapes = await page.evaluate(() => window.taut.run.header.picture.shapes.map((s) => s.type));
    assert.deepEqual(shapes, ["bar", "bar", "ball", "ball"]);
    assert.ok((await page.locator("#foot").innerText()).includes("guessed from its distance constraints"));
    await page.context().close();
  },
  "no places at all: no scene, the rest works": async () => {
    writeFileSync(join(folder, "bare.lua"), 'local theta = coordinate "theta"\nlagrangian(theta.dot^2/2 + cos(theta))\nstart { theta = 1 }\n');
    page = await open(makePage("bare", "bare.lua", "-T", "5"));
    assert.equal(await page.locator(".stage").count(), 0);
    await page.keyboard.press("End");
    assert.equal(await page.evaluate(() => window.taut.player.row), 500);
    await page.context().close();
  },
  "texts that would break a page": async () => {
    const bad = '</script><script>window.bad = 1</script><img src=x onerror="window.bad = 2"><!-- <script>';
    writeFileSync(join(folder, "bad.lua"), Buffer.concat([Buffer.from(`title [[${bad}]]\nlocal x = coordinate "x"\nlagrangian(x.dot^2/2)\nstart { x = 0 } -- ${bad} \u2028 `),
      Buffer.from([0xff, 0xfe, 0xe2, 0x28]), Buffer.from("\n")]));
    page = await open(makePage("bad", "bad.lua", "-T", "1", "-s", "0.1"));
    assert.equal(await page.evaluate(() => window.bad), undefined);
    assert.equal(await page.locator("h1").textContent(), bad);
    assert.ok((await page.locator(".source code").textContent()).includes(bad));
    assert.equal(await page.locator("#main img").count(), 0);
    await page.context().close();
  },
  "a run with one frame, an unfinished name, no page left behind after a failure": async () => {
    assert.ok(existsSync(join(folder, "bad.html")));
    assert.throws(() => call("report", join(models, "pendulum.lua")));
    assert.ok(!existsSync(join(models, "pendulum.lua.html")));
    assert.ok(!existsSync(join(folder, "bad.html.part")));
  },
});
