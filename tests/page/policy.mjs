// The policy of a page: its own script and style run, nothing else does.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { call, folder, makePage, models, open, problems, run, settled } from "./browser.mjs";

const path = makePage("policy", "pendulum.lua", "-s", "0.01", "-T", "2");
call("compare", join(models, "pendulum.lua"), "-m", "rattle,em", "-s", "0.1", "-T", "2", "--report", "compare.html");
call("ensemble", join(models, "pendulum.lua"), "--vary", "g=uniform(9,10)", "--members", "8", "-s", "0.1", "-T", "1", "-o", "some.taut", "--force");
call("report", "some.taut", "-o", "ensemble.html");

const HOSTILE = `<script>window.broken = "script"</script>
<img src="data:," onerror="window.broken = 'handler'"><base href="https://example.org/"><style>body { outline: 7px solid rgb(1, 2, 3) }</style>
<form action="https://example.org/" id="form"><input name="a" value="b"></form>`;
const says = (text) => (text.match(/http-equiv="Content-Security-Policy" content="([^"]*)"/) ?? [])[1];

await run({
  "hashes of what is in the page, and nothing is left open": async () => {
    for (const name of ["policy", "compare", "ensemble"]) {
      const text = readFileSync(join(folder, `${name}.html`), "utf8");
      const policy = says(text);
      const hash = (part) => `'sha256-${createHash("sha256").update(part).digest("base64")}'`;
      const script = text.slice(text.lastIndexOf("<script>") + 8, text.lastIndexOf("</script>"));
      const style = text.slice(text.indexOf("<style>") + 7, text.indexOf("</style>"));
      assert.equal(policy, `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; img-src data: blob:; base-uri 'none'; form-action 'none'`, name);
    }
  },
  "the templates say the same": async () => {
    const dist = join(dirname(fileURLToPath(import.meta.url)), "../../viewer/dist");
    for (const name of ["page", "document", "ensemble"]) assert.match(says(readFileSync(join(dist, `${name}.html`), "utf8")), /^default-src 'none'; script-src 'sha256-[\w+/=]+'; style-src 'sha256-/);
  },
  "the pages work under it": async () => {
    for (const name of ["policy", "compare", "ensemble"]) {
      const page = await open(join(folder, `${name}.html`));
      await settled(page);
      assert.ok((await page.evaluate(() => document.body.innerText.length)) > 200, name);
      assert.ok((await page.locator("canvas").count()) > 0, name);
      await page.context().close();
    }
  },
  "what is put into a page does not run": async () => {
    for (const name of ["policy", "compare", "ensemble"]) {
      const text = readFileSync(join(folder, `${name}.html`), "utf8");
      const at = text.indexOf('<script type="application/json" id="data">');
      assert.ok(at > 0);
      writeFileSync(join(folder, `${name}-hostile.html`), text.slice(0, at) + HOSTILE + text.slice(at));
      const page = await open(join(folder, `${name}-hostile.html`));
      await settled(page);
      assert.equal(await page.evaluate(() => window.broken), undefined, name);
      assert.notEqual(await page.evaluate(() => getComputedStyle(document.body).outlineColor), "rgb(1, 2, 3)");
      assert.ok(!(await page.evaluate(() => document.baseURI)).includes("example.org"));
      await page.evaluate(() => document.getElementById("form").submit());
      await settled(page);
      assert.ok(page.url().startsWith("file:"));
      await page.context().close();
      const refused = problems.splice(0).filter((p) => /Content Security Policy/.test(p));
      assert.ok(refused.length >= 4, refused.join("\n")); // script, handler, base, style, form
    }
  },
  "a title, label, unit or comment with tags in it is text": async () => {
    writeFileSync(join(folder, "tags.lua"), `-- </script><script>window.broken = 1</script> <img src=x onerror="window.broken = 2">
title "</title></script><script>window.broken = 3</script>"
local a = point "a"
lagrangian(norm2(a.dot)/2)
start { a = {0, 0, 0}, ["a.dot"] = {1, 0, 0} }
draw { ball(a, 0.1):label "</span><img src=x onerror='window.broken = 4'>" }
`);
    const page = await open(makePage("tags", "tags.lua", "-T", "1"));
    await settled(page);
    assert.equal(await page.evaluate(() => window.broken), undefined);
    assert.equal(await page.locator("h1").innerText(), "</title></script><script>window.broken = 3</script>");
    await page.context().close();
  },
});
