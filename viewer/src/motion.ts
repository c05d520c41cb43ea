// Where the places of the picture are in each frame, and what follows from it: size of the scene, speed, which paths to trail.
import type { Run, Shape } from "./data";

const BEYOND = 2 ** 128; // the least that is not a number of single precision
const somewhere = (...p: number[]): boolean => p.every((x) => Math.abs(x) < BEYOND);

/** A box around points. */
class Extent {
  private low = [Infinity, Infinity, Infinity];
  private high = [-Infinity, -Infinity, -Infinity];

  /** What lies beyond single precision, or is NaN, is nowhere (programs/render/motion.c). */
  add(x: number, y: number, z: number): void {
    if (!somewhere(x, y, z)) return;
    const [low, high] = [this.low, this.high];
    if (x < low[0]) low[0] = x;
    if (x > high[0]) high[0] = x;
    if (y < low[1]) low[1] = y;
    if (y > high[1]) high[1] = y;
    if (z < low[2]) low[2] = z;
    if (z > high[2]) high[2] = z;
  }

  join(other: Extent): void {
    this.add(other.low[0], other.low[1], other.low[2]);
    this.add(other.high[0], other.high[1], other.high[2]);
  }

  side(c: number): [number, number] {
    return Number.isFinite(this.high[c] - this.low[c]) ? [this.low[c], this.high[c]] : [0, 0];
  }

  diagonal(): number {
    return Math.hypot(...[0, 1, 2].map((c) => this.side(c)[1] - this.side(c)[0]));
  }
}

export class Motion {
  readonly frames: number;
  readonly shapes: Shape[];
  readonly centre: [number, number, number] = [0, 0, 0]; // of the box around everything, in all frames
  readonly low: [number, number, number] = [0, 0, 0];
  readonly high: [number, number, number] = [0, 0, 0];
  readonly span: number; // diagonal of that box
  readonly size: number; // largest extent in a single frame
  readonly drifts: boolean; // what moves is held by nothing, and goes much farther than it is large: the camera had better follow
  readonly traced: number[]; // places whose paths are worth a trail
  readonly reach: number; // radius of a ball about the centre that holds everything
  readonly cloud: number[] = []; // some of the places that are taken, in all frames
  readonly shortest: number; // bar
  readonly travel: number; // mean path length per frame of a traced place
  readonly view: number; // radius of what the camera shows when it follows
  private arrowMost = 0;
  private counted: number[] = []; // places that the camera must show: not those of planes, nor the heads of arrows
  private round: [place: number, radius: number][] = [];
  private roundest = 0;
  private bodies: { at: number[]; low: number[]; high: number[] }[] = []; // and their corners along the axes
  private slot: Int32Array;
  private moving: number[];

  constructor(readonly run: Run) {
    const picture = run.header.picture;
    this.frames = picture.frames;
    this.shapes = picture.shapes;
    this.moving = picture.moving;
    this.slot = new Int32Array(picture.places).fill(-1);
    picture.moving.forEach((place, k) => (this.slot[place] = k));
    this.traced = this.chooseTraced();
    this.sort();
    const buffer = new Float32Array(run.still.length);
    const [all, parts] = [new Extent(), new Extent()]; // of everything, and of what moves
    let [size, partSize] = [0, 0];
    const samples = Math.min(this.frames, Math.max(50, Math.floor(2e6 / (buffer.length + 1))));
    const sample = (s: number, of: number) => this.fill(of > 1 ? Math.round((s * (this.frames - 1)) / (of - 1)) : 0, buffer);
    for (let s = 0; s < samples; s++) {
      sample(s, samples);
      const [now, part] = [new Extent(), new Extent()];
      this.eachPoint(buffer, (x, y, z, moves) => {
        now.add(x, y, z);
        if (moves) part.add(x, y, z);
      });
      size = Math.max(size, now.diagonal());
      partSize = Math.max(partSize, part.diagonal());
      all.join(now);
      parts.join(part);
      this.arrowMost = Math.max(this.arrowMost, this.longestArrow(buffer));
    }
    for (let c = 0; c < 3; c++) {
      [this.low[c], this.high[c]] = all.side(c);
      this.centre[c] = (this.low[c] + this.high[c]) / 2;
    }
    this.span = all.diagonal() || 1;
    this.size = size || this.span;
    // a lone ball wants some air around it
    const free = !this.shapes.some((shape) => shape.type === "plane" || shape.type === "ground") && this.counted.every((place) => this.slot[place] >= 0);
    const held = this.shapes.some((shape) => shape.type !== "arrow" && shape.at.some((place) => this.slot[place] >= 0) && shape.at.some((place) => this.slot[place] < 0));
    this.view = Math.max((free ? this.size : partSize) * 0.62, 5 * this.roundest) || this.span;
    this.drifts = this.moving.length > 0 && (free ? this.span > Math.max(1.8 * this.size, 3 * this.view) : !held && parts.diagonal() > 12 * this.view);
    let reach = 0;
    const looks = Math.min(samples, 400);
    for (let s = 0; s < looks; s++) {
      sample(s, looks);
      const stride = Math.max(1, Math.ceil(this.counted.length / 60));
      let i = s;
      this.eachPoint(buffer, (x, y, z) => {
        if (!somewhere(x, y, z)) return;
        if (i++ % stride === 0) this.cloud.push(x, y, z);
        const far = (x - this.centre[0]) ** 2 + (y - this.centre[1]) ** 2 + (z - this.centre[2]) ** 2;
        if (far > reach) reach = far;
      });
    }
    this.reach = Math.sqrt(reach) || this.span / 2;
    this.fill(0, buffer);
    this.shortest = this.shortestBar(buffer);
    this.travel = this.meanTravel();
  }

