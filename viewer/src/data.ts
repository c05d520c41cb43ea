// The data of a page as src/report/page.c writes it: a JSON header, columns packed, places as base64 of little-endian numbers.
import { inflate, unpack, type Code } from "./unpack";

export interface Column {
  name: string;
  kind: string;
  deviation?: boolean; // from the first frame, formed before rounding to double
  first: number | null;
  last: number | null;
  lowest: number | null;
  highest: number | null;
  slope: number | null;
  notFinite?: number;
  code?: Code[]; // how the values are packed and, with buckets, the least and the greatest
}

export interface Shape {
  type: "bar" | "spring" | "ball" | "box" | "disc" | "path" | "surface" | "cylinder" | "capsule" | "plane" | "ground" | "arrow" | "mesh";
  at: number[];
  columns?: number;
  radius?: number;
  height?: number; // of the ground
  scale?: number; // of an arrow
  colour?: string;
  label?: string;
  file?: string; // of a mesh
  mesh?: number; // element #mesh-K
}

export interface Picture {
  frames: number;
  dense: number; // the first frames, without gaps, where the others have gaps of `every`
  every: number;
  guessed: boolean;
  flat: boolean;
  places: number;
  omitted: number;
  moving: number[];
  shapes: Shape[];
}

export interface RunEvent {
  t: number;
  name: string;
  kind: string;
  impulse: number | null;
}

/** A quantity over all steps that the run looked at. */
export interface Watched {
  name: string;
  first: number | null;
  last: number | null;
  lowest: number | null;
  highest: number | null;
  down: number | null; // lowest and highest, less the first
  up: number | null;
  change: number | null; // last, less the first
  slope: number | null;
}

export interface Header {
  format: number;
  title: string;
  source: string;
  run: Record<string, string>;
  parameters: [string, string][];
  settings: [string, string][];
  units: { length?: string; time?: string; mass?: string };
  coordinates: number;
  constraints: number;
  energyConserved: boolean;
  watched: Watched[];
  frames: number;
  framesOfRun: number;
  firstFrame: number;
  frameStride: number;
  dense: number; // the first rows, single frames where the others are buckets
  bucket: number;
  rows: number;
  columnsOmitted: number;
  columns: Column[];
  whole?: { rows: number; columns: number[]; code: Code[] }; // columns that are there frame by frame, of the first frames
  picture: Picture;
  events: RunEvent[];
  eventsOmitted: number;
}

/** A column's numbers: per row a value of one frame, and the least and greatest of all frames of the row. */
export interface Values {
  value: Float64Array;
  low: Float64Array;
  high: Float64Array;
}

function bytes(id: string): ArrayBuffer {
  const element = document.getElementById(id);
  const text = element?.textContent ?? "";
  element?.remove();
  return bytesOf(text);
}

export function bytesOf(text: string): ArrayBuffer {
  const decode = (Uint8Array as unknown as { fromBase64?: (text: string) => Uint8Array }).fromBase64;
  if (decode) return decode(text).buffer as ArrayBuffer;
  const binary = atob(text);
  const out = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) out[i] = binary.charCodeAt(i);
  return out.buffer;
}

/** The number of the last time that is not after t; 0 where there is none. */
export function lastNotAfter(times: ArrayLike<number>, t: number): number {
  let low = 0;
  let high = times.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= t) low = middle;
    else high = middle;
  }
  return low;
}

export class Run {
  readonly header: Header;
  still = new Float32Array(0);
  motion = new Float32Array(0);
  private wholePlanes: Uint8Array = new Uint8Array(0);
  private wholes = new Map<number, Float64Array>();
  private planes: Uint8Array = new Uint8Array(0);
  private channels = new Map<number, Float64Array>();
  private cache = new Map<number, Values>();
  private derived: Column[] = [];
  private meshes = new Map<number, Float32Array>();

  constructor() {
    this.header = JSON.parse(document.getElementById("data")?.textContent ?? "null");
  }

  /** Numbers and places, which are there when this is done. */
  async load(): Promise<void> {
    this.still = new Float32Array(bytes("still"));
    this.motion = new Float32Array(bytes("motion"));
    this.planes = await inflate(bytes("numbers"));
    if (this.header.whole) this.wholePlanes = await inflate(bytes("whole"));
  }

  get columns(): Column[] {
    return this.header.columns;
  }

