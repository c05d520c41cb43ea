// One column against another.
import uPlot from "uplot";
import { around, axis, FONT } from "./axis";
import type { Run } from "./data";
import { el, select } from "./dom";
import { number } from "./format";
import type { Player } from "./player";
import type { TimeWindow } from "./panel";
import { onTheme, theme } from "./theme";
import { onFingers } from "./touch";
import { unitOf, withUnit } from "./units";

const LENGTHS = /\.([xyz])$/;

export class Phase {
  readonly element: HTMLElement;
  plot: uPlot | null = null;
  private host = el("div", { class: "plot phase-plot" });
  private dot = el("div", { class: "dot" });
  private text = el("span", { class: "value" });

  constructor(private run: Run, private player: Player, private span: TimeWindow, public x: number, public y: number) {
    const options = run.columns.map((c, i) => [String(i), c.deviation ? `${c.name} \u2212 first` : c.name] as [string, string]);
    const pick = (label: string, value: number, action: (v: number) => void) => select(label, options, String(value), (v) => { action(Number(v)); this.make(); });
    this.element = el("section", { class: "panel", id: "panel-phase", "aria-label": "Phase plot" },
      el("div", { class: "panel-head" }, el("h2", {}, "Phase plot"), pick("upwards", y, (v) => (this.y = v)), el("span", { class: "muted" }, "over"),
        pick("to the right", x, (v) => (this.x = v)), el("span", { class: "gap" }), this.text),
      this.host);
    player.onChange(() => this.moved());
    span.onChange((hoverOnly) => {
      if (!hoverOnly && this.plot) this.make();
    });
    onTheme(() => this.plot?.redraw(false));
    new ResizeObserver(() => {
      if (!this.plot || !this.host.clientWidth) return;
      this.plot.setSize({ width: this.host.clientWidth, height: this.host.clientHeight });
      this.moved();
    }).observe(this.host);
    new IntersectionObserver((entries, observer) => {
      if (!entries.some((e) => e.isIntersecting)) return;
      observer.disconnect();
      this.make();
    }, { rootMargin: "600px" }).observe(this.element);
  }

  /** Two components of one point, or of two: equal lengths look equal. */
  private get equal(): boolean {
    const [cx, cy] = [this.run.columns[this.x], this.run.columns[this.y]];
    return this.x !== this.y && cx.kind === cy.kind && ["coordinate", "velocity"].includes(cx.kind) && LENGTHS.test(cx.name.replace(/\.dot$/, "")) && LENGTHS.test(cy.name.replace(/\.dot$/, ""));
  }

  private name(column: number): string {
    const c = this.run.columns[column];
    return withUnit(c.deviation ? `${c.name} \u2212 first` : c.name, unitOf(this.run, c));
  }

  /** Rows of the span of time that the plots show. */
  private rows(): [number, number] {
    return [this.run.rowAt(this.span.min), this.run.rowAt(this.span.max)];
  }

  /** Least and greatest value in the span. */
  private range(column: number): [number, number] {
    const v = this.run.values(column);
    const [from, to] = this.rows();
    let [low, high] = [Infinity, -Infinity];
    for (let i = from; i <= to; i++) {
      if (v.low[i] < low) low = v.low[i];
      if (v.high[i] > high) high = v.high[i];
    }
    return around(low, high, false);
  }

  private ranges(): [[number, number], [number, number]] {
    const [x, y] = [this.range(this.x), this.range(this.y)];
    if (!this.equal) return [x, y];
    const [width, height] = [Math.max(60, this.host.clientWidth - 84), Math.max(60, this.host.clientHeight - 45)];
    const unit = Math.max((x[1] - x[0]) / width, (y[1] - y[0]) / height);
    const wide = (r: [number, number], pixels: number): [number, number] => [(r[0] + r[1] - unit * pixels) / 2, (r[0] + r[1] + unit * pixels) / 2];
    return [wide(x, width), wide(y, height)];
  }

