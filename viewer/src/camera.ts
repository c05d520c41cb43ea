// An orbit camera for both ways to draw: where it looks, from where, and where a place falls on the screen.
import type { Motion } from "./motion";

export type Vector = [number, number, number];

export class Camera {
  target: Vector = [0, 0, 0];
  azimuth = 0;
  elevation = 0;
  distance = 1; // in the plane: half the height of the view
  follow = false;
  width = 1;
  height = 1;
  readonly fov = (32 * Math.PI) / 180;

  constructor(readonly motion: Motion, readonly flat: boolean) {
    this.follow = motion.drifts;
    this.reset();
  }

  get radius(): number {
    return this.follow ? this.motion.view : this.motion.reach;
  }

  /** The whole motion in view. */
  reset(): void {
    this.target = [...this.motion.centre] as Vector;
    this.azimuth = this.flat ? 0 : (-62 * Math.PI) / 180;
    this.elevation = this.flat ? Math.PI / 2 : (17 * Math.PI) / 180;
    const aspect = this.width / this.height;
    if (this.flat) {
      const w = this.follow ? this.radius : (this.motion.high[0] - this.motion.low[0]) / 2;
      const h = this.follow ? this.radius : (this.motion.high[1] - this.motion.low[1]) / 2;
      this.distance = (Math.max(h, w / aspect) || this.radius || 1) * 1.18;
    } else {
      this.distance = this.follow ? this.radius / Math.sin(this.fov / 2) / Math.min(1, aspect) : this.fit(aspect);
    }
  }

  /** The least distance at which every place of the motion is in view, with a margin. */
  private fit(aspect: number): number {
    const [right, up, towards] = this.axes();
    const half = 0.88 * Math.tan(this.fov / 2);
    const cloud = this.motion.cloud;
    let distance = this.motion.size * 0.5;
    for (let i = 0; i < cloud.length; i += 3) {
      const d = [cloud[i] - this.target[0], cloud[i + 1] - this.target[1], cloud[i + 2] - this.target[2]];
      const along = (v: Vector) => d[0] * v[0] + d[1] * v[1] + d[2] * v[2];
      const need = along(towards) + Math.max(Math.abs(along(up)), Math.abs(along(right)) / aspect) / half;
      if (need > distance) distance = need;
    }
    return distance;
  }

  /** Axes of the view in space: right, up, towards the reader. */
  axes(): [Vector, Vector, Vector] {
    if (this.flat) return [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
    const [ca, sa, ce, se] = [Math.cos(this.azimuth), Math.sin(this.azimuth), Math.cos(this.elevation), Math.sin(this.elevation)];
    return [[-sa, ca, 0], [-ca * se, -sa * se, ce], [ca * ce, sa * ce, se]];
  }

  orbit(dx: number, dy: number): void {
    if (this.flat) {
      this.pan(dx, dy);
      return;
    }
    this.azimuth -= dx * 0.008;
    this.elevation = Math.max(-1.5, Math.min(1.5, this.elevation + dy * 0.008));
  }

  /** By pixels. */
  pan(dx: number, dy: number): void {
    const unit = this.unit();
    const [right, up] = this.axes();
    for (let c = 0; c < 3; c++) this.target[c] += (-dx * right[c] + dy * up[c]) * unit;
    if (this.follow) this.follow = false;
  }

  zoom(factor: number): void {
    this.distance = Math.max(this.motion.size * 1e-3, Math.min(this.motion.span * 100, this.distance * factor));
  }

  /** Length of a pixel at the target. */
  unit(): number {
    return this.flat ? (2 * this.distance) / this.height : (2 * this.distance * Math.tan(this.fov / 2)) / this.height;
  }

  /** Pixels right and down, and the distance from the camera. */
  project(p: ArrayLike<number>, at: number, out: number[]): void {
    const [right, up, towards] = this.axes();
    let x = 0;
    let y = 0;
    let z = 0;
    for (let c = 0; c < 3; c++) {
      const d = p[at + c] - this.target[c];
      x += d * right[c];
      y += d * up[c];
      z += d * towards[c];
    }
    const depth = this.distance - z;
    const unit = this.flat ? this.unit() : (this.unit() * depth) / this.distance;
    out[0] = this.width / 2 + x / unit;
    out[1] = this.height / 2 - y / unit;
    out[2] = this.flat ? -z : depth;
  }
}
