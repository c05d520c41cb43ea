// The amplitude spectrum of a column, with its highest peaks named.
import uPlot from "uplot";
import { peaks, spectrum, type Spectrum } from "./analysis";
import { axis, decades, FONT } from "./axis";
import { lastNotAfter, type Run } from "./data";
import { button, el, select } from "./dom";
import { count, number } from "./format";
import { tracksOf, whenNear } from "./section";
import type { TimeWindow } from "./panel";
import { onTheme, theme } from "./theme";
import { unit, unitOf, withUnit } from "./units";

const PEAKS = 6;

export class SpectrumPanel {
  readonly element: HTMLElement;
  plot: uPlot | null = null;
  result: Spectrum | null = null;
  peaks: [frequency: number, amplitude: number][] = [];
  private host = el("div", { class: "plot" });
  private text = el("span", { class: "value" });
  private list = el("div", { class: "legend peaks" });
  private logarithmic = false; // frequencies
  private seen = false;
  private zoomed: [number, number] | null = null;

  constructor(private run: Run, private span: TimeWindow, public column: number) {
    const options = run.columns.flatMap((c, i) => (c.kind === "time" ? [] : [[String(i), c.deviation ? `${c.name} \u2212 first` : c.name] as [string, string]]));
    const scale = button("log f", "frequencies on a logarithmic scale", () => {
      this.logarithmic = !this.logarithmic;
      scale.setAttribute("aria-pressed", String(this.logarithmic));
      this.zoomed = null;
      this.make();
    }, "small");
    scale.setAttribute("aria-pressed", "false");
    this.element = el("section", { class: "panel", id: "panel-spectrum", "aria-label": "Spectrum" },
      el("div", { class: "panel-head" }, el("h2", {}, "Spectrum"), select("spectrum of", options, String(column), (v) => { this.column = Number(v); this.update(); }), el("span", { class: "gap" }), this.text, scale),
      this.host, this.list);
    span.onChange((hoverOnly) => {
      if (!hoverOnly) this.update();
    });
    onTheme(() => this.plot?.redraw(false));
    whenNear(this.element, () => this.show(), this.host, () => this.plot?.setSize({ width: this.host.clientWidth, height: this.host.clientHeight || 150 }));
  }

  show(): void {
    if (this.seen) return;
    this.seen = true;
    this.update();
  }

  /** "Hz" of seconds, otherwise "1/..." */
  private get unitOfFrequency(): string {
    const t = unit(this.run, 0, 1, 0);
    return t === "s" ? "Hz" : t ? `1/${t}` : "";
  }

  update(): void {
    if (!this.seen) return;
    const [track] = tracksOf(this.run, [this.column]);
    const [from, to] = [lastNotAfter(track.t, this.span.min), Math.min(track.rows - 1, lastNotAfter(track.t, this.span.max))];
    this.result = spectrum(track, from, to);
    this.peaks = this.result ? peaks(this.result, PEAKS) : [];
    this.zoomed = null;
    this.text.textContent = this.result ? `${count(to - from + 1)} frames, \u0394f = ${withUnit(number(this.result.resolution, 2), this.unitOfFrequency).replace(",", "")}` : "too few frames";
    const shown = [...this.peaks].sort((a, b) => a[0] - b[0]);
    this.list.replaceChildren(...shown.map(([f, a]) => el("span", { class: "peak" }, `${number(f, this.digits(f))} `, el("span", { class: "muted" }, number(a, 2)))));
    this.make();
  }

  /** As many digits of a frequency as its resolution is worth. */
  private digits(f: number): number {
    const step = (this.result?.resolution ?? 1) / 50;
    return Math.max(2, Math.min(8, 1 + Math.floor(Math.log10(Math.max(f, step) / step))));
  }

  /** Frequencies that are worth a look: up to twice that of the last peak, or all. */
  private range(): [number, number] {
    const s = this.result;
    if (!s) return [0, 1];
    if (this.zoomed) return this.zoomed;
    const [most, least] = [(s.amplitude.length - 1) * s.step, s.resolution];
    const highest = this.peaks[0]?.[1] ?? 0;
    const last = Math.max(0, ...this.peaks.filter(([, a]) => a > 1e-4 * highest).map(([f]) => f));
    const end = last > 0 ? Math.min(most, Math.max(1.6 * last, 12 * least)) : most;
    return this.logarithmic ? [least, most] : [0, end];
  }

