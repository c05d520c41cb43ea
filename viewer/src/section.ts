// A Poincare section: two columns whenever a third one passes a level.
import uPlot from "uplot";
import { between, crossings, type Direction, type Track } from "./analysis";
import { around, axis, FONT } from "./axis";
import { lastNotAfter, type Run } from "./data";
import { el, select } from "./dom";
import { count, number } from "./format";
import type { Player } from "./player";
import type { TimeWindow } from "./panel";
import { onTheme, theme } from "./theme";
import { unitOf, withUnit } from "./units";

/** Columns with their rates, where the run has those: x and x.dot. All frame by frame where the page has them so, otherwise for as long as rows are single frames. */
export function tracksOf(run: Run, columns: number[]): Track[] {
  const { bucket, dense, rows, events } = run.header;
  const whole = bucket > 1 && columns.every((k) => run.whole(k)) ? run.whole(0) : undefined;
  const t = whole ?? run.times;
  const numbers = (column: number) => (whole ? run.whole(column) : run.values(column).value);
  // contacts change velocities at once
  const jumps = new Set(events.filter((e) => e.t > t[0] && e.t <= t[t.length - 1]).map((e) => { const row = lastNotAfter(t, e.t); return t[row] === e.t && row > 0 ? row - 1 : row; }));
  return columns.map((column) => {
    const c = run.info(column);
    const rate = c.kind === "coordinate" ? run.find(`${c.name}.dot`) : -1;
    return { t, value: numbers(column) as Float64Array, rate: rate >= 0 ? numbers(rate) : undefined, rows: whole ? whole.length : bucket > 1 ? dense : rows, broken: jumps.size ? (row: number) => jumps.has(row) : undefined };
  });
}

/** Calls `action` when the element comes near to what is seen, once; and `size` whenever the other has changed its size. */
export function whenNear(element: HTMLElement, action: () => void, host: HTMLElement, size: () => void): void {
  new ResizeObserver(() => host.clientWidth && size()).observe(host);
  new IntersectionObserver((entries, observer) => {
    if (!entries.some((e) => e.isIntersecting)) return;
    observer.disconnect();
    action();
  }, { rootMargin: "600px" }).observe(element);
}

export class Section {
  readonly element: HTMLElement;
  plot: uPlot | null = null;
  points: { t: number[]; x: number[]; y: number[] } = { t: [], x: [], y: [] };
  level: number;
  direction: Direction = "up";
  private host = el("div", { class: "plot phase-plot" });
  private text = el("span", { class: "value" });
  private field = el("input", { type: "number", step: "any", class: "level", "aria-label": "level of the section" });
  private seen = false;

  constructor(private run: Run, private player: Player, private span: TimeWindow, public where: number, public x: number, public y: number) {
    const options = run.columns.flatMap((c, i) => (c.deviation || c.kind === "time" ? [] : [[String(i), c.name] as [string, string]]));
    const pick = (label: string, value: number, action: (v: number) => void) => select(label, options, String(value), (v) => { action(Number(v)); this.update(); });
    this.level = this.middle(where);
    this.field.value = String(this.level);
    this.field.addEventListener("change", () => {
      if (Number.isFinite(this.field.valueAsNumber)) this.level = this.field.valueAsNumber;
      this.update();
    });
    const small = (text: string) => el("span", { class: "muted" }, text);
    this.element = el("section", { class: "panel", id: "panel-section", "aria-label": "Poincar\u00e9 section" },
      el("div", { class: "panel-head wrap" }, el("h2", {}, "Poincar\u00e9 section"), pick("y of the section", y, (v) => (this.y = v)), small("over"), pick("x of the section", x, (v) => (this.x = v)),
        small("where"), pick("section of", where, (v) => { this.where = v; this.level = this.middle(v); this.field.value = String(this.level); }), small("="), this.field,
        select("direction of the section", [["up", "rising"], ["down", "falling"], ["both", "both ways"]], "up", (v) => { this.direction = v as Direction; this.update(); }),
        el("span", { class: "gap" }), this.text),
      this.host);
    span.onChange((hoverOnly) => {
      if (!hoverOnly) this.update();
    });
    onTheme(() => this.plot?.redraw(false));
    whenNear(this.element, () => this.show(), this.host, () => this.plot?.setSize({ width: this.host.clientWidth, height: this.host.clientHeight }));
  }

  show(): void {
    if (this.seen) return;
    this.seen = true;
    this.update();
  }

