// A plot against time of some columns, with a legend that reads values off.
import uPlot from "uplot";
import { around, axis, decades, envelopePath, FONT } from "./axis";
import type { Run } from "./data";
import { button, el } from "./dom";
import { number } from "./format";
import type { Player } from "./player";
import { onTheme, theme } from "./theme";
import { onFingers } from "./touch";
import { unit, unitOfAll, withUnit } from "./units";

/** A path that is written down instead of drawn. */
class Tracing {
  path = "";
  constructor(private ratio: number, private down: number) {}
  private point(x: number, y: number): string {
    return `${(x / this.ratio).toFixed(1)} ${(y / this.ratio + this.down).toFixed(1)}`;
  }
  moveTo(x: number, y: number): void {
    this.path += `M${this.point(x, y)}`;
  }
  lineTo(x: number, y: number): void {
    this.path += `L${this.point(x, y)}`;
  }
}

export interface Line {
  label: string;
  column: number;
  on: boolean;
}

/** The span of time that all plots show, and the row under the pointer. */
export class TimeWindow {
  min: number;
  max: number;
  hover: number | null = null;
  private listeners: ((hoverOnly: boolean) => void)[] = [];

  /** The whole run, or its rows up to one. */
  constructor(readonly run: Run, last = run.header.rows - 1) {
    const times = run.times;
    this.min = times[0] ?? 0;
    this.max = times[last] ?? 1;
    if (!(this.max > this.min)) this.max = this.min + 1;
  }

  onChange(listener: (hoverOnly: boolean) => void): void {
    this.listeners.push(listener);
  }

  setHover(row: number | null): void {
    if (row === this.hover) return;
    this.hover = row;
    for (const listener of this.listeners) listener(true);
  }

  get whole(): [number, number] {
    const times = this.run.times;
    const [a, b] = [times[0] ?? 0, times[times.length - 1] ?? 1];
    return b > a ? [a, b] : [a, a + 1];
  }

  set(min: number, max: number): void {
    const [a, b] = this.whole;
    const least = ((b - a) / Math.max(1, this.run.header.rows)) * 4;
    if (max - min < least) [min, max] = [(min + max - least) / 2, (min + max + least) / 2];
    this.min = Math.max(a, min);
    this.max = Math.min(b, max);
    for (const listener of this.listeners) listener(false);
  }

  reset(): void {
    this.set(...this.whole);
  }

  zoom(factor: number, about: number): void {
    this.set(about - (about - this.min) * factor, about + (this.max - about) * factor);
  }
}

export class Panel {
  readonly element: HTMLElement;
  readonly lines: Line[];
  plot: uPlot | null = null;
  private host = el("div", { class: "plot" });
  private heading = el("h2");
  private legend = el("div", { class: "legend" });
  private cursor = el("div", { class: "cursor" });
  private outputs: HTMLElement[] = [];
  private scaleButton: HTMLButtonElement;
  private seen = false;
  private clicked = -1; // the row before a click

  constructor(readonly id: string, readonly title: string, lines: Line[], public logarithmic: boolean, private run: Run, private player: Player,
              private span: TimeWindow, canSwitch = true, extra: HTMLElement | null = null) {
    this.lines = lines;
    this.scaleButton = button("log", "", () => this.setLogarithmic(!this.logarithmic), "small");
    this.element = el("section", { class: "panel", id: `panel-${id}`, "aria-label": title },
      el("div", { class: "panel-head" }, this.heading, extra, el("span", { class: "gap" }), canSwitch ? this.scaleButton : null), this.host, this.legend);
    this.fillLegend();
    this.nameUnit();
    player.onChange(() => this.moved());
    span.onChange((hoverOnly) => {
      if (!hoverOnly) this.plot?.setScale("x", { min: span.min, max: span.max });
      this.moved();
    });
    onTheme(() => {
      this.recolour();
      this.plot?.redraw(false);
    });
    new ResizeObserver(() => this.fit()).observe(this.host);
    // A plot is made when it comes near the screen: the columns of the others stay undecoded.
    new IntersectionObserver((entries, observer) => {
      if (!entries.some((e) => e.isIntersecting)) return;
      observer.disconnect();
      this.show();
    }, { rootMargin: "600px" }).observe(this.element);
    this.nameScale();
  }

