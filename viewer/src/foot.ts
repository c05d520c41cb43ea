// The lower part of the page: the model's source, parameters, the run's properties, events.
import type { Run } from "./data";
import { button, el } from "./dom";
import { number } from "./format";
import { commandLine } from "./head";
import { lua } from "./lua";
import { fileName, saveModel } from "./save";

function pairs(rows: [string, string][]): HTMLElement {
  const body = el("tbody");
  for (const [name, value] of rows) body.append(el("tr", {}, el("th", { scope: "row" }, name), el("td", {}, value)));
  return el("table", { class: "pairs" }, body);
}

function part(title: string, content: HTMLElement, open = true): HTMLElement {
  const details = el("details", open ? { open: "" } : {}, el("summary", {}, el("h2", {}, title)), content);
  return details;
}

function events(run: Run, seek: (t: number) => void): HTMLElement {
  const body = el("tbody");
  for (const event of run.header.events.slice(0, 500)) {
    const go = el("button", { type: "button", class: "link", title: "go there" }, number(event.t, 8));
    go.addEventListener("click", () => seek(event.t));
    body.append(el("tr", {}, el("td", { class: "figure" }, go), el("td", {}, event.name), el("td", {}, event.kind), el("td", { class: "figure" }, number(event.impulse, 6))));
  }
  const heading = el("tr", {}, ...["t", "name", "kind", "impulse"].map((text) => el("th", { scope: "col" }, text)));
  return el("div", { class: "scroll" }, el("table", { class: "list" }, el("thead", {}, heading), body));
}

function command(line: string): HTMLElement {
  const code = el("code", {}, line);
  const copy = el("button", { type: "button", class: "small", "aria-label": "copy the command" }, "copy");
  copy.addEventListener("click", () => {
    const range = document.createRange();
    range.selectNodeContents(code);
    getSelection()?.removeAllRanges();
    getSelection()?.addRange(range);
    // pages from disk may be refused the clipboard: then the line is selected
    navigator.clipboard?.writeText(line).then(() => (copy.textContent = "copied"), () => (copy.textContent = "selected"));
  });
  return el("div", { class: "command" }, code, copy);
}

export function foot(run: Run, remarks: string, seek: (t: number) => void): HTMLElement[] {
  const h = run.header;
  const side = el("div", { class: "side" });
  if (h.parameters.length) side.append(part("Parameters", pairs(h.parameters)));
  if (h.settings.length) side.append(part("Set with -D", pairs(h.settings)));
  const order = ["model", "method", "step", "until", "every", "precision", "tolerance", "start", "status", "message", "created", "taut"];
  side.append(part("Command", command(commandLine(run))));
  side.append(part("Run", pairs(order.filter((name) => h.run[name]).map((name) => [name, h.run[name]]))));
  if (h.events.length) side.append(part(`Events (${h.events.length})`, events(run, seek)));
  if (remarks) side.append(el("p", { class: "remarks" }, remarks));
  const model = fileName(run, "lua");
  return [part("Model", el("div", {}, button(`save ${model}`, "save the model as a file", () => saveModel(run), "small"), lua(h.source))), side];
}
