// The page of an ensemble: fans over time, histograms, results against what varies, heat maps of grids, failures; as src/report/sweep_page.c writes the data.
import "./style.css";
import "./ensemble.css";
import { around } from "./axis";
import { button, el, select } from "./dom";
import { Figure, type Range } from "./figure";
import { count, number } from "./format";
import { heatColour } from "./heat";
import { lua } from "./lua";
import { onTheme, startTheme, theme, toggleTheme } from "./theme";

interface Varied {
  name: string;
  law: string;
  levels: number[] | null; // of a grid
  data: string | null; // of the listed members
}

interface Slice {
  moment: number;
  column: number;
  data: string;
}

interface Data {
  format: number;
  title: string;
  file: string;
  facts: [string, string][];
  source: string;
  columns: string[];
  varied: Varied[];
  moments: { t: number; kept: boolean }[];
  statistics: Record<string, string>; // of each column and moment: moment by moment
  has: { mean: boolean; sd: boolean; quantiles: boolean };
  histograms: { moment: number; column: number; low: number; high: number; counts: string }[];
  members: { count: number; done: number; failed: number; first: number; stride: number; listed: string };
  grid: boolean; // two grids, all members listed in their order
  slices: Slice[];
  failures: { member: number; t: number; reason: string }[];
}

function bytes(text: string): ArrayBuffer {
  const raw = atob(text);
  const out = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i);
  return out.buffer;
}
const doubles = (text: string): Float64Array => new Float64Array(bytes(text));
const floats = (text: string): Float32Array => new Float32Array(bytes(text));

startTheme();
const data: Data = JSON.parse(document.getElementById("data")?.textContent ?? "null");
const numbers: Record<string, Float64Array> = {};
for (const [name, text] of Object.entries(data.statistics)) numbers[name] = doubles(text);
const width = data.columns.length;
const at = (name: string, moment: number, column: number): number => numbers[name]?.[moment * width + column] ?? NaN;
const listed = doubles(data.members.listed);
const times = data.moments.map((m) => m.t);

/** What is looked at: a column, a moment, a member. */
const state = { column: Math.max(0, data.columns.findIndex((n) => n === "energy")), moment: data.moments.length - 1, member: -1 };
const listeners: (() => void)[] = [];
const changed = () => listeners.forEach((listener) => listener());
if (data.columns.length > 1 && data.columns[state.column] === "energy") state.column = data.columns.findIndex((n) => n !== "energy");

function spread(values: Iterable<number>): Range {
  let [low, high] = [Infinity, -Infinity];
  for (const v of values) {
    if (!Number.isFinite(v)) continue;
    low = Math.min(low, v);
    high = Math.max(high, v);
  }
  const [a, b] = around(low, high, false);
  return { low: a, high: b };
}

function* series(name: string, column: number): Iterable<number> {
  for (let k = 0; k < times.length; k++) yield at(name, k, column);
}

// ---- fans ----

function fans(): HTMLElement {
  const figure = new Figure("Over time", "tall", (where, pressed) => {
    if (!where) {
      figure.text.textContent = "";
      return;
    }
    let near = 0;
    times.forEach((t, k) => (near = Math.abs(t - where.x) < Math.abs(times[near] - where.x) ? k : near));
    const say = (label: string, name: string) => (Number.isFinite(at(name, near, state.column)) ? `${label} ${number(at(name, near, state.column), 5)}` : "");
    figure.text.textContent = [`t = ${number(times[near], 6)}`, say("median", "q50"), say("mean", "mean"), say("sd", "sd")].filter(Boolean).join("   ");
    if (pressed) {
      state.moment = near;
      changed();
    }
  });
  const band = (place: { pen: CanvasRenderingContext2D; x: (v: number) => number; y: (v: number) => number }, low: string, high: string, alpha: number) => {
    const { pen } = place;
    pen.globalAlpha = alpha;
    pen.beginPath();
    let begun = false;
    for (let k = 0; k < times.length; k++) {
      const v = at(low, k, state.column);
      if (!Number.isFinite(v)) continue;
      if (begun) pen.lineTo(place.x(times[k]), place.y(v));
      else pen.moveTo(place.x(times[k]), place.y(v));
      begun = true;
    }
    for (let k = times.length - 1; k >= 0; k--) if (Number.isFinite(at(high, k, state.column))) pen.lineTo(place.x(times[k]), place.y(at(high, k, state.column)));
    pen.closePath();
    pen.fill();
    pen.globalAlpha = 1;
  };
  const draw = () => {
    const all = ["lowest", "highest"].flatMap((name) => [...series(name, state.column)]);
    figure.show({
      x: { low: times[0], high: times[times.length - 1] > times[0] ? times[times.length - 1] : times[0] + 1, label: "t" }, y: { ...spread(all), label: data.columns[state.column] },
      draw: (place) => {
        const { pen } = place;
        const line = (name: string, dash: number[]) => {
          pen.setLineDash(dash);
          pen.beginPath();
          let begun = false;
          for (let k = 0; k < times.length; k++) {
            const v = at(name, k, state.column);
            if (!Number.isFinite(v)) begun = false;
            else if (begun) pen.lineTo(place.x(times[k]), place.y(v));
            else {
              pen.moveTo(place.x(times[k]), place.y(v));
              begun = true;
            }
          }
          pen.stroke();
          pen.setLineDash([]);
        };
        pen.fillStyle = theme().colours[0];
        band(place, "lowest", "highest", 0.12);
        if (data.has.quantiles) {
          band(place, "q05", "q95", 0.2);
          band(place, "q25", "q75", 0.3);
        }
        pen.lineWidth = 1.6;
        pen.strokeStyle = theme().colours[0];
        if (data.has.quantiles) line("q50", []);
        pen.strokeStyle = theme().colours[1];
        if (data.has.mean) line("mean", [5, 3]);
        pen.lineWidth = 1;
        pen.strokeStyle = theme().muted;
        pen.beginPath();
        pen.moveTo(place.x(times[state.moment]), place.top);
        pen.lineTo(place.x(times[state.moment]), place.top + place.height);
        pen.stroke();
      },
    });
  };
  listeners.push(draw);
  const key = el("p", { class: "muted" }, `Shades: all members${data.has.quantiles ? ", 90 % and 50 % of them; line: median" : ""}${data.has.mean ? "; dashed: mean" : ""}. Click: the histogram of that time.`);
  return el("div", {}, figure.element, key);
}