  /** Zero where the column passes it, otherwise the middle of its values. */
  private middle(column: number): number {
    const c = this.run.info(column);
    const [low, high] = [c.lowest ?? 0, c.highest ?? 0];
    return low < 0 && high > 0 ? 0 : Number(((low + high) / 2).toPrecision(4));
  }

  update(): void {
    if (!this.seen) return;
    this.zoomed = null;
    const [track, tx, ty] = tracksOf(this.run, [this.where, this.x, this.y]);
    const to = Math.min(track.rows - 1, lastNotAfter(track.t, this.span.max));
    const found = crossings(track, this.level, this.direction, lastNotAfter(track.t, this.span.min), to);
    this.points = { t: found.map(([, t]) => t), x: found.map(([i, t]) => between(tx, i, t)), y: found.map(([i, t]) => between(ty, i, t)) };
    this.text.textContent = `${count(found.length)} ${found.length === 1 ? "point" : "points"}${track.rows < this.run.header.frames ? ` of the first ${count(track.rows)} frames` : ""}`;
    this.make();
  }

  private name(column: number): string {
    const c = this.run.info(column);
    return withUnit(c.name, unitOf(this.run, c));
  }

  private range(values: number[]): [number, number] {
    const finite = values.filter(Number.isFinite);
    return around(finite.reduce((a, b) => Math.min(a, b), Infinity), finite.reduce((a, b) => Math.max(a, b), -Infinity), false);
  }

  private draw = (u: uPlot): Path2D => {
    const path = new Path2D();
    const r = (this.points.x.length > 2000 ? 0.8 : this.points.x.length > 300 ? 1.2 : 1.9) * uPlot.pxRatio;
    for (let i = 0; i < this.points.x.length; i++) {
      const [px, py] = [u.valToPos(this.points.x[i], "x", true), u.valToPos(this.points.y[i], "y", true)];
      if (!Number.isFinite(px + py)) continue;
      path.moveTo(px + r, py);
      path.arc(px, py, r, 0, 2 * Math.PI);
    }
    return path;
  };

  private make(): void {
    this.plot?.destroy();
    const [rx, ry] = this.zoomed ?? [this.range(this.points.x), this.range(this.points.y)];
    this.plot = new uPlot({
      mode: 2, width: Math.max(120, this.host.clientWidth), height: this.host.clientHeight || 220, legend: { show: false }, padding: [8, 12, 0, 0],
      scales: { x: { time: false, range: () => rx }, y: { range: () => ry } },
      axes: [axis(22, false, { label: this.name(this.x), labelSize: 15, labelFont: FONT, labelGap: 0 }), axis(58, false, { label: this.name(this.y), labelSize: 14, labelFont: FONT, labelGap: 0 })],
      series: [{}, { facets: [{ scale: "x", auto: true }, { scale: "y", auto: true }], stroke: () => theme().colours[0], fill: () => theme().colours[0], width: 0.5,
        paths: (u) => { const path = this.draw(u); return { stroke: path, fill: path }; }, points: { show: false } } as uPlot.Series],
      cursor: { x: true, y: true, points: { show: false }, drag: { x: true, y: true, setScale: false }, bind: { dblclick: () => () => { this.zoomed = null; this.make(); return null; } } },
      hooks: { setSelect: [(u) => {
        const { left, top, width, height } = u.select;
        if (width > 4 && height > 4) this.zoomed = [[u.posToVal(left, "x"), u.posToVal(left + width, "x")], [u.posToVal(top + height, "y"), u.posToVal(top, "y")]];
        u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        if (width > 4 && height > 4) setTimeout(() => this.make());
      }] },
    }, [null, [this.points.x, this.points.y]] as unknown as uPlot.AlignedData, this.host);
    this.plot.over.addEventListener("click", (e) => this.plot && this.goTo(this.plot, e.offsetX, e.offsetY));
  }
  private zoomed: [[number, number], [number, number]] | null = null;

  /** A click on a point goes to its time. */
  private goTo(u: uPlot, left: number, top: number): void {
    let [best, least] = [-1, 64];
    this.points.x.forEach((x, i) => {
      const far = (u.valToPos(x, "x") - left) ** 2 + (u.valToPos(this.points.y[i], "y") - top) ** 2;
      if (far < least) [best, least] = [i, far];
    });
    if (best < 0) return;
    this.player.seekTime(this.points.t[best]);
    this.text.textContent = `t = ${number(this.points.t[best], 6)}`;
  }
}
