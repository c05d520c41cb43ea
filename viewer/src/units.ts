// Units of what a page shows, from the model's units{...}; "" where they are not known.
import type { Column, Run } from "./data";

const SI: [string, string][] = [["kg m\u00b2/s\u00b2", "J"], ["kg m/s\u00b2", "N"]];

/** A product of powers of length, time and mass. */
export function unit(run: Run, length: number, time: number, mass: number): string {
  const u = run.header.units ?? {};
  const parts: [string | undefined, number][] = [[u.mass, mass], [u.length, length], [u.time, time]];
  if (parts.some(([name, power]) => power && !name)) return "";
  const word = ([name, power]: [string | undefined, number]) => `${name}${Math.abs(power) === 1 ? "" : "\u00b2"}`;
  const above = parts.filter(([, power]) => power > 0).map(word).join(" ") || "1";
  const below = parts.filter(([, power]) => power < 0).map(word).join(" ");
  const text = below ? `${above}/${below}` : above;
  return SI.find(([product]) => product === text)?.[1] ?? text;
}

/** Of a column. A coordinate is a length when it belongs to a point; others may be angles. */
export function unitOf(run: Run, c: Column): string {
  const point = /\.[xyz]$/.test(c.name.replace(/\.dot$/, "")) && !run.columns.some((other) => other.name === `${c.name.replace(/\.dot$/, "").replace(/^p\./, "").slice(0, -2)}.w`);
  switch (c.kind) {
    case "time":
      return unit(run, 0, 1, 0);
    case "energy":
    case "work":
      return unit(run, 2, -2, 1);
    case "conserved":
      return c.name.startsWith("angular") ? unit(run, 2, -1, 1) : unit(run, 1, -1, 1);
    case "coordinate":
      return point ? unit(run, 1, 0, 0) : "";
    case "velocity":
      return point ? unit(run, 1, -1, 0) : "";
    case "momentum":
      return point ? unit(run, 1, -1, 1) : "";
    default:
      return "";
  }
}

/** Of several columns: theirs, when it is one. */
export function unitOfAll(run: Run, columns: number[]): string {
  const all = new Set(columns.map((k) => unitOf(run, run.info(k))));
  return all.size === 1 ? [...all][0] : "";
}

export const withUnit = (name: string, u: string): string => (u ? `${name}, ${u}` : name);