  /** What stands where, for the size of the scene. */
  private sort(): void {
    const seen = new Set<number>();
    for (const shape of this.shapes) {
      if (shape.type === "plane" || shape.type === "ground" || (shape.type === "mesh" && shape.mesh === undefined)) continue;
      if (shape.type === "box" || shape.type === "disc" || shape.type === "mesh") this.bodies.push(this.body(shape));
      for (const place of shape.type === "arrow" ? shape.at.slice(0, 1) : shape.at) seen.add(place);
      if (shape.radius && somewhere(shape.radius) && (shape.type === "ball" || shape.type === "cylinder" || shape.type === "capsule")) {
        for (const place of shape.at) this.round.push([place, shape.radius]);
        this.roundest = Math.max(this.roundest, shape.radius);
      }
    }
    this.counted = [...seen];
  }

  private body(shape: Shape): { at: number[]; low: number[]; high: number[] } {
    if (shape.type !== "mesh" || shape.mesh === undefined) return { at: shape.at, low: [-1, -1, -1], high: [1, 1, 1] };
    const extent = new Extent();
    const corners = this.run.mesh(shape.mesh);
    for (let i = 0; i < corners.length; i += 3) extent.add(corners[i], corners[i + 1], corners[i + 2]);
    return { at: shape.at, low: [0, 1, 2].map((c) => extent.side(c)[0]), high: [0, 1, 2].map((c) => extent.side(c)[1]) };
  }

  /** Points that lie around everything drawn: places, balls with their radius, bodies with their corners. */
  private eachPoint(p: Float32Array, visit: (x: number, y: number, z: number, moves: boolean) => void): void {
    for (const place of this.counted) visit(p[3 * place], p[3 * place + 1], p[3 * place + 2], this.slot[place] >= 0);
    const flat = this.run.header.picture.flat ? 0 : 1;
    for (const [place, r] of this.round) {
      const [x, y, z] = [p[3 * place], p[3 * place + 1], p[3 * place + 2]];
      visit(x - r, y - r, z - flat * r, this.slot[place] >= 0);
      visit(x + r, y + r, z + flat * r, this.slot[place] >= 0);
    }
    for (const body of this.bodies) {
      const at = (k: number, c: number) => p[3 * body.at[k] + c];
      for (let i = 0; i < 8; i++) {
        const corner = (c: number) => at(0, c) + [1, 2, 3].reduce((sum, k) => sum + (i & (1 << (k - 1)) ? body.high : body.low)[k - 1] * (at(k, c) - at(0, c)), 0);
        visit(corner(0), corner(1), corner(2), this.slot[body.at[0]] >= 0 || this.slot[body.at[1]] >= 0);
      }
    }
  }

  private longestArrow(p: Float32Array): number {
    let most = 0;
    for (const { type, at, scale } of this.shapes)
      if (type === "arrow" && !scale) {
        const length = Math.hypot(...[0, 1, 2].map((c) => p[3 * at[1] + c] - p[3 * at[0] + c]));
        if (length > most && Number.isFinite(length)) most = length;
      }
    return most;
  }

