// viewer/dist is what viewer/src gives, byte for byte, and the sources have no type errors.
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const viewer = join(dirname(fileURLToPath(import.meta.url)), "../../viewer");
const out = join(process.argv[3], "dist");
execFileSync("node", [join(viewer, "node_modules/typescript/bin/tsc"), "--noEmit", "-p", viewer], { stdio: "inherit" });
execFileSync("node", [join(viewer, "build.mjs"), out], { stdio: "inherit" });
const names = readdirSync(join(viewer, "dist"));
let failed = names.length === 0;
for (const name of names)
  if (!readFileSync(join(out, name)).equals(readFileSync(join(viewer, "dist", name)))) {
    console.error(`viewer/dist/${name} is not what viewer/src gives; run: node viewer/build.mjs`);
    failed = true;
  }
process.exit(failed ? 1 : 0);
