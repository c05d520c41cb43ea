// The top of the page: what was run, and what was kept.
import type { Run, Watched } from "./data";
import { el } from "./dom";
import { count, number, ordinal, signed } from "./format";
import { trend, type Trend } from "./trend";

/** What a quantity did over all steps that the run looked at; of a run by an older Taut, over its frames. */
function seen(run: Run, name: string): Watched | null {
  const found = run.watched(name);
  const [value, deviation] = [run.columns[run.find(name)], run.columns[run.find(name, true)]];
  if (found || !value) return found ?? null;
  const from = deviation ?? value;
  return { name, first: value.first, last: value.last, lowest: value.lowest, highest: value.highest, down: from.lowest, up: from.highest,
    change: from.last, slope: (deviation ?? value).slope };
}

const largest = (w: Watched): number => (w.down === null || w.up === null ? Infinity : Math.max(Math.abs(w.down), Math.abs(w.up)));

const words = (name: string): string => name.replace(/_/g, " ").replace(/\.([xyz])$/, " $1");

/** A quantity: its name, a figure, and a remark. */
function fact(name: string, figure: string, remark: string, title: string): HTMLElement {
  return el("div", { class: "fact", title }, el("dt", {}, name), el("dd", {}, el("b", {}, figure), remark ? el("span", {}, remark) : null));
}

function energyFact(run: Run, energy: Watched): HTMLElement {
  const remark = `${signed(energy.down)} \u2026 ${signed(energy.up)}, slope ${signed(energy.slope)} per unit time`;
  return run.header.energyConserved
    ? fact("Energy", number(energy.first, 9), remark, `error of the energy over all steps; relative ${number(energy.first ? largest(energy) / Math.abs(energy.first) : NaN, 2)}`)
    : fact("Energy (not conserved by the model)", `${number(energy.first, 6)} \u2192 ${number(energy.last, 6)}`, `changed by ${remark.replace(/, slope.*/, "")}`, "forces, contacts or the time change it");
}

/** Without constraints there is nothing to leave. */
export const hasResiduals = (run: Run): boolean => run.columns.some((c) => /constraint$/.test(c.kind) && (c.highest ?? 0) > 0);

export function facts(run: Run): HTMLElement {
  const list = el("dl", { class: "facts" });
  for (const c of run.columns) {
    const found = c.deviation ? null : seen(run, c.name);
    if (!found) continue;
    if (c.kind === "energy") list.append(energyFact(run, found));
    if (c.kind === "constraint" && hasResiduals(run)) list.append(fact("Constraints |g|", `\u2264 ${number(found.highest, 2)}`, "", "largest constraint residual over all steps"));
    if (c.kind === "velocity_constraint" && hasResiduals(run)) list.append(fact("Velocities |dg/dt|", `\u2264 ${number(found.highest, 2)}`, "", "largest residual of the velocity constraints over all steps"));
    if (c.kind === "conserved")
      list.append(fact(words(c.name).replace(/^./, (x) => x.toUpperCase()), number(found.first, 9), `changed by \u2264 ${number(largest(found), 2)}`, "conserved by a symmetry that Taut found"));
  }
  const balance = run.watched("energy - work");
  if (balance) list.append(fact("Energy \u2212 work", number(balance.first, 6), `changed by \u2264 ${number(largest(balance), 2)}`, "how well the work of forces, time and moving constraints accounts for the energy"));
  return list;
}

const percent = (r: number): string => (r < 1e-6 ? `${number(r, 1)} of its size` : `${number(100 * r, r < 0.1 ? 1 : 2)} %`);

/** A column as a quantity that may drift, against the motion of the velocities (or of what the run has instead). */
function trendOf(run: Run, column: number): Trend | null {
  if (column < 0) return null;
  const kind = ["velocity", "momentum", "coordinate"].find((k) => run.columns.some((c) => c.kind === k));
  const all = run.columns.flatMap((c, i) => (c.kind === kind && !c.deviation ? [i] : []));
  const some = all.filter((_, i) => i % Math.ceil(all.length / 60) === 0); // of many, some
  return trend(run.times, run.values(column).value, some.map((k) => run.values(k).value));
}

