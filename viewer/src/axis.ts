// What all plots share: looks of axes, and the path of a line that shows the least and greatest value of every pixel.
import uPlot from "uplot";
import { raised, ticks } from "./format";
import { theme } from "./theme";

export const FONT = '11px ui-sans-serif, system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';

/** Looks of an axis. `decades`: a logarithmic scale. */
export function axis(size: number, decades = false, more: Partial<uPlot.Axis> = {}): uPlot.Axis {
  return {
    font: FONT, size, gap: 4,
    stroke: () => theme().muted,
    grid: { stroke: () => theme().faint, width: 1 },
    ticks: { stroke: () => theme().line, width: 1, size: 4 },
    values: (_u, splits, _axis, _space, step) =>
      decades ? splits.map((v) => (v > 0 && Math.abs(Math.log10(v) - Math.round(Math.log10(v))) < 1e-9 ? `10${raised(Math.round(Math.log10(v)))}` : "")) : ticks(splits, step || 1),
    ...more,
  };
}

/** Powers of ten for a logarithmic axis, few enough to be read. */
export function decades(_u: uPlot, _axis: number, low: number, high: number): number[] {
  const from = Math.round(Math.log10(low));
  const to = Math.round(Math.log10(high));
  const step = Math.max(1, Math.ceil((to - from) / 6));
  const out: number[] = [];
  for (let p = Math.ceil(from / step) * step; p <= to; p += step) out.push(10 ** p);
  return out;
}

/** A range around values, never empty. */
export function around(low: number, high: number, logarithmic: boolean): [number, number] {
  if (logarithmic) {
    if (!(low > 0) || !Number.isFinite(high)) return [1e-16, 1];
    const from = Math.floor(Math.log10(low) + 1e-9);
    return [10 ** from, 10 ** Math.max(from + 1, Math.ceil(Math.log10(high) - 1e-9))];
  }
  if (!Number.isFinite(low) || !Number.isFinite(high)) return [-1, 1];
  const spread = high - low;
  if (spread <= Math.abs(high) * 1e-15) return high === 0 ? [-1, 1] : [low - Math.abs(low) * 0.01, high + Math.abs(high) * 0.01];
  return [low - 0.06 * spread, high + 0.06 * spread];
}

export interface Lines {
  x: ArrayLike<number>;
  value: ArrayLike<number>;
  low: ArrayLike<number>;
  high: ArrayLike<number>;
}

/**
 * The line through the values of rows from .. to: where several rows fall on a pixel, it goes through the first, the least, the greatest
 * and the last of them. `logarithmic`: magnitudes, zero at the lower edge.
 */
export function envelopePath(u: uPlot, lines: Lines, from: number, to: number, logarithmic: boolean): Path2D {
  const path = new Path2D();
  const { left, top, width, height } = u.bbox;
  const [xs, ys] = [u.scales.x, u.scales.y];
  const [x0, x1, y0, y1] = [xs.min ?? 0, xs.max ?? 1, ys.min ?? 0, ys.max ?? 1];
  const lift = (v: number) => (logarithmic ? Math.log10(Math.max(Math.abs(v), y0 * 1e-3)) : v);
  const [b0, b1] = logarithmic ? [Math.log10(y0), Math.log10(y1)] : [y0, y1];
  const px = (x: number) => left + ((x - x0) / (x1 - x0)) * width;
  const py = (v: number) => Math.max(-1e5, Math.min(1e5, top + height - ((lift(v) - b0) / (b1 - b0)) * height));
  let [column, pen] = [NaN, false];
  let [first, least, most, last] = [0, 0, 0, 0];
  const flush = () => {
    if (Number.isNaN(column)) return;
    const at = [first, ...(least < first || least < last || most > first || most > last ? [least, most] : []), last];
    at.forEach((v, i) => (i && v === at[i - 1] ? undefined : pen ? path.lineTo(column, py(v)) : (path.moveTo(column, py(v)), (pen = true))));
    column = NaN;
  };
  const dense = to - from > 2 * width;
  for (let i = from; i <= to; i++) {
    const v = lines.value[i];
    let [low, high] = [lines.low[i], lines.high[i]];
    if (!(low <= high)) {
      flush();
      pen = false;
      continue;
    }
    if (logarithmic) [low, high] = [low <= 0 && high >= 0 ? 0 : Math.min(Math.abs(low), Math.abs(high)), Math.max(Math.abs(low), Math.abs(high))];
    const value = Number.isNaN(v) ? low : logarithmic ? Math.abs(v) : v;
    const x = dense ? Math.round(px(lines.x[i])) : px(lines.x[i]);
    if (x === column) {
      least = Math.min(least, low);
      most = Math.max(most, high);
      last = value;
    } else {
      flush();
      [column, first, least, most, last] = [x, value, low, high, value];
    }
  }
  flush();
  return path;
}