// ---- histogram ----

function histogram(): HTMLElement {
  const figure = new Figure("Distribution", "", (where) => {
    const h = current();
    if (!where || !h) {
      figure.text.textContent = where ? "" : when();
      return;
    }
    const counts = h.counts.split(" ").map(Number);
    const bin = Math.min(counts.length - 1, Math.max(0, Math.floor(((where.x - h.low) / (h.high - h.low || 1)) * counts.length)));
    const side = (h.high - h.low) / counts.length;
    figure.text.textContent = `${number(h.low + bin * side, 4)} .. ${number(h.low + (bin + 1) * side, 4)}: ${count(counts[bin])}`;
  });
  const current = () => data.histograms.find((h) => h.moment === state.moment && h.column === state.column);
  const when = () => `t = ${number(times[state.moment], 6)}`;
  const draw = () => {
    const h = current();
    const counts = h ? h.counts.split(" ").map(Number) : [];
    const most = Math.max(1, ...counts);
    const [low, high] = h ? (h.high > h.low ? [h.low, h.high] : around(h.low, h.high, false)) : [0, 1];
    figure.text.textContent = h ? when() : `${when()}: there is no histogram`;
    figure.show({
      x: { low, high, label: data.columns[state.column] }, y: { low: 0, high: most * 1.06, label: "members" },
      draw: ({ pen, x, y }) => {
        pen.fillStyle = theme().colours[0];
        counts.forEach((n, i) => {
          const [a, b] = counts.length > 1 ? [x(low + (i * (high - low)) / counts.length), x(low + ((i + 1) * (high - low)) / counts.length)] : [x((low + high) / 2) - 8, x((low + high) / 2) + 8];
          pen.fillRect(a + 0.5, y(n), Math.max(1, b - a - 1), y(0) - y(n));
        });
      },
    });
  };
  listeners.push(draw);
  return figure.element;
}

// ---- a result against what varies ----

const cache = new Map<string, Float32Array>();
function slice(column: number): { values: Float32Array; moment: number } | null {
  const candidates = data.slices.filter((s) => s.column === column);
  if (!candidates.length) return null;
  const best = candidates.reduce((a, b) => (Math.abs(times[b.moment] - times[state.moment]) < Math.abs(times[a.moment] - times[state.moment]) ? b : a));
  const key = `${best.moment} ${best.column}`;
  if (!cache.has(key)) cache.set(key, floats(best.data));
  return { values: cache.get(key) as Float32Array, moment: best.moment };
}

const variedData = data.varied.map((v) => (v.data ? floats(v.data) : null));
function variedAt(k: number, i: number): number {
  const own = variedData[k];
  if (own) return own[i];
  const [, inner] = data.varied.map((v) => v.levels?.length ?? 1);
  const levels = data.varied[k].levels ?? [NaN];
  return levels[k === 0 ? Math.floor(listed[i] / inner) % levels.length : listed[i] % inner];
}