/** A quantity that should stay. `kinetic`: the largest kinetic energy, or 0; `column`: of its change. */
function kept(run: Run, w: Watched, name: string, kinetic: number, column: number): string {
  const off = largest(w);
  const fromTo = `${name} from ${number(w.first, 4)} to ${number(w.last, 4)}`;
  if (!Number.isFinite(off)) return `${name} is not finite`;
  // where the error is most of the motion, it is none of its size
  const size = Math.max(Math.abs(w.first ?? 0), kinetic - off);
  const r = off > 0 ? off / Math.max(size, 0) : 0;
  if (r < 1e-11) return `${name} kept to round-off`;
  if (!kinetic && r > 0.1) return `${name} changed by at most ${number(off, 2)}`; // its zero may be anywhere: not a size to measure with
  if (r > 1) return `${fromTo}, off by more than its size: this is not the motion; take a smaller step`;
  if (r > 0.1) return `${name} off by up to ${percent(r)}: a smaller step may be needed`;
  const found = trendOf(run, column);
  const drift = found?.drifts ? `, drifting by ${percent(Math.abs(found.change) / size)} over the run` : found?.drifts === false ? ", no drift" : "";
  return `${name} within ${percent(r)}${drift}`;
}

/** One digit. */
const rough = (x: number): string => number(Number(x.toPrecision(1)), 1);

/** Where lengths are about 1, residuals of constraints of degree 2 that are worth the word "kept". */
const KEPT = 1e-6;

function constraintWords(run: Run): string {
  const highest = seen(run, "constraint")?.highest;
  const size = Math.max(1, ...run.columns.filter((c) => c.kind === "coordinate").map((c) => Math.abs(c.first ?? 0)));
  if (highest === null || highest === undefined || !Number.isFinite(highest)) return "constraints not kept: not finite";
  return highest <= KEPT * size ** 2 ? `constraints kept to ${rough(highest)}` : `constraints off by up to ${rough(highest)}`;
}

function momentumWords(momenta: Watched[]): string {
  const size = Math.max(...momenta.map((w) => Math.abs(w.first ?? 0)));
  const off = Math.max(...momenta.map(largest));
  if (!Number.isFinite(off)) return "momenta are not finite";
  if (size > 0 && off / size < 1e-11) return "momenta kept to round-off";
  return off <= KEPT * (size || 1) ? `momenta kept to ${rough(off)}` : `momenta changed by up to ${rough(off)}`;
}

/** How well the run went, in words: before numbers that need explaining. `kinetic`: the largest kinetic energy, or 0;
    `balance`: the column of energy less work, or -1. */
export function verdict(run: Run, kinetic: number, balanceColumn: number): HTMLElement | null {
  const [energy, balance] = [seen(run, "energy"), run.watched("energy - work")];
  const said: string[] = [];
  if (energy && run.header.energyConserved) said.push(kept(run, energy, "energy", kinetic, run.find("energy", true)));
  else if (balance) said.push(kept(run, balance, "energy less work", kinetic, balanceColumn));
  else if (energy && (energy.down || energy.up)) {
    const r = largest(energy) / Math.max(Math.abs(energy.first ?? 0), kinetic);
    said.push(r < 0.01 ? `energy changed by at most ${percent(r)}` : `energy from ${number(energy.first, 4)} to ${number(energy.last, 4)}`);
  }
  if (hasResiduals(run)) said.push(constraintWords(run));
  const momenta = run.columns.filter((c) => c.kind === "conserved" && !c.deviation).flatMap((c) => seen(run, c.name) ?? []).filter((w) => w.lowest || w.highest);
  if (momenta.length) said.push(momentumWords(momenta));
  if (!said.length) return null;
  const text = said.join("; ");
  return el("p", { class: "verdict" }, `${text[0].toUpperCase()}${text.slice(1)}.`);
}