  /** Makes the plot, if it is not there yet. */
  show(): void {
    if (this.seen) return;
    this.seen = true;
    this.make();
  }

  setLines(lines: Line[]): void {
    this.lines.splice(0, this.lines.length, ...lines);
    this.fillLegend();
    this.nameUnit();
    if (this.seen) this.make();
  }

  private nameUnit(): void {
    this.heading.textContent = withUnit(this.title, unitOfAll(this.run, this.lines.map((line) => line.column)));
  }

  setLogarithmic(on: boolean): void {
    this.logarithmic = on;
    this.nameScale();
    if (this.seen) this.make();
  }

  private nameScale(): void {
    this.scaleButton.setAttribute("aria-pressed", String(this.logarithmic));
    this.scaleButton.title = this.logarithmic ? "magnitudes on a logarithmic scale; press for a linear one" : "linear scale; press for magnitudes on a logarithmic one";
    this.scaleButton.setAttribute("aria-label", this.scaleButton.title);
  }

  private colour(i: number): string {
    return theme().colours[i % theme().colours.length];
  }

  private fillLegend(): void {
    this.legend.replaceChildren();
    this.outputs = this.lines.map((line, i) => {
      const output = el("span", { class: "value" });
      const chip = el("button", { type: "button", class: "chip", "aria-pressed": String(line.on), title: `${line.label}: show or hide` },
        el("i"), el("span", {}, line.label), output);
      chip.addEventListener("click", () => {
        line.on = !line.on;
        chip.setAttribute("aria-pressed", String(line.on));
        this.plot?.setSeries(i + 1, { show: line.on });
        this.moved();
      });
      this.legend.append(chip);
      return output;
    });
    this.recolour();
  }

  private recolour(): void {
    this.legend.querySelectorAll("i").forEach((mark, i) => ((mark as HTMLElement).style.background = this.colour(i)));
  }

  /** Least and greatest of what is shown in the window of time. */
  private range = (): [number, number] => {
    const from = this.run.rowAt(this.span.min);
    const to = Math.min(this.run.header.rows - 1, this.run.rowAt(this.span.max) + 1);
    let [low, high] = [Infinity, -Infinity];
    const magnitudes: number[] = [];
    for (const line of this.lines) {
      if (!line.on) continue;
      const v = this.run.values(line.column);
      const stride = Math.max(1, Math.floor((to - from) / 2000));
      for (let i = from; i <= to; i++) {
        const [a, b] = [v.low[i], v.high[i]];
        if (a < low) low = a;
        if (b > high) high = b;
        if (this.logarithmic && i % stride === 0 && Math.max(-a, b) > 0) magnitudes.push(Math.max(Math.abs(a), Math.abs(b)));
      }
    }
    if (this.logarithmic) {
      // Zeros and other lucky values do not set the scale: all but the smallest fiftieth are above its lower end.
      magnitudes.sort((a, b) => a - b);
      high = Math.max(Math.abs(low), Math.abs(high));
      // Nor does what is below the round-off of the run, unless all of it is that small.
      const roundOff = this.run.header.run.precision === "quad" ? 1e-36 : 1e-18;
      low = Math.max(magnitudes[Math.floor(magnitudes.length / 50)] ?? 0, Math.min(roundOff, high * 1e-3), high * 1e-16, 1e-300);
    }
    return around(low, high, this.logarithmic);
  };