  /** Length in the picture of an arrow of one unit. */
  arrowScale(shape: Shape): number {
    return shape.scale ?? (this.arrowMost > 0 ? (0.3 * Math.min(this.size, this.span)) / this.arrowMost : 1);
  }

  /** Ends of bars, centres of balls and bodies that move; of many, some. */
  private chooseTraced(): number[] {
    const seen = new Set<number>();
    const take = (place: number) => this.slot[place] >= 0 && seen.add(place);
    for (const shape of this.shapes) if (shape.type === "ball") take(shape.at[0]);
    if (!seen.size)
      for (const shape of this.shapes) {
        if (shape.type === "bar" || shape.type === "spring" || shape.type === "cylinder" || shape.type === "capsule") shape.at.forEach(take);
        else if (shape.type === "box" || shape.type === "disc" || shape.type === "mesh") take(this.slot[shape.at[0]] >= 0 ? shape.at[0] : shape.at[1]);
      }
    const found = [...seen];
    if (found.length <= 7) return found;
    return [found[Math.floor(found.length / 3)], found[Math.floor((2 * found.length) / 3)], found[found.length - 1]];
  }

  private shortestBar(places: Float32Array): number {
    let least = Infinity;
    for (const shape of this.shapes) {
      if (shape.type !== "bar") continue;
      const [a, b] = shape.at;
      const length = Math.hypot(places[3 * a] - places[3 * b], places[3 * a + 1] - places[3 * b + 1], places[3 * a + 2] - places[3 * b + 2]);
      if (length > 0 && length < least) least = length;
    }
    return least;
  }

  private meanTravel(): number {
    let sum = 0;
    let n = 0;
    const a: [number, number, number] = [0, 0, 0];
    const b: [number, number, number] = [0, 0, 0];
    for (const place of this.traced)
      for (let k = 1; k < Math.min(this.closeFrames, 4000); k++) {
        this.place(place, k - 1, a);
        this.place(place, k, b);
        const step = Math.hypot(b[0] - a[0], b[1] - a[1], b[2] - a[2]);
        if (Number.isFinite(step)) sum += step;
        n++;
      }
    return n ? sum / n : 0;
  }

  /** Frames that follow each other closely enough to speak of a path. */
  get closeFrames(): number {
    const p = this.run.header.picture;
    return this.run.sparse(p.frames - 1) && p.dense > 1 ? p.dense : p.frames;
  }

  place(place: number, frame: number, out: { [index: number]: number }): void {
    const slot = this.slot[place];
    const from = slot < 0 ? this.run.still : this.run.motion;
    const at = slot < 0 ? 3 * place : 3 * (frame * this.moving.length + slot);
    for (let c = 0; c < 3; c++) out[c] = from[at + c];
  }

  moves(place: number): boolean {
    return this.slot[place] >= 0;
  }

  /** All places of a frame. */
  fill(frame: number, out: Float32Array): void {
    out.set(this.run.still);
    const from = this.run.motion;
    const start = 3 * frame * this.moving.length;
    for (let k = 0; k < this.moving.length; k++) {
      const to = 3 * this.moving[k];
      for (let c = 0; c < 3; c++) out[to + c] = from[start + 3 * k + c];
    }
  }

  /** Middle of what moves. */
  middle(frame: number, out: number[]): void {
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    const start = 3 * frame * this.moving.length;
    for (const place of this.counted)
      for (let c = 0; this.slot[place] >= 0 && c < 3; c++) {
        const x = this.run.motion[start + 3 * this.slot[place] + c];
        if (!somewhere(x)) continue;
        if (x < low[c]) low[c] = x;
        if (x > high[c]) high[c] = x;
      }
    for (let c = 0; c < 3; c++) out[c] = Number.isFinite(high[c] - low[c]) ? (low[c] + high[c]) / 2 : 0;
  }

  /** Units of time per second at which the motion is well seen: its size is crossed in about a second. */
  goodSpeed(): number {
    const times = this.run.times;
    const end = Math.min(times.length - 1, this.run.rowOf(this.closeFrames - 1));
    const duration = end > 0 ? times[end] - times[0] : 1;
    if (!(this.travel > 0) || this.frames < 2) return duration / 20 || 1;
    const perFrame = duration / (this.closeFrames - 1);
    const scene = this.drifts ? this.size : Math.min(this.span, this.size * 1.5);
    const speed = (scene * 0.8 * perFrame) / this.travel;
    return Math.min(speed, duration / 4) || 1;
  }
}