function sayMember(i: number): string {
  return [`member ${count(listed[i])}`, ...data.varied.map((v, k) => `${v.name} = ${number(variedAt(k, i), 5)}`)].join("   ");
}

function scatter(): HTMLElement | null {
  if (!data.varied.length || !data.slices.length) return null;
  let across = 0;
  const figure = new Figure("Result against what varies", "tall", (where, pressed) => {
    const s = slice(state.column);
    if (!where || !s) {
      figure.text.textContent = s ? `t = ${number(times[s.moment], 6)}` : "";
      return;
    }
    const [rx, ry] = [range.x.high - range.x.low, range.y.high - range.y.low];
    let [near, least] = [-1, Infinity];
    for (let i = 0; i < listed.length; i++) {
      const d = ((variedAt(across, i) - where.x) / rx) ** 2 + ((s.values[i] - where.y) / ry) ** 2;
      if (d < least) [near, least] = [i, d];
    }
    if (near < 0) return;
    figure.text.textContent = `${sayMember(near)}   ${data.columns[state.column]} = ${number(s.values[near], 5)}`;
    if (pressed) {
      state.member = near;
      changed();
    }
  });
  const range = { x: { low: 0, high: 1 }, y: { low: 0, high: 1 } };
  const draw = () => {
    const s = slice(state.column);
    const xs = Float64Array.from(listed, (_, i) => variedAt(across, i));
    range.x = spread(xs);
    range.y = spread(s?.values ?? []);
    figure.text.textContent = s ? `t = ${number(times[s.moment], 6)}` : "";
    figure.show({
      x: { ...range.x, label: data.varied[across].name }, y: { ...range.y, label: data.columns[state.column] },
      draw: ({ pen, x, y, top, height }) => {
        if (!s) return;
        const size = listed.length > 5000 ? 1.4 : listed.length > 500 ? 2.2 : 3.2;
        pen.fillStyle = theme().colours[0];
        pen.globalAlpha = listed.length > 5000 ? 0.45 : 0.75;
        for (let i = 0; i < listed.length; i++) if (Number.isFinite(s.values[i])) pen.fillRect(x(xs[i]) - size / 2, y(s.values[i]) - size / 2, size, size);
        pen.globalAlpha = 1;
        pen.fillStyle = theme().colours[1]; // members without a value: they failed
        for (let i = 0; i < listed.length; i++) if (!Number.isFinite(s.values[i])) pen.fillRect(x(xs[i]) - 0.5, top + height - 8, 1, 8);
        if (state.member >= 0) {
          pen.strokeStyle = theme().colours[1];
          pen.lineWidth = 2;
          pen.beginPath();
          pen.arc(x(xs[state.member]), y(s.values[state.member]), 6, 0, 2 * Math.PI);
          pen.stroke();
        }
      },
    });
  };
  if (data.varied.length > 1)
    figure.controls.append(select("what varies", data.varied.map((v, k) => [String(k), v.name]), "0", (value) => {
      across = Number(value);
      draw();
    }));
  listeners.push(draw);
  const part = data.members.stride > 1 ? ` Every ${count(data.members.stride)}th member.` : "";
  return el("div", {}, figure.element, el("p", { class: "muted" }, `A point is a member at the kept time nearest to the one chosen above; marks at the bottom failed before.${part} Click: that member.`));
}

// ---- heat map ----

