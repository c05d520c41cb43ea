// Sections and spectra of columns: what is between the frames, crossings, Fourier transform, peaks.

/** A column over time, with its rate where the run has it. Frames in which something jumps lie at the ends of `broken` intervals. */
export interface Track {
  t: ArrayLike<number>;
  value: ArrayLike<number>;
  rate?: ArrayLike<number>;
  rows: number; // the first so many, single frames
  broken?: (row: number) => boolean; // something jumps between this row and the next
}

/** The value at time t between rows i and i + 1: by Hermite's cubic where the rate is known, otherwise by the cubic through four frames. */
export function between(track: Track, i: number, t: number): number {
  const { t: times, value, rate } = track;
  const h = times[i + 1] - times[i];
  const s = h > 0 ? (t - times[i]) / h : 0;
  if (track.broken?.(i)) return value[i] + s * (value[i + 1] - value[i]);
  if (rate) {
    const [a, b, da, db] = [value[i], value[i + 1], h * rate[i], h * rate[i + 1]];
    return a + s * (da + s * (3 * (b - a) - 2 * da - db + s * (2 * (a - b) + da + db)));
  }
  let from = Math.max(0, Math.min(track.rows - 4, i - 1));
  let to = Math.min(track.rows - 1, from + 3);
  for (let k = i - 1; k >= from; k--) if (track.broken?.(k)) from = k + 1;
  for (let k = i + 1; k < to; k++) if (track.broken?.(k)) to = k;
  let sum = 0;
  for (let j = from; j <= to; j++) {
    let weight = 1;
    for (let k = from; k <= to; k++) if (k !== j) weight *= (t - times[k]) / (times[j] - times[k]);
    sum += weight * value[j];
  }
  return sum;
}

export type Direction = "up" | "down" | "both";

/** When a column passes a level, in rows from .. to: the row before, and the time. A frame that is on it belongs to the interval before it. */
export function crossings(track: Track, level: number, direction: Direction, from = 0, to = track.rows - 1): [row: number, t: number][] {
  const found: [number, number][] = [];
  for (let i = from; i < to; i++) {
    const [a, b] = [track.value[i] - level, track.value[i + 1] - level];
    if (!(a < 0 && b >= 0 && direction !== "down") && !(a > 0 && b <= 0 && direction !== "up")) continue;
    let [low, high] = [track.t[i], track.t[i + 1]];
    for (let k = 0; k < 60 && high - low > 0; k++) {
      const middle = (low + high) / 2;
      if (middle <= low || middle >= high) break;
      if ((between(track, i, middle) - level) * a > 0) low = middle;
      else high = middle;
    }
    found.push([i, (low + high) / 2]);
  }
  return found;
}

/** In place; the length is a power of two. */
export function transform(re: Float64Array, im: Float64Array): void {
  const n = re.length;
  for (let i = 1, j = 0; i < n; i++) {
    let bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) [re[i], re[j], im[i], im[j]] = [re[j], re[i], im[j], im[i]];
  }
  for (let size = 2; size <= n; size *= 2) {
    const half = size / 2;
    const [cs, sn] = [new Float64Array(half), new Float64Array(half)];
    for (let k = 0; k < half; k++) [cs[k], sn[k]] = [Math.cos((-2 * Math.PI * k) / size), Math.sin((-2 * Math.PI * k) / size)];
    for (let i = 0; i < n; i += size)
      for (let k = 0; k < half; k++) {
        const [a, b] = [i + k, i + k + half];
        const x = re[b] * cs[k] - im[b] * sn[k];
        const y = re[b] * sn[k] + im[b] * cs[k];
        [re[b], im[b], re[a], im[a]] = [re[a] - x, im[a] - y, re[a] + x, im[a] + y];
      }
  }
}

export interface Spectrum {
  step: number; // between frequencies
  resolution: number; // 1 / duration
  amplitude: Float64Array; // of frequencies 0, step, ...: a sine of amplitude A comes out as A
}

/** Most frames of a spectrum; of more, the first. */
export const SPECTRUM_ROWS = 1 << 18;

/** Of rows from .. to, less their mean, under Hann's window, with zeros to four times the length. Frames that are not evenly spaced are interpolated. */
export function spectrum(track: Track, from: number, to: number): Spectrum | null {
  const count = Math.min(to - from + 1, SPECTRUM_ROWS);
  if (count < 8) return null;
  const last = from + count - 1;
  const [begin, end] = [track.t[from], track.t[last]];
  const h = (end - begin) / (count - 1);
  if (!(h > 0)) return null;
  const x = new Float64Array(count);
  for (let i = 0, row = from; i < count; i++) {
    const t = i === count - 1 ? end : begin + i * h;
    while (row < last - 1 && track.t[row + 1] <= t) row++;
    const near = Math.abs(track.t[row] - t) < 1e-6 * h ? row : Math.abs(track.t[row + 1] - t) < 1e-6 * h ? row + 1 : -1;
    x[i] = near >= 0 ? track.value[near] : between(track, row, t);
  }
  const hann = (i: number) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / count);
  const mean = x.reduce((sum, v, i) => sum + hann(i) * v, 0) / (count / 2); // under the window: nothing is left at frequency 0
  if (!Number.isFinite(mean)) return null;
  let size = 8;
  while (size < 4 * count) size *= 2;
  const [re, im] = [new Float64Array(size), new Float64Array(size)];
  for (let i = 0; i < count; i++) re[i] = (x[i] - mean) * hann(i);
  transform(re, im);
  const amplitude = new Float64Array(size / 2 + 1);
  for (let k = 0; k < amplitude.length; k++) amplitude[k] = (Math.hypot(re[k], im[k]) * 4) / count; // the window's mean is 1/2, half is at the negative frequency
  return { step: 1 / (size * h), resolution: 1 / (count * h), amplitude };
}

/** The highest peaks, highest first: frequency and amplitude, by the parabola through the logarithms of three values. The side lobes of the window
    (less than 3 % of a peak, within some frequencies of it) are none. */
export function peaks(s: Spectrum, most: number): [frequency: number, amplitude: number][] {
  const a = s.amplitude;
  const wide = Math.round(s.resolution / s.step);
  const highest = a.reduce((x, y) => Math.max(x, y), 0);
  const found: [number, number][] = [];
  const order: number[] = [];
  for (let k = wide; k < a.length - 1; k++) if (a[k] > a[k - 1] && a[k] >= a[k + 1] && a[k] > 1e-6 * highest && a[k] > 1e-300) order.push(k);
  order.sort((p, q) => a[q] - a[p]);
  const taken: number[] = [];
  for (const k of order) {
    if (found.length === most) break;
    // Hann's lobes fall as the third power of the distance
    if (taken.some((p) => Math.abs(k - p) < 3 * wide || a[k] < a[p] * 0.3 * (wide / Math.abs(k - p)) ** 3 * 2)) continue;
    const [l, c, r] = [a[k - 1], a[k], a[k + 1]].map((v) => Math.log(Math.max(v, 1e-300)));
    const shift = (l - r) / (2 * (l - 2 * c + r)) || 0;
    taken.push(k);
    found.push([(k + shift) * s.step, Math.exp(c - ((l - r) * shift) / 4)]);
  }
  return found;
}
