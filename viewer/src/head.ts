// The top of the page: what was run, and what was kept.
import type { Column, Run } from "./data";
import { el } from "./dom";
import { count, number, signed } from "./format";

const change = (c: Column): number => Math.max(Math.abs(c.lowest ?? 0), Math.abs(c.highest ?? 0));

const words = (name: string): string => name.replace(/_/g, " ").replace(/\.([xyz])$/, " $1");

/** A quantity: its name, a figure, and a remark. */
function fact(name: string, figure: string, remark: string, title: string): HTMLElement {
  return el("div", { class: "fact", title }, el("dt", {}, name), el("dd", {}, el("b", {}, figure), remark ? el("span", {}, remark) : null));
}

function energyFact(run: Run, value: Column, deviation: Column): HTMLElement {
  const relative = value.first ? change(deviation) / Math.abs(value.first) : NaN;
  const remark = `${signed(deviation.lowest)} \u2026 ${signed(deviation.highest)}, slope ${signed(deviation.slope)} per unit time`;
  return run.header.energyConserved
    ? fact("Energy", number(value.first, 9), remark, `error of the energy over all frames; relative ${number(relative, 2)}`)
    : fact("Energy (not conserved by the model)", `${number(value.first, 6)} \u2192 ${number(value.last, 6)}`, `changed by ${remark.replace(/, slope.*/, "")}`, "forces, contacts or the time change it");
}

/** Without constraints there is nothing to leave. */
export const hasResiduals = (run: Run): boolean => run.columns.some((c) => /constraint$/.test(c.kind) && (c.highest ?? 0) > 0);

export function facts(run: Run): HTMLElement {
  const list = el("dl", { class: "facts" });
  for (const c of run.columns) {
    const deviation = run.columns[run.find(c.name, true)];
    if (c.deviation) continue;
    if (c.kind === "energy" && deviation) list.append(energyFact(run, c, deviation));
    if (c.kind === "constraint" && hasResiduals(run)) list.append(fact("Constraints |g|", `\u2264 ${number(c.highest, 2)}`, "", "largest constraint residual over all frames"));
    if (c.kind === "velocity_constraint" && hasResiduals(run)) list.append(fact("Velocities |dg/dt|", `\u2264 ${number(c.highest, 2)}`, "", "largest residual of the velocity constraints over all frames"));
    if (c.kind === "conserved" && deviation)
      list.append(fact(words(c.name).replace(/^./, (x) => x.toUpperCase()), number(c.first, 9), `changed by \u2264 ${number(change(deviation), 2)}`, "conserved by a symmetry that Taut found"));
  }
  return list;
}

const several = (n: number, what: string): string => `${count(n)} ${what}${n === 1 ? "" : "s"}`;

export function summary(run: Run): HTMLElement {
  const h = run.header;
  const times = run.times;
  const end = times[times.length - 1];
  const every = Number(h.run.every ?? 1);
  const parts = [
    h.run.method ? `${h.run.method}` : "",
    h.run.step ? `h = ${number(Number(h.run.step), 6)}` : "",
    times.length ? `t = ${number(times[0], 6)} \u2026 ${number(run.columns[0].last ?? end, 6)}` : "no frames",
    `${several(h.frames, "frame")}${every > 1 ? `, every ${count(every)} steps` : ""}`,
    h.run.precision && h.run.precision !== "double" ? `${h.run.precision} precision` : "",
    `${several(h.coordinates, "coordinate")}, ${several(h.constraints, "constraint")}`,
  ];
  const line = el("p", { class: "summary" }, parts.filter(Boolean).join("  \u00b7  "));
  if (h.run.status && h.run.status !== "finished") line.append(el("strong", { class: "warning" }, ` ${h.run.status}${h.run.message ? `: ${h.run.message}` : ""}`));
  return line;
}

/** What the page does not show, said plainly. */
export function remarks(run: Run): string {
  const h = run.header;
  const p = h.picture;
  const said: string[] = [];
  if (h.bucket > 1) said.push(`Plots: each point stands for ${count(h.bucket)} frames and is drawn from their least to their greatest value.`);
  if (h.columnsOmitted) said.push(`${count(h.columnsOmitted)} columns of the run are not in this page; taut export has them.`);
  if (p.frames && p.every > 1) said.push(`The animation shows every ${count(p.every)}th frame.`);
  if (p.omitted) said.push(`${count(p.omitted)} shapes are not drawn.`);
  if (p.guessed && p.shapes.length) said.push("The model says nothing about drawing: bars are guessed from its distance constraints.");
  if (h.eventsOmitted) said.push(`${count(h.eventsOmitted)} events are not listed.`);
  if (h.run.redundancy) said.push(`${h.run.redundancy}.`);
  return said.join(" ");
}
