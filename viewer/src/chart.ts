// A plot of given points: several series, linear or logarithmic axes, a legend.
import uPlot from "uplot";
import { around, axis, decades } from "./axis";
import { el } from "./dom";
import { number } from "./format";
import { onTheme, theme } from "./theme";

export interface ChartData {
  title: string;
  x: { label: string; log: boolean };
  y: { label: string; log: boolean };
  series: { label: string; style: "line" | "points" | "both" | "dashed"; x: (number | null)[]; y: (number | null)[] }[];
}

export class Chart {
  readonly element: HTMLElement;
  plot: uPlot | null = null;
  private host = el("div", { class: "plot chart" });
  private text = el("span", { class: "value" });
  private shown: boolean[];

  constructor(private data: ChartData) {
    this.shown = data.series.map(() => true);
    const legend = el("div", { class: "legend" });
    data.series.forEach((s, i) => {
      const mark = el("i");
      const chip = el("button", { type: "button", class: "chip", "aria-pressed": "true", title: `${s.label}: show or hide` }, mark, el("span", {}, s.label));
      const paint = () => (mark.style.background = this.colour(i));
      onTheme(paint);
      paint();
      chip.addEventListener("click", () => {
        this.shown[i] = !this.shown[i];
        chip.setAttribute("aria-pressed", String(this.shown[i]));
        this.make();
      });
      legend.append(chip);
    });
    this.element = el("figure", { class: "panel", "aria-label": data.title }, el("div", { class: "panel-head" }, el("h3", {}, data.title), el("span", { class: "gap" }), this.text), this.host, legend);
    onTheme(() => this.plot?.redraw(false));
    new ResizeObserver(() => (this.plot ? this.plot.setSize({ width: this.host.clientWidth, height: this.host.clientHeight }) : this.make())).observe(this.host);
  }

  private colour(i: number): string {
    return theme().colours[i % theme().colours.length];
  }

  private range(key: "x" | "y"): [number, number] {
    let [low, high] = [Infinity, -Infinity];
    this.data.series.forEach((s, i) => {
      if (!this.shown[i]) return;
      for (const v of s[key]) {
        if (v === null || (this.data[key].log && v <= 0)) continue;
        low = Math.min(low, v);
        high = Math.max(high, v);
      }
    });
    if (!this.data[key].log || !(low > 0 && high < Infinity)) return around(low, high, this.data[key].log);
    const margin = Math.max(1.3, (high / low) ** 0.06);
    return [low / margin, high * margin];
  }

  private draw(u: uPlot, i: number): Path2D {
    const s = this.data.series[i];
    const path = new Path2D();
    const ratio = uPlot.pxRatio;
    let pen = false;
    for (let k = 0; k < s.x.length; k++) {
      const [x, y] = [s.x[k], s.y[k]];
      if (x === null || y === null || (this.data.x.log && x <= 0) || (this.data.y.log && y <= 0)) {
        pen = false;
        continue;
      }
      const [px, py] = [u.valToPos(x, "x", true), u.valToPos(y, "y", true)];
      if (s.style !== "points") {
        if (pen) path.lineTo(px, py);
        else path.moveTo(px, py);
      }
      if (s.style === "points" || s.style === "both") {
        const radius = (2.2 + 1.1 * ((this.data.series.length - 1 - i) % 4)) * ratio; // points that coincide are rings around each other
        path.moveTo(px + radius, py);
        path.arc(px, py, radius, 0, 2 * Math.PI);
        path.moveTo(px, py);
      }
      pen = true;
    }
    return path;
  }

  private make(): void {
    if (!this.host.clientWidth) return;
    this.plot?.destroy();
    const { x, y, series } = this.data;
    const scale = (key: "x" | "y") => ({ time: false, distr: (this.data[key].log ? 3 : 1) as 1 | 3, range: () => this.range(key) });
    const ticks = (log: boolean) => (log ? { splits: decades, filter: (_u: uPlot, s: number[]) => s } : {});
    this.plot = new uPlot({
      mode: 2, width: this.host.clientWidth, height: this.host.clientHeight, legend: { show: false }, padding: [8, 16, 0, 0], scales: { x: scale("x"), y: scale("y") },
      axes: [axis(24, x.log, { label: x.label, labelSize: 18, labelFont: "12px sans-serif", ...ticks(x.log) }),
        axis(64, y.log, { label: y.label, labelSize: 18, labelFont: "12px sans-serif", ...ticks(y.log) })],
      series: [{}, ...series.map((s, i) => ({ label: s.label, show: this.shown[i], facets: [{ scale: "x", auto: true }, { scale: "y", auto: true }], stroke: () => this.colour(i),
        width: 1.4, dash: s.style === "dashed" ? [6, 4] : undefined, points: { show: false }, paths: (u: uPlot) => ({ stroke: this.draw(u, i) }) }) as uPlot.Series)],
      cursor: { points: { show: false }, drag: { setScale: false, x: false, y: false } },
      hooks: { setCursor: [(u) => {
        const [left, top] = [u.cursor.left ?? -1, u.cursor.top ?? -1];
        this.text.textContent = left >= 0 && top >= 0 ? `${number(u.posToVal(left, "x"), 3)},  ${number(u.posToVal(top, "y"), 3)}` : "";
      }] },
    }, [null, ...series.map((s) => [s.x, s.y])] as unknown as uPlot.AlignedData, this.host);
  }
}
