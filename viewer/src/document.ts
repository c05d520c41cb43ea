// A document: headings, paragraphs, tables, plots, lists of verdicts, sources; as src/report/document.c writes them.
import "uplot/dist/uPlot.min.css";
import "./style.css";
import { button, el } from "./dom";
import { lua } from "./lua";
import { Chart, type ChartData } from "./chart";
import { sideBySide, type MotionData } from "./side";
import { startTheme, toggleTheme } from "./theme";

type Verdict = "holds" | "qualified" | "fails";

type Part =
  | { type: "heading"; level: number; text: string }
  | { type: "text"; text: string }
  | { type: "table"; caption: string | null; columns: { name: string; align: "left" | "right" }[]; rows: string[][] }
  | ({ type: "plot" } & ChartData)
  | { type: "verdicts"; items: { verdict: Verdict; claim: string; remark: string | null }[] }
  | ({ type: "motion" } & MotionData)
  | { type: "source"; text: string };

interface Document {
  format: number;
  title: string;
  summary: string | null;
  parts: Part[];
}

const VERDICTS: Record<Verdict, [string, string]> = { holds: ["\u2713", "holds"], qualified: ["\u2248", "holds with a qualification"], fails: ["\u2717", "does not hold"] };

function table(part: Extract<Part, { type: "table" }>): HTMLElement {
  const align = (k: number): Record<string, string> => (part.columns[k]?.align === "right" ? { class: "figure" } : {});
  const head = el("tr", {}, ...part.columns.map((c, k) => el("th", { scope: "col", ...align(k) }, c.name)));
  const body = el("tbody");
  for (const row of part.rows) body.append(el("tr", {}, ...row.map((cell, k) => el("td", align(k), cell))));
  return el("div", { class: "wide" }, el("table", { class: "list" }, part.caption ? el("caption", {}, part.caption) : null, el("thead", {}, head), body));
}

function verdicts(part: Extract<Part, { type: "verdicts" }>): HTMLElement {
  const list = el("ul", { class: "verdicts" });
  for (const item of part.items) {
    const [sign, words] = VERDICTS[item.verdict];
    list.append(el("li", {}, el("span", { class: `badge ${item.verdict}` }, el("i", { "aria-hidden": "true" }, sign), words),
      el("div", {}, el("span", { class: "claim" }, item.claim), item.remark ? el("p", { class: "muted" }, item.remark) : null)));
  }
  return list;
}

function make(part: Part): HTMLElement {
  switch (part.type) {
    case "heading":
      return el(part.level <= 2 ? "h2" : "h3", {}, part.text);
    case "text":
      return el("p", {}, part.text);
    case "table":
      return table(part);
    case "plot":
      return new Chart(part).element;
    case "verdicts":
      return verdicts(part);
    case "motion":
      return sideBySide(part);
    case "source":
      return lua(part.text);
  }
}

startTheme();
const data: Document = JSON.parse(document.getElementById("data")?.textContent ?? "null");
document.title = `${data.title} \u2013 Taut`;
document.getElementById("head")?.append(
  el("div", { class: "head-line" }, el("h1", {}, data.title), data.summary ? el("p", { class: "summary" }, data.summary) : null, el("span", { class: "gap head-gap" }),
    button("\u25d0", "light or dark", toggleTheme, "small icon")));
document.getElementById("foot")?.remove();
const body = document.getElementById("main") as HTMLElement;
body.id = "document";
body.append(...data.parts.map(make));
document.documentElement.dataset.ready = "yes";