  private make(): void {
    this.plot?.destroy();
    const run = this.run;
    const series: uPlot.Series[] = [{}];
    this.lines.forEach((line, i) => {
      const draw: uPlot.Series.PathBuilder = (u, _series, from, to) =>
        envelopePath(u, { x: run.times, ...run.values(line.column) }, Math.max(0, from - 1), Math.min(run.header.rows - 1, to + 1), this.logarithmic);
      series.push({ label: line.label, show: line.on, stroke: () => this.colour(i), fill: () => `${this.colour(i)}2a`, width: 1.25, dash: i >= theme().colours.length ? [6, 3] : undefined, paths: draw, points: { show: false } });
    });
    const data = [run.times, ...this.lines.map((line) => (line.on || this.lines.length < 40 ? run.values(line.column).value : new Float64Array(0)))] as unknown as uPlot.AlignedData;
    this.plot = new uPlot({
      width: Math.max(120, this.host.clientWidth), height: this.host.clientHeight || 150, series, legend: { show: false }, padding: [6, this.timeRoom, 0, 0],
      scales: { x: { time: false, min: this.span.min, max: this.span.max }, y: { distr: this.logarithmic ? 3 : 1, range: this.range } },
      axes: [axis(22), axis(70, this.logarithmic, this.logarithmic ? { splits: decades, filter: (_u, s) => s } : {})],
      cursor: { sync: { key: "time" }, y: false, points: { show: false }, drag: { x: true, y: false, setScale: false },
        bind: { dblclick: () => () => { if (this.clicked >= 0) this.player.seek(this.clicked); this.span.reset(); return null; } } },
      hooks: {
        setSelect: [(u) => {
          if (u.select.width > 4) this.span.set(u.posToVal(u.select.left, "x"), u.posToVal(u.select.left + u.select.width, "x"));
          u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        }],
        setCursor: [(u) => { if ((u.cursor.left ?? -1) >= 0) this.span.setHover(u.cursor.idx ?? null); else this.span.setHover(null); }],
        draw: [(u) => this.markEvents(u), (u) => this.nameTime(u)],
      },
    }, data, this.host);
    this.plot.over.append(this.cursor);
    this.seekOnClick(this.plot);
    this.moved();
  }

  private seekOnClick(u: uPlot): void {
    let at = 0;
    u.over.addEventListener("mousedown", (e) => (at = e.clientX));
    onFingers(u.over, {
      along: (x) => this.player.seekTime(u.posToVal(x, "x")),
      pinch: (factor, x, _y, dx) => {
        const shift = u.posToVal(0, "x") - u.posToVal(dx, "x");
        this.span.set(this.span.min + shift, this.span.max + shift);
        this.span.zoom(factor, u.posToVal(x, "x"));
      },
    });
    u.over.addEventListener("click", (e) => {
      if (e.detail === 1) this.clicked = this.player.row; // a second click takes the first one back
      if (Math.abs(e.clientX - at) < 4) this.player.seek(this.run.rowAt(u.posToVal(e.offsetX, "x")));
    });
    u.over.addEventListener("wheel", (e) => {
      if (!e.ctrlKey && !e.shiftKey) return;
      e.preventDefault();
      this.span.zoom(Math.exp((e.deltaY || e.deltaX) * 0.002), u.posToVal(e.offsetX, "x"));
    }, { passive: false });
  }

  /** Contacts and the like: ticks at the upper edge. */
  private markEvents(u: uPlot): void {
    const pen = u.ctx;
    pen.save();
    pen.fillStyle = theme().colours[1];
    const ratio = uPlot.pxRatio;
    let before = -Infinity;
    for (const event of this.run.header.events) {
      if (event.t < this.span.min || event.t > this.span.max) continue;
      const x = u.valToPos(event.t, "x", true);
      if (x - before < 1) continue;
      before = x;
      pen.beginPath();
      pen.moveTo(x - 3.5 * ratio, u.bbox.top - 5 * ratio);
      pen.lineTo(x + 3.5 * ratio, u.bbox.top - 5 * ratio);
      pen.lineTo(x, u.bbox.top + 2 * ratio);
      pen.fill();
    }
    pen.restore();
  }

  /** "t, s" behind the ticks of the axis. */
  private nameTime(u: uPlot): void {
    const pen = u.ctx;
    const ratio = uPlot.pxRatio;
    pen.save();
    pen.font = FONT.replace("11px", `${11 * ratio}px`);
    pen.fillStyle = theme().muted;
    pen.textAlign = "right";
    pen.textBaseline = "top";
    pen.fillText(this.timeName, pen.canvas.width - 2 * ratio, u.bbox.top + u.bbox.height + 8 * ratio);
    pen.restore();
  }

  private get timeName(): string {
    return withUnit("t", unit(this.run, 0, 1, 0));
  }

