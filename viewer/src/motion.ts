// Where the places of the picture are in each frame, and what follows from it: size of the scene, speed, which paths to trail.
import type { Run, Shape } from "./data";

export class Motion {
  readonly frames: number;
  readonly shapes: Shape[];
  readonly centre: [number, number, number] = [0, 0, 0]; // of the box around everything, in all frames
  readonly low: [number, number, number] = [0, 0, 0];
  readonly high: [number, number, number] = [0, 0, 0];
  readonly span: number; // diagonal of that box
  readonly size: number; // largest extent in a single frame
  readonly drifts: boolean; // nothing is fixed, and it moves farther than it is large: the camera had better follow
  readonly traced: number[]; // places whose paths are worth a trail
  readonly reach: number; // radius of a ball about the centre that holds everything
  readonly cloud: number[] = []; // some of the places that are taken, in all frames
  readonly shortest: number; // bar
  readonly travel: number; // mean path length per frame of a traced place
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
    const buffer = new Float32Array(run.still.length);
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    let size = 0;
    const samples = Math.min(this.frames, Math.max(50, Math.floor(2e6 / (buffer.length + 1))));
    for (let s = 0; s < samples; s++) {
      this.fill(samples > 1 ? Math.round((s * (this.frames - 1)) / (samples - 1)) : 0, buffer);
      let square = 0;
      for (let c = 0; c < 3; c++) {
        let least = Infinity;
        let most = -Infinity;
        for (let i = c; i < buffer.length; i += 3) {
          if (buffer[i] < least) least = buffer[i];
          if (buffer[i] > most) most = buffer[i];
        }
        if (!Number.isFinite(most - least)) continue;
        square += (most - least) ** 2;
        low[c] = Math.min(low[c], least);
        high[c] = Math.max(high[c], most);
      }
      size = Math.max(size, Math.sqrt(square));
    }
    let square = 0;
    for (let c = 0; c < 3; c++) {
      if (!Number.isFinite(high[c] - low[c])) low[c] = high[c] = 0;
      this.low[c] = low[c];
      this.high[c] = high[c];
      this.centre[c] = (low[c] + high[c]) / 2;
      square += (high[c] - low[c]) ** 2;
    }
    this.span = Math.sqrt(square) || 1;
    this.size = size || this.span;
    this.drifts = this.moving.length === picture.places && this.span > 1.8 * this.size;
    let reach = 0;
    for (let s = 0; s < Math.min(samples, 400); s++) {
      this.fill(samples > 1 ? Math.round((s * (this.frames - 1)) / Math.max(1, Math.min(samples, 400) - 1)) : 0, buffer);
      const stride = 3 * Math.max(1, Math.ceil(buffer.length / 3 / 60));
      for (let i = (s * 3) % stride; i < buffer.length; i += stride) this.cloud.push(buffer[i], buffer[i + 1], buffer[i + 2]);
      for (let i = 0; i < buffer.length; i += 3) {
        const far = (buffer[i] - this.centre[0]) ** 2 + (buffer[i + 1] - this.centre[1]) ** 2 + (buffer[i + 2] - this.centre[2]) ** 2;
        if (far > reach) reach = far;
      }
    }
    this.reach = Math.sqrt(reach) || this.span / 2;
    this.fill(0, buffer);
    this.shortest = this.shortestBar(buffer);
    this.travel = this.meanTravel();
  }

  /** Ends of bars, centres of balls and bodies that move; of many, some. */
  private chooseTraced(): number[] {
    const found: number[] = [];
    const take = (place: number) => this.slot[place] >= 0 && !found.includes(place) && found.push(place);
    for (const shape of this.shapes.slice(-400)) if (shape.type === "ball") take(shape.at[0]);
    if (!found.length)
      for (const shape of this.shapes.slice(-400)) {
        if (shape.type === "bar" || shape.type === "spring") shape.at.forEach(take);
        else if (shape.type === "box" || shape.type === "disc") take(this.slot[shape.at[0]] >= 0 ? shape.at[0] : shape.at[1]);
      }
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
      for (let k = 1; k < Math.min(this.frames, 4000); k++) {
        this.place(place, k - 1, a);
        this.place(place, k, b);
        const step = Math.hypot(b[0] - a[0], b[1] - a[1], b[2] - a[2]);
        if (Number.isFinite(step)) sum += step;
        n++;
      }
    return n ? sum / n : 0;
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
    for (let k = 0; k < this.moving.length; k++)
      for (let c = 0; c < 3; c++) {
        const x = this.run.motion[start + 3 * k + c];
        if (x < low[c]) low[c] = x;
        if (x > high[c]) high[c] = x;
      }
    for (let c = 0; c < 3; c++) out[c] = Number.isFinite(high[c] - low[c]) ? (low[c] + high[c]) / 2 : 0;
  }

  /** Units of time per second at which the motion is well seen: its size is crossed in about a second. */
  goodSpeed(): number {
    const times = this.run.times;
    const duration = times.length > 1 ? times[times.length - 1] - times[0] : 1;
    if (!(this.travel > 0) || this.frames < 2) return duration / 20 || 1;
    const perFrame = duration / (this.frames - 1);
    const scene = this.drifts ? this.size : Math.min(this.span, this.size * 1.5);
    const speed = (scene * 0.8 * perFrame) / this.travel;
    return Math.min(speed, duration / 4) || 1;
  }
}
