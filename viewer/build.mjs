// node build.mjs [FOLDER]: bundles src/ into self-contained templates, in dist/ or in FOLDER. The same sources and packages give the same bytes.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, "dist");
const PAGES = { page: ["three", "uplot"], document: ["uplot"], ensemble: [] }; // and the packages inside

function licence(name) {
  const folder = join(here, "node_modules", name);
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return `${name} ${version}\n${readFileSync(join(folder, "LICENSE"), "utf8").trim()}`.replaceAll("--", "- -");
}

async function bundle(entry) {
  const result = await build({
    entryPoints: [join(here, "src", entry)], bundle: true, minify: true, format: "iife", target: "es2020", charset: "ascii",
    legalComments: "none", write: false, outdir: out, absWorkingDir: here, logLevel: "warning",
  });
  const text = (ending) => result.outputFiles.find((file) => file.path.endsWith(ending))?.text.trim() ?? "";
  return { script: text(".js"), style: text(".css") };
}

/** What the policy of a page allows: this script and this style, to the last byte. */
const hash = (text) => `sha256-${createHash("sha256").update(text).digest("base64")}`;

mkdirSync(out, { recursive: true });
for (const [name, packages] of Object.entries(PAGES)) {
  const { script, style } = await bundle(`${name}.ts`);
  const page = readFileSync(join(here, "src", "template.html"), "utf8")
    .replace("SCRIPT HASH", () => hash(script))
    .replace("STYLE HASH", () => hash(style))
    .replace("/*STYLE*/", () => style)
    .replace("/*SCRIPT*/", () => script)
    .replace("LICENCES", () => packages.map(licence).join("\n\n"));
  writeFileSync(join(out, `${name}.html`), page);
}