  private amplitudes(): [number, number] {
    const s = this.result;
    if (!s) return [1e-3, 1];
    const [from, to] = this.range();
    let high = 0;
    for (let k = Math.ceil(from / s.step); k <= Math.min(s.amplitude.length - 1, to / s.step); k++) high = Math.max(high, s.amplitude[k]);
    if (!(high > 0)) return [1e-3, 1];
    return [10 ** Math.floor(Math.log10(high * 1e-5)), 10 ** Math.ceil(Math.log10(high * 1.6))];
  }

  private draw = (u: uPlot): Path2D => {
    const path = new Path2D();
    const s = this.result;
    if (!s) return path;
    const [from, to] = [u.scales.x.min ?? 0, u.scales.x.max ?? 1];
    const floor = u.scales.y.min ?? 1e-300;
    let [column, high, pen] = [NaN, 0, false];
    const put = () => {
      const y = u.valToPos(Math.max(high, floor * 0.5), "y", true);
      if (pen) path.lineTo(column, y);
      else path.moveTo(column, y);
      pen = true;
    };
    const first = Math.max(this.logarithmic ? 1 : 0, Math.floor(from / s.step));
    for (let k = first; k <= Math.min(s.amplitude.length - 1, Math.ceil(to / s.step)); k++) {
      const x = Math.round(u.valToPos(k * s.step, "x", true));
      if (x !== column) {
        if (Number.isFinite(column)) put();
        [column, high] = [x, 0];
      }
      high = Math.max(high, s.amplitude[k]);
    }
    if (Number.isFinite(column)) put();
    return path;
  };

  /** Frequencies of the peaks beside them, the highest first, as far as there is room. */
  private label(u: uPlot): void {
    const pen = u.ctx;
    const ratio = uPlot.pxRatio;
    pen.save();
    pen.font = FONT.replace("11px", `${11 * ratio}px`);
    pen.fillStyle = theme().ink;
    const taken: [number, number, number][] = [];
    for (const [f, a] of this.peaks) {
      const [x, y] = [u.valToPos(f, "x", true), u.valToPos(a, "y", true)];
      const text = number(f, this.digits(f));
      const wide = pen.measureText(text).width;
      if (!(x >= u.bbox.left && x <= u.bbox.left + u.bbox.width) || y > u.bbox.top + u.bbox.height) continue;
      const left = Math.min(x + 4 * ratio, u.bbox.left + u.bbox.width - wide);
      const base = Math.max(y, u.bbox.top + 10 * ratio);
      if (taken.some(([l, r, b]) => left < r && left + wide > l && Math.abs(b - base) < 12 * ratio)) continue;
      taken.push([left, left + wide, base]);
      pen.fillText(text, left, base);
    }
    pen.restore();
  }

  private make(): void {
    if (!this.seen) return;
    this.plot?.destroy();
    const s = this.result;
    const c = this.run.info(this.column);
    this.plot = new uPlot({
      mode: 2, width: Math.max(120, this.host.clientWidth), height: this.host.clientHeight || 150, legend: { show: false }, padding: [8, 12, 0, 0],
      scales: { x: { time: false, distr: this.logarithmic ? 3 : 1, range: () => this.range() }, y: { distr: 3, range: () => this.amplitudes() } },
      axes: [axis(22, this.logarithmic, { label: withUnit("frequency", this.unitOfFrequency), labelSize: 15, labelFont: FONT, labelGap: 0, ...(this.logarithmic ? { splits: decades, filter: (_u: uPlot, v: number[]) => v } : {}) }),
        axis(56, true, { label: withUnit("amplitude", unitOf(this.run, c)), labelSize: 14, labelFont: FONT, labelGap: 0, splits: decades, filter: (_u, v) => v })],
      series: [{}, { facets: [{ scale: "x", auto: true }, { scale: "y", auto: true }], stroke: () => theme().colours[0], width: 1.1, paths: (u) => ({ stroke: this.draw(u) }), points: { show: false } } as uPlot.Series],
      cursor: { points: { show: false }, y: false, drag: { x: true, y: false, setScale: false }, bind: { dblclick: () => () => { this.zoomed = null; this.make(); return null; } } },
      hooks: {
        draw: [(u) => this.label(u)],
        setSelect: [(u) => {
          if (u.select.width > 4) this.zoomed = [u.posToVal(u.select.left, "x"), u.posToVal(u.select.left + u.select.width, "x")];
          u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          if (this.zoomed) setTimeout(() => this.make());
        }],
      },
    }, [null, [s ? [0, s.step * (s.amplitude.length - 1)] : [0, 1], [1e-3, 1]]] as unknown as uPlot.AlignedData, this.host);
  }
}
