// node fetch.mjs: the packages of package-lock.json into node_modules, with curl and tar, each checked against the lock file's digest. npm ci
// does the same; this needs no npm, which on Debian is hundreds of packages. Exit status 3: the registry cannot be reached.
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const registry = (process.env.npm_config_registry ?? "https://registry.npmjs.org").replace(/\/$/, "");
const lock = JSON.parse(readFileSync(join(here, "package-lock.json"), "utf8"));
const fits = (list, mine) => !list || list.includes(mine);

function present(folder, version) {
  const file = join(folder, "package.json");
  return existsSync(file) && JSON.parse(readFileSync(file, "utf8")).version === version;
}

for (const [path, entry] of Object.entries(lock.packages)) {
  if (!path || !fits(entry.os, process.platform) || !fits(entry.cpu, process.arch)) continue;
  const folder = join(here, path);
  if (present(folder, entry.version)) continue;
  const name = path.replace(/^.*node_modules\//, "");
  const url = `${registry}/${name}/-/${name.replace(/^.*\//, "")}-${entry.version}.tgz`;
  const got = spawnSync("curl", ["-fsSL", "--retry", "2", "--connect-timeout", "20", "--max-time", "180", url], { maxBuffer: 1 << 28 });
  if (got.error || got.status !== 0) {
    console.error(`cannot get ${url}: ${got.error?.message ?? got.stderr.toString().trim()}`);
    process.exit(3);
  }
  const [algorithm, digest] = entry.integrity.split(/-(.*)/s);
  if (createHash(algorithm).update(got.stdout).digest("base64") !== digest) {
    console.error(`${url} is not what package-lock.json says: its ${algorithm} differs`);
    process.exit(1);
  }
  const part = `${folder}.part`;
  rmSync(part, { recursive: true, force: true });
  mkdirSync(part, { recursive: true });
  execFileSync("tar", ["-xzf", "-", "--strip-components=1", "--no-same-owner", "-C", part], { input: got.stdout });
  rmSync(folder, { recursive: true, force: true });
  renameSync(part, folder);
  console.log(`${name} ${entry.version}`);
}