/** What the comment at the top of the model says first. */
export function lead(source: string): string {
  const block = /^\s*--\[(=*)\[([\s\S]*?)\]\1\]/.exec(source)?.[2];
  const text = (block ?? (/^(?:\s*--(?!\[=*\[)[^\n]*\n?)+/.exec(source)?.[0] ?? "").replace(/^\s*--+ ?/gm, "")).replace(/\s+/g, " ").trim();
  // not within parentheses, where references are: (Astron. J. 69)
  const open = (i: number) => (text.slice(0, i).match(/\(/g) ?? []).length > (text.slice(0, i).match(/\)/g) ?? []).length;
  const end = [...text.matchAll(/\.(?= [^a-z])|:(?= [A-Z])|\.$/g)].find((m) => !open(m.index));
  const first = end ? text.slice(0, end.index + 1).replace(/:$/, ".") : text;
  return first.length > 300 ? `${first.slice(0, 297).replace(/\s+\S*$/, "")} \u2026` : first;
}

/** The command that makes this run. */
export function commandLine(run: Run): string {
  const { model, method, step, until, every, precision, tolerance, start, contacts } = run.header.run;
  const quote = (text: string) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replace(/'/g, "'\\''")}'`);
  const words = ["taut", "run", quote(model ?? "model.lua")];
  const put = (flag: string, value: string | undefined, usual = "") => value && value !== usual && words.push(flag, quote(value));
  put("-m", method);
  put("-s", step);
  put("-T", until);
  put("--every", every, "1");
  put("--precision", precision, "double");
  put("--tol", tolerance, "0");
  put("--start", start, "strict");
  put("--contacts", contacts, "event");
  for (const [name, value] of run.header.settings) put("-D", `${name}=${value}`);
  words.push("-o", "run.taut");
  return words.join(" ");
}

const several = (n: number, what: string): string => `${count(n)} ${what}${n === 1 ? "" : "s"}`;

export function summary(run: Run): HTMLElement {
  const h = run.header;
  const [first, last] = [run.columns[0]?.first, run.columns[0]?.last];
  const every = Number(h.run.every ?? 1);
  const parts = [
    h.run.method ? `${h.run.method}` : "",
    h.run.step ? `h = ${number(Number(h.run.step), 6)}` : "",
    h.rows ? `t = ${number(first ?? NaN, 6)} \u2026 ${number(last ?? NaN, 6)}` : "no frames",
    `${several(h.frames, "frame")}${every > 1 ? `, every ${count(every)} steps` : ""}`,
    h.run.precision && h.run.precision !== "double" ? `${h.run.precision} precision` : "",
    `${several(h.coordinates, "coordinate")}, ${several(h.constraints, "constraint")}`,
  ];
  const line = el("p", { class: "summary" }, parts.filter(Boolean).join("  \u00b7  "));
  return line;
}

const WHAT_HAPPENED: Record<string, string> = { running: "is still running, or was interrupted", failed: "failed", stopped: "was stopped" };

/** What became of a run that did not finish, or null. */
export function failure(run: Run): HTMLElement | null {
  const { status, message } = run.header.run;
  return status && status !== "finished" ? el("p", { class: "warning", role: "status" }, `This run ${WHAT_HAPPENED[status] ?? `is ${status}`}${message ? `: ${message}` : ""}`) : null;
}

/** What the page does not show, said plainly. */
export function remarks(run: Run): string {
  const h = run.header;
  const p = h.picture;
  const said: string[] = [];
  if (h.bucket > 1) said.push(`Plots: each point stands for ${count(h.bucket)} frames and is drawn from their least to their greatest value.`);
  if (h.columnsOmitted) said.push(`${count(h.columnsOmitted)} columns of the run are not in this page; taut export has them.`);
  if (h.dense) said.push(`The first ${count(h.dense)} points are single frames.`);
  if (p.frames && p.dense) said.push(`The animation shows the first ${count(p.dense)} frames, then every ${ordinal(p.every)} frame: taut report --from T --to T shows any other part in full.`);
  else if (p.frames && p.every > 1) said.push(`The animation shows every ${ordinal(p.every)} frame.`);
  if (p.omitted) said.push(`${count(p.omitted)} shapes are not drawn.`);
  if (p.guessed && p.shapes.length) said.push("The model says nothing about drawing: bars are guessed from its distance constraints.");
  if (h.eventsOmitted) said.push(`${count(h.eventsOmitted)} events are not listed.`);
  if (h.run.redundancy) said.push(`${h.run.redundancy}.`);
  return said.join(" ");
}

/** What is known without the numbers: title and summary in one line, what became of the run, what the model says it is. */
export function opening(run: Run): [HTMLElement, ...(HTMLElement | string)[]] {
  const about = lead(run.header.source);
  return [el("div", { class: "head-line" }, el("h1", {}, run.header.title), summary(run)), failure(run) ?? "", about ? el("p", { class: "lead" }, about) : ""];
}