function heatMap(): HTMLElement | null {
  if (!data.grid) return null;
  const [slow, fast] = data.varied.map((v) => v.levels ?? []);
  const figure = new Figure("Map", "square", (where, pressed) => {
    const s = slice(state.column);
    if (!where || !s) {
      figure.text.textContent = legend(s);
      return;
    }
    const place = (levels: number[], v: number) => levels.reduce((best, l, i) => (Math.abs(l - v) < Math.abs(levels[best] - v) ? i : best), 0);
    const i = place(slow, where.x) * fast.length + place(fast, where.y);
    figure.text.textContent = `${sayMember(i)}   ${data.columns[state.column]} = ${number(s.values[i], 5)}`;
    if (pressed) {
      state.member = i;
      changed();
    }
  });
  let colours: Range = { low: 0, high: 1 };
  const legend = (s: ReturnType<typeof slice>) => (s ? `t = ${number(times[s.moment], 6)}   dark ${number(colours.low, 4)}   bright ${number(colours.high, 4)}   grey: failed` : "");
  const edges = (levels: number[]): Range => {
    const half = levels.length > 1 ? (levels[levels.length - 1] - levels[0]) / (levels.length - 1) / 2 : 0.5;
    return { low: levels[0] - half, high: levels[levels.length - 1] + half };
  };
  const draw = () => {
    const s = slice(state.column);
    if (!s) return;
    let [low, high] = [Infinity, -Infinity];
    for (const v of s.values) if (Number.isFinite(v)) [low, high] = [Math.min(low, v), Math.max(high, v)];
    colours = { low, high };
    const image = el("canvas", { width: String(slow.length), height: String(fast.length) });
    const pen = image.getContext("2d");
    const pixels = pen?.createImageData(slow.length, fast.length);
    if (!pen || !pixels) return;
    for (let i = 0; i < slow.length; i++)
      for (let k = 0; k < fast.length; k++) {
        const v = s.values[i * fast.length + k];
        const [r, g, b] = Number.isFinite(v) ? heatColour(high > low ? (v - low) / (high - low) : 0.5) : [128, 128, 128];
        pixels.data.set([r, g, b, 255], 4 * ((fast.length - 1 - k) * slow.length + i));
      }
    pen.putImageData(pixels, 0, 0);
    figure.text.textContent = legend(s);
    figure.show({
      x: { ...edges(slow), label: data.varied[0].name }, y: { ...edges(fast), label: data.varied[1].name },
      draw: (place) => {
        place.pen.imageSmoothingEnabled = false;
        place.pen.drawImage(image, place.left, place.top, place.width, place.height);
        if (state.member >= 0) {
          place.pen.strokeStyle = "#ffffff";
          place.pen.lineWidth = 2;
          place.pen.beginPath();
          place.pen.arc(place.x(variedAt(0, state.member)), place.y(variedAt(1, state.member)), 6, 0, 2 * Math.PI);
          place.pen.stroke();
        }
      },
    });
  };
  listeners.push(draw);
  return figure.element;
}

// ---- one member ----

function oneMember(): HTMLElement {
  const command = el("code", {});
  const words = el("p", { class: "muted" });
  const box = el("div", { class: "member" }, words, el("div", { class: "command" }, command, button("copy", "copy the command", () => void navigator.clipboard?.writeText(command.textContent ?? ""), "small")));
  const draw = () => {
    const chosen = state.member >= 0 ? listed[state.member] : data.failures[0]?.member ?? data.members.first;
    words.textContent = state.member >= 0 ? `${sayMember(state.member)}. The same run, with its animation:` : "A member as a single run, to the last bit, with its animation:";
    command.textContent = `taut replay ${data.file} --member ${chosen} -o member-${chosen}.taut && taut report member-${chosen}.taut`;
  };
  listeners.push(draw);
  return box;
}

function failures(): HTMLElement | null {
  if (!data.failures.length) return null;
  const head = el("tr", {}, ...["member", "t", "reason"].map((name) => el("th", { scope: "col" }, name)));
  const body = el("tbody", {}, ...data.failures.map((f) => el("tr", {}, el("td", { class: "figure" }, count(f.member)), el("td", { class: "figure" }, number(f.t, 6)), el("td", {}, f.reason))));
  const more = data.members.failed > data.failures.length ? ` (the first ${data.failures.length} of ${count(data.members.failed)})` : "";
  return el("section", {}, el("h2", {}, `Members that failed${more}`), el("div", { class: "wide" }, el("table", { class: "list" }, el("thead", {}, head), body)));
}

// ---- the page ----

document.title = `${data.title} \u2013 Taut`;
const choice = select("column", data.columns.map((name, i) => [String(i), name]), String(state.column), (value) => {
  state.column = Number(value);
  changed();
});
const facts = el("dl", { class: "facts" });
for (const [name, text] of data.facts) facts.append(el("div", { class: "fact" }, el("dt", {}, name), el("dd", {}, el("b", {}, text))));
const missing = data.members.done < data.members.count ? el("span", { class: "warning" }, `${count(data.members.count - data.members.done)} members are missing`) : null;
document.getElementById("head")?.append(
  el("div", { class: "head-line" }, el("h1", {}, data.title), el("p", { class: "summary" }, `${count(data.members.done)} members${data.members.failed ? `, ${count(data.members.failed)} failed` : ""}`), missing,
    el("span", { class: "gap head-gap" }), el("label", { class: "muted" }, "column "), choice, button("\u25d0", "light or dark", toggleTheme, "small icon")), facts);
document.getElementById("foot")?.remove();
const main = document.getElementById("main") as HTMLElement;
main.id = "ensemble";
const left = el("div", {}, times.length > 1 && numbers.lowest ? fans() : null, numbers.lowest ? histogram() : null);
const right = el("div", {}, heatMap(), scatter());
left.append(oneMember());
main.append(el("div", { class: right.childElementCount ? "columns" : "" }, left, right));
const failed = failures();
if (failed) main.append(failed);
main.append(el("h2", {}, "The model"), lua(data.source));
changed();
onTheme(changed);
document.documentElement.dataset.ready = "yes";