  /** Rows are single frames here also when there is an envelope; a pixel that the line stays in is drawn once. Rows with many frames between
      them are points: the way from one to the next is not a chord. */
  private draw = (u: uPlot): Path2D => {
    const [xs, ys] = [this.run.values(this.x).value, this.run.values(this.y).value];
    const path = new Path2D();
    const { left, top, width, height } = u.bbox;
    const [x0, x1, y0, y1] = [u.scales.x.min ?? 0, u.scales.x.max ?? 1, u.scales.y.min ?? 0, u.scales.y.max ?? 1];
    let [bx, by, pen] = [NaN, NaN, false];
    const { bucket, dense } = this.run.header;
    const [from, to] = this.rows();
    const dot = uPlot.pxRatio;
    for (let i = from; i <= to; i++) {
      const px = left + ((xs[i] - x0) / (x1 - x0)) * width;
      const py = top + height - ((ys[i] - y0) / (y1 - y0)) * height;
      if (!Number.isFinite(px + py)) {
        pen = false;
        continue;
      }
      if (bucket > 1 && i >= dense) {
        path.rect(px - dot / 2, py - dot / 2, dot, dot);
        pen = false;
        continue;
      }
      if (pen && Math.abs(px - bx) < 0.7 && Math.abs(py - by) < 0.7) continue;
      if (pen) path.lineTo(px, py);
      else path.moveTo(px, py);
      [bx, by, pen] = [px, py, true];
    }
    return path;
  };

  private make(): void {
    this.plot?.destroy();
    const [rx, ry] = this.ranges();
    const dotted = this.run.header.bucket > 1 && this.rows()[1] >= this.run.header.dense;
    this.plot = new uPlot({
      mode: 2, width: Math.max(120, this.host.clientWidth), height: this.host.clientHeight || 220, legend: { show: false }, padding: [8, 12, 0, 0],
      scales: { x: { time: false, range: (_u, a, b) => (a === null || b === null || this.whole ? rx : [a, b]) as [number, number] },
        y: { range: (_u, a, b) => (a === null || b === null || this.whole ? ry : [a, b]) as [number, number] } },
      axes: [axis(22, false, { label: this.name(this.x), labelSize: 15, labelFont: FONT, labelGap: 0 }), axis(58, false, { label: this.name(this.y), labelSize: 14, labelFont: FONT, labelGap: 0 })],
      series: [{}, { facets: [{ scale: "x", auto: true }, { scale: "y", auto: true }], stroke: () => theme().colours[0], width: dotted ? 0.5 : 1,
        paths: (u) => ({ stroke: this.draw(u) }), points: { show: false } } as uPlot.Series],
      cursor: { x: true, y: true, points: { show: false }, drag: { x: true, y: true, setScale: true },
        bind: { dblclick: () => () => { this.whole = true; this.make(); return null; }, mousedown: (_u, _t, handler) => (e) => { this.whole = false; handler(e); return null; } } },
      hooks: { setCursor: [() => this.readOut()], setScale: [() => this.moved()] },
    }, [null, [this.run.values(this.x).value, this.run.values(this.y).value]] as unknown as uPlot.AlignedData, this.host);
    this.plot.over.append(this.dot);
    this.touch(this.plot);
    this.moved();
  }
  private whole = true;

  private touch(u: uPlot): void {
    onFingers(u.over, {
      along: () => {},
      pinch: (factor, x, y, dx, dy) => {
        this.whole = false;
        for (const [key, at, shift] of [["x", x, dx], ["y", y, dy]] as const) {
          const about = u.posToVal(at, key);
          const by = u.posToVal(0, key) - u.posToVal(shift, key);
          const s = u.scales[key];
          u.setScale(key, { min: about + by + ((s.min ?? 0) - about) * factor, max: about + by + ((s.max ?? 1) - about) * factor });
        }
      },
    });
  }

  private readOut(): void {
    const u = this.plot;
    if (!u) return;
    const [left, top] = [u.cursor.left ?? -1, u.cursor.top ?? -1];
    const row = this.player.row;
    const [x, y] = left >= 0 && top >= 0 ? [u.posToVal(left, "x"), u.posToVal(top, "y")] : [this.run.values(this.x).value[row], this.run.values(this.y).value[row]];
    this.text.textContent = `${number(x, 5)},  ${number(y, 5)}`;
  }

  private moved(): void {
    const u = this.plot;
    if (!u) return;
    const [x, y] = [u.valToPos(this.run.values(this.x).value[this.player.row], "x"), u.valToPos(this.run.values(this.y).value[this.player.row], "y")];
    const inside = x >= 0 && y >= 0 && x <= u.over.clientWidth && y <= u.over.clientHeight;
    this.dot.style.display = inside ? "" : "none";
    this.dot.style.transform = `translate(${x.toFixed(2)}px, ${y.toFixed(2)}px)`;
    this.readOut();
  }
}