  private get timeRoom(): number {
    return 22 + 6 * this.timeName.length;
  }

  /** The plot as it is now, as a drawing; null before it is made. */
  svg(): { width: number; height: number; text: string } | null {
    const u = this.plot;
    if (!u) return null;
    const ratio = uPlot.pxRatio;
    const escape = (text: string) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;");
    const [left, top, width, height] = [u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height].map((x) => x / ratio);
    const parts = [`<text x="${left}" y="12" font-weight="bold">${escape(this.title)}</text>`];
    const down = 20;
    const ticks = (k: number) => (u.axes[k] as unknown as { _splits: number[]; _values: string[] });
    ticks(0)._splits.forEach((v, i) => {
      const x = left + u.valToPos(v, "x");
      parts.push(`<path d="M${x.toFixed(1)} ${down + top}v${height}" stroke="#e0e4e8"/><text x="${x.toFixed(1)}" y="${down + top + height + 14}" text-anchor="middle">${escape(ticks(0)._values[i] ?? "")}</text>`);
    });
    ticks(1)._splits.forEach((v, i) => {
      const y = down + top + u.valToPos(v, "y");
      parts.push(`<path d="M${left} ${y.toFixed(1)}h${width}" stroke="#e0e4e8"/><text x="${left - 6}" y="${(y + 4).toFixed(1)}" text-anchor="end">${escape(ticks(1)._values[i] ?? "")}</text>`);
    });
    parts.push(`<text x="${left + width + this.timeRoom - 2}" y="${down + top + height + 14}" text-anchor="end">${escape(this.timeName)}</text>`);
    let from = left;
    this.lines.forEach((line, i) => {
      if (!line.on) return;
      const sink = new Tracing(ratio, down);
      const [a, b] = [this.run.rowAt(this.span.min), this.run.rowAt(this.span.max)];
      envelopePath(u, { x: this.run.times, ...this.run.values(line.column) }, Math.max(0, a - 1), Math.min(this.run.header.rows - 1, b + 1), this.logarithmic, () => sink);
      parts.push(`<path d="${sink.path}" fill="none" stroke="${this.colour(i)}" stroke-width="1.2" clip-path="url(#c-${this.id})"/>`);
      const y = down + top + height + 34;
      parts.push(`<path d="M${from} ${y - 4}h12" stroke="${this.colour(i)}" stroke-width="3"/><text x="${from + 16}" y="${y}">${escape(line.label)}</text>`);
      from += 30 + 7 * line.label.length;
    });
    parts.unshift(`<clipPath id="c-${this.id}"><rect x="${left}" y="${down + top}" width="${width}" height="${height}"/></clipPath>`);
    return { width: left + width + this.timeRoom, height: down + top + height + 40, text: parts.join("") };
  }

  private fit(): void {
    if (this.plot && this.host.clientWidth > 0) {
      this.plot.setSize({ width: this.host.clientWidth, height: this.host.clientHeight || 150 });
      this.moved();
    }
  }

  /** The cursor at the player's time; the legend's values there, or under the pointer. */
  private moved(): void {
    if (!this.plot) return;
    const u = this.plot;
    const t = this.run.times[this.player.row];
    const x = u.valToPos(t, "x");
    const inside = x >= -0.5 && x <= u.over.clientWidth + 0.5;
    this.cursor.style.display = inside ? "" : "none";
    this.cursor.style.transform = `translateX(${x.toFixed(2)}px)`;
    const row = this.span.hover ?? this.player.row;
    this.lines.forEach((line, i) => {
      if (line.on) this.outputs[i].textContent = readOut(this.run, line.column, row);
    });
  }
}

/** The value in a row; where a row stands for several frames, the range of its values. */
export function readOut(run: Run, column: number, row: number): string {
  const v = run.values(column);
  const c = run.info(column);
  const digits = c.deviation || /constraint/.test(c.kind) ? 3 : 6;
  if (run.header.bucket === 1 || v.low[row] === v.high[row]) return number(v.value[row], digits);
  return `${number(v.low[row], 3)} \u2026 ${number(v.high[row], 3)}`;
}
