// Whether a quantity drifts: docs/report.md says what counts as a trend.

/** Blocks of equal time that the run is cut into. */
const BLOCKS = 8;
/** Kendall's S of their means, from -28 to 28: with no trend it is beyond 23 in one of 576 cases (70 of 40320 orders). */
const ORDERED = 24;
/** How much of the scatter within a block a trend must be, to be more than a part of the oscillation. */
const VISIBLE = 0.5;
/** In every block every velocity must pass its mean so often, which is about one oscillation. */
const PASSES = 2;

export interface Trend {
  drifts: boolean | null; // null: the run is too short to tell
  change: number;         // over the run, of a line through the first and the last block
}

const UNKNOWN: Trend = { drifts: null, change: NaN };

/** The rows of each block: blocks are of equal time, rows need not be. */
function cut(times: ArrayLike<number>): [number, number][] {
  const [first, last] = [times[0], times[times.length - 1]];
  const blocks: [number, number][] = [];
  for (let b = 0, from = 0; b < BLOCKS; b++) {
    const end = first + ((last - first) * (b + 1)) / BLOCKS;
    let to = from;
    while (to < times.length && (b === BLOCKS - 1 || (last > first ? times[to] < end : times[to] > end))) to++;
    blocks.push([from, to]);
    from = to;
  }
  return blocks;
}

function mean(x: ArrayLike<number>, from: number, to: number): number {
  let sum = 0;
  for (let i = from; i < to; i++) sum += x[i];
  return sum / (to - from);
}

function passes(x: ArrayLike<number>, from: number, to: number): number {
  const middle = mean(x, from, to);
  let count = 0;
  for (let i = from + 1; i < to; i++) if (x[i] > middle !== x[i - 1] > middle) count++;
  return count;
}

/** Does it move at all? What is constant does so in the last digits, and oscillates there. */
function moves(x: ArrayLike<number>): boolean {
  let [low, high] = [Infinity, -Infinity];
  for (let i = 0; i < x.length; i++) {
    low = Math.min(low, x[i]);
    high = Math.max(high, x[i]);
  }
  return high - low > 1e-9 * Math.max(Math.abs(low), Math.abs(high));
}

/** Of the values at the times; `motion`: velocities, whose oscillations say how long is long. */
export function trend(times: ArrayLike<number>, values: ArrayLike<number>, motion: ArrayLike<number>[]): Trend {
  if (times.length < BLOCKS * (PASSES + 1)) return UNKNOWN;
  const blocks = cut(times);
  const moving = motion.filter(moves);
  if (!moving.length || blocks.some(([from, to]) => to - from <= PASSES || moving.some((x) => passes(x, from, to) < PASSES))) return UNKNOWN;
  const means = blocks.map(([from, to]) => mean(values, from, to));
  let [ordered, scatter] = [0, 0];
  for (let b = 0; b < BLOCKS; b++) {
    for (let a = 0; a < b; a++) ordered += Math.sign(means[b] - means[a]);
    const [from, to] = blocks[b];
    for (let i = from; i < to; i++) scatter += (values[i] - means[b]) ** 2 / (to - from) / BLOCKS;
  }
  const change = means[BLOCKS - 1] - means[0];
  if (!Number.isFinite(change) || !Number.isFinite(scatter)) return UNKNOWN;
  return { drifts: Math.abs(ordered) >= ORDERED && Math.abs(change) > VISIBLE * Math.sqrt(scatter), change: (change * BLOCKS) / (BLOCKS - 1) };
}
