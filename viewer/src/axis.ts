// What all plots share: looks of axes, and the path of a line that shows the least and greatest value of every pixel.
import uPlot from "uplot";
import { number, raised, ticks } from "./format";
import { theme } from "./theme";

export const FONT = '11px ui-sans-serif, system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';

/** Multiples of 1, 2 or 5 times a power of ten from low to high, some `room` pixels apart on an axis of so many pixels. (Those of uPlot end at 1e-16: round-off
    of small numbers is plotted here.) */
export function multiples(low: number, high: number, pixels: number, room: number): number[] {
  const least = (high - low) * (room / Math.max(pixels, room));
  const power = Math.floor(Math.log10(least));
  const digit = [1, 2, 5, 10].find((d) => d * 10 ** power >= least * 0.9999) ?? 10;
  const step = Number(`${digit}e${power}`);
  const from = Math.ceil(low / step - 1e-9);
  const count = Math.floor(high / step + 1e-9) - from + 1;
  return Array.from({ length: Math.max(0, Math.min(count, 1000)) }, (_, i) => Number(`${(from + i) * digit}e${power}`));
}

/** Looks of an axis. `decades`: a logarithmic scale. */
export function axis(size: number, decades = false, more: Partial<uPlot.Axis> = {}): uPlot.Axis {
  return {
    font: FONT, size, gap: 4,
    splits: (u, k, low, high) => (k ? multiples(low, high, u.bbox.height / devicePixelRatio, 26) : multiples(low, high, u.bbox.width / devicePixelRatio, 60)),
    incrs: (_u, _k, low, high) => [Math.max(5, high - low)], // uPlot draws no ticks where its list, which ends at 1e32, has none
    stroke: () => theme().muted,
    grid: { stroke: () => theme().faint, width: 1 },
    ticks: { stroke: () => theme().line, width: 1, size: 4 },
    values: (_u, splits) =>
      decades ? splits.map((v) => (Math.abs(Math.log10(v) - Math.round(Math.log10(v))) < 1e-9 ? `10${raised(Math.round(Math.log10(v)))}` : number(v, 1))) : ticks(splits, splits.length > 1 ? splits[1] - splits[0] : Math.abs(splits[0]) || 1),
    ...more,
  };
}

/** Powers of ten for a logarithmic axis, few enough to be read; where there are hardly any, 2 and 5 times them too. */
export function decades(_u: uPlot, _axis: number, low: number, high: number): number[] {
  const from = Math.ceil(Math.log10(low) - 1e-9);
  const to = Math.floor(Math.log10(high) + 1e-9);
  if (to - from < 2) return Array.from({ length: 4 }, (_, i) => [1, 2, 5].map((d) => Number(`${d}e${from - 1 + i}`))).flat().filter((v) => v >= low * 0.999 && v <= high * 1.001);
  const step = Math.max(1, Math.ceil((to - from) / 6));
  const out: number[] = [];
  for (let p = Math.ceil(from / step) * step; p <= to; p += step) out.push(Number(`1e${p}`));
  return out;
}

/** Ends of axes: their distance times the pixels between them is a number. What lies beyond is not seen. */
const FAR = Number.MAX_VALUE / 1e5;

/** A range around values, never empty. */
export function around(low: number, high: number, logarithmic: boolean): [number, number] {
  const [from, to] = rangeOf(low, high, logarithmic);
  return [Math.max(from, -FAR), Math.min(to, FAR)];
}

function rangeOf(low: number, high: number, logarithmic: boolean): [number, number] {
  if (logarithmic) {
    if (!(low > 0) || !Number.isFinite(high)) return [1e-16, 1];
    const from = Math.floor(Math.log10(low) + 1e-9);
    return [10 ** from, 10 ** Math.max(from + 1, Math.ceil(Math.log10(high) - 1e-9))];
  }
  if (!Number.isFinite(low) || !Number.isFinite(high)) return [-1, 1];
  const spread = Math.min(high, FAR) - Math.max(low, -FAR);
  if (spread <= Math.abs(high) * 1e-15) return high === 0 ? [-1, 1] : [low - Math.abs(low) * 0.01, high + Math.abs(high) * 0.01];
  return [low - 0.06 * spread, high + 0.06 * spread];
}