  /** Number of the column with this name, or -1. */
  find(name: string, deviation = false): number {
    return this.columns.findIndex((c) => c.name === name && !!c.deviation === deviation);
  }

  values(column: number): Values {
    let found = this.cache.get(column);
    if (!found) {
      const parts = this.parts;
      const value = this.channel(column * parts);
      found = parts > 1 ? { value, low: this.channel(column * parts + 1), high: this.channel(column * parts + 2) } : { value, low: value, high: value };
      this.cache.set(column, found);
    }
    return found;
  }

  private get parts(): number {
    return this.header.bucket > 1 ? 3 : 1;
  }

  private channel(k: number): Float64Array {
    let found = this.channels.get(k);
    if (!found) {
      const { rows } = this.header;
      const code = this.columns[Math.floor(k / this.parts)].code?.[k % this.parts] ?? 0;
      found = unpack(this.planes.subarray(8 * rows * k, 8 * rows * (k + 1)), rows, code, typeof code === "number" ? null : this.channel(code[0]));
      this.channels.set(k, found);
    }
    return found;
  }

  /** A column frame by frame, of as many frames as header.whole has; undefined where it has not this one. */
  whole(column: number): Float64Array | undefined {
    const whole = this.header.whole;
    const k = whole ? whole.columns.indexOf(column) : -1;
    return whole && k >= 0 ? this.wholeChannel(k, whole.rows, whole.code) : undefined;
  }

  private wholeChannel(k: number, rows: number, codes: Code[]): Float64Array {
    let found = this.wholes.get(k);
    if (!found) {
      const code = codes[k];
      found = unpack(this.wholePlanes.subarray(8 * rows * k, 8 * rows * (k + 1)), rows, code, typeof code === "number" ? null : this.wholeChannel(code[0], rows, codes));
      this.wholes.set(k, found);
    }
    return found;
  }

  /** A column, or one that the page has made of others: those have numbers after the columns'. */
  info(column: number): Column {
    return this.columns[column] ?? this.derived[column - this.columns.length];
  }

  /** Adds a column made of others, row by row. */
  derive(name: string, kind: string, value: Float64Array): number {
    let [lowest, highest] = [Infinity, -Infinity];
    for (const v of value) {
      if (v < lowest) lowest = v;
      if (v > highest) highest = v;
    }
    this.derived.push({ name, kind, first: value[0], last: value[value.length - 1], lowest, highest, slope: null });
    const number = this.columns.length + this.derived.length - 1;
    this.cache.set(number, { value, low: value, high: value });
    return number;
  }

  /** Triangles of a mesh: 9 numbers each. */
  mesh(number: number): Float32Array {
    let found = this.meshes.get(number);
    if (!found) this.meshes.set(number, (found = new Float32Array(bytes(`mesh-${number}`))));
    return found;
  }

  get times(): Float64Array {
    return this.values(0).value;
  }

  /** The row whose time is the last not after t. */
  rowAt(t: number): number {
    return lastNotAfter(this.times, t);
  }

  /** What a quantity did, by the run's own count: over all steps, not only the frames. */
  watched(name: string): Watched | undefined {
    return this.header.watched.find((w) => w.name === name);
  }

  /** The frame (of those in the page) that begins a row. */
  frameOf(row: number): number {
    const { dense, bucket } = this.header;
    return row < dense ? row : dense + (row - dense) * bucket;
  }

  /** The frame of the animation that belongs to a row. */
  pictureFrame(row: number): number {
    const p = this.header.picture;
    const frame = this.frameOf(row);
    return Math.min(p.frames - 1, frame < p.dense ? frame : p.dense + Math.floor((frame - p.dense) / p.every));
  }

  /** The row that shows a frame of the animation first. */
  rowOf(pictureFrame: number): number {
    const p = this.header.picture;
    const frame = pictureFrame < p.dense ? pictureFrame : p.dense + (pictureFrame - p.dense) * p.every;
    const { dense, bucket } = this.header;
    return frame < dense ? frame : dense + Math.ceil((frame - dense) / bucket);
  }

  /** Gaps between frames of the animation hide what happens in them: no trail, no chords. */
  sparse(pictureFrame: number): boolean {
    const p = this.header.picture;
    return p.every > 4 && pictureFrame >= p.dense;
  }
}