export interface Lines {
  x: ArrayLike<number>;
  value: ArrayLike<number>;
  low: ArrayLike<number>;
  high: ArrayLike<number>;
}

/** What uPlot strokes and fills. */
export interface Drawn {
  stroke: Path2D;
  fill: Path2D | null;
}

/** A pixel column of a line: its first, least, greatest and last value. */
type Stack = [x: number, first: number, least: number, most: number, last: number];

/** Rows from .. to by pixel columns; an empty list begins where a value is missing. */
function stacks(lines: Lines, from: number, to: number, px: (x: number) => number, dense: boolean, magnitudes: boolean): Stack[][] {
  const runs: Stack[][] = [[]];
  for (let i = from; i <= to; i++) {
    let [low, high] = [lines.low[i], lines.high[i]];
    let run = runs[runs.length - 1];
    if (!(low <= high)) {
      if (run.length) runs.push([]);
      continue;
    }
    if (magnitudes) [low, high] = [low <= 0 && high >= 0 ? 0 : Math.min(Math.abs(low), Math.abs(high)), Math.max(Math.abs(low), Math.abs(high))];
    const v = lines.value[i];
    const value = Number.isNaN(v) ? low : magnitudes ? Math.abs(v) : v;
    const x = dense ? Math.round(px(lines.x[i])) : px(lines.x[i]);
    const top = run[run.length - 1];
    if (top && top[0] === x) {
      top[2] = Math.min(top[2], low);
      top[3] = Math.max(top[3], high);
      top[4] = value;
    } else run.push([x, value, low, high, value]);
  }
  return runs;
}

/**
 * The line through the values of rows from .. to. Where several frames fall on a pixel it goes through the first, the least, the greatest
 * and the last of them. On a logarithmic scale, of magnitudes, it goes through the greatest, and a band reaches down to the least.
 */
export function envelopePath(u: uPlot, lines: Lines, from: number, to: number, logarithmic: boolean, pen: () => Pick<Path2D, "moveTo" | "lineTo"> = () => new Path2D()): Drawn {
  const { left, top, width, height } = u.bbox;
  const [x0, x1, y0, y1] = [u.scales.x.min ?? 0, u.scales.x.max ?? 1, u.scales.y.min ?? 0, u.scales.y.max ?? 1];
  const lift = (v: number) => (logarithmic ? Math.log10(Math.max(v, y0 * 0.5)) : v);
  const [b0, b1] = logarithmic ? [Math.log10(y0), Math.log10(y1)] : [y0, y1];
  const px = (x: number) => left + ((x - x0) / (x1 - x0)) * width;
  const py = (v: number) => Math.max(-1e5, Math.min(1e5, top + height - ((lift(v) - b0) / (b1 - b0)) * height));
  const dense = to - from > 1.5 * width;
  const stroke = pen();
  const fill = logarithmic ? new Path2D() : null;
  for (const run of stacks(lines, from, to, px, dense, logarithmic)) {
    run.forEach(([x, first, least, most, last], i) => {
      const inner = logarithmic ? [most] : least < Math.min(first, last) || most > Math.max(first, last) ? [first, least, most, last] : [first, last];
      inner.forEach((v, k) => (i || k ? stroke.lineTo(x, py(v)) : stroke.moveTo(x, py(v))));
    });
    if (!fill) continue;
    run.forEach(([x, , , most], i) => (i ? fill.lineTo(x, py(most)) : fill.moveTo(x, py(most))));
    for (let i = run.length - 1; i >= 0; i--) fill.lineTo(run[i][0], py(run[i][2]));
    fill.closePath();
  }
  return { stroke: stroke as Path2D, fill };
}
