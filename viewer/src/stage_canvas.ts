// The scene on a plain canvas, where the browser has no WebGL: the same camera and trails, lines and discs sorted by depth.
import type { Camera } from "./camera";
import type { Shape } from "./data";
import type { Motion } from "./motion";
import { aim, arrowEnds, gridStep, groundHeight, knobRadius, knobs, MANY_BARS, planeCorners, presence, THINNEST, sizes, trailFrames, type Knob, type Sizes, type Stage, type TrailLength } from "./stage";
import { named, theme } from "./theme";

interface Item {
  depth: number;
  paint: () => void;
}

const BOX_FACES = [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]];

export class CanvasStage implements Stage {
  readonly kind = "canvas";
  readonly canvas = document.createElement("canvas");
  private pen: CanvasRenderingContext2D;
  private places: Float32Array;
  private knobs: Knob[];
  private size: Sizes;
  private ratio = Math.min(2, window.devicePixelRatio || 1);

  constructor(private motion: Motion, private camera: Camera) {
    const pen = this.canvas.getContext("2d");
    if (!pen) throw new Error("no canvas");
    this.pen = pen;
    this.places = new Float32Array(motion.run.still.length);
    this.knobs = knobs(motion);
    this.size = sizes(motion);
  }

  restyle(): void {}

  resize(width: number, height: number): void {
    this.canvas.width = Math.round(width * this.ratio);
    this.canvas.height = Math.round(height * this.ratio);
  }

  private point(places: ArrayLike<number>, at: number): number[] {
    const out = [0, 0, 0];
    this.camera.project(places, at, out);
    return out;
  }

  private line(points: number[][], colour: string, width: number, close = false): void {
    const pen = this.pen;
    pen.beginPath();
    points.forEach(([x, y], i) => (i ? pen.lineTo(x, y) : pen.moveTo(x, y)));
    if (close) pen.closePath();
    pen.strokeStyle = colour;
    pen.lineWidth = width;
    pen.stroke();
  }

  /** Pixels of a length at a depth. */
  private scale(length: number, depth: number): number {
    const unit = this.camera.flat ? this.camera.unit() : (this.camera.unit() * depth) / this.camera.distance;
    return length / unit;
  }

  private grid(): void {
    const c = this.camera;
    const extent = c.flat ? Math.max(c.distance, (c.distance * c.width) / c.height) : c.radius * 1.9;
    const step = gridStep(extent * (c.flat ? 1.6 : 2));
    const height = c.flat ? 0 : groundHeight(this.motion) ?? this.motion.low[2] - 0.04 * this.motion.size;
    const [cx, cy] = c.flat || c.follow ? c.target : this.motion.centre;
    const n = Math.ceil(extent / step) + 1;
    for (let i = -n; i <= n; i++) {
      const x = (Math.round(cx / step) + i) * step;
      const y = (Math.round(cy / step) + i) * step;
      this.line([this.point([x, cy - n * step, height], 0), this.point([x, cy + n * step, height], 0)], theme().faint, 1);
      this.line([this.point([cx - n * step, y, height], 0), this.point([cx + n * step, y, height], 0)], theme().faint, 1);
    }
  }

  private coil(a: number[], b: number[]): number[][] {
    const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
    const length = Math.hypot(dx, dy) || 1;
    const wide = this.scale(this.size.spring, (a[2] + b[2]) / 2);
    const points = [a];
    for (let i = 0; i <= 18; i++) {
      const s = 0.1 + (0.8 * i) / 18;
      const side = i === 0 || i === 18 ? 0 : i % 2 ? wide : -wide;
      points.push([a[0] + s * dx - (side * dy) / length, a[1] + s * dy + (side * dx) / length]);
    }
    return [...points, b];
  }

  private body(shape: Shape): Item {
    const p = shape.at.map((place) => [0, 1, 2].map((c) => this.places[3 * place + c]));
    const corner = (x: number, y: number, z: number) =>
      this.point([0, 1, 2].map((c) => p[0][c] + x * (p[1][c] - p[0][c]) + y * (p[2][c] - p[0][c]) + z * (p[3][c] - p[0][c])), 0);
    const fill = (points: number[][]) => {
      this.pen.globalAlpha = 0.35;
      this.pen.beginPath();
      points.forEach(([x, y], i) => (i ? this.pen.lineTo(x, y) : this.pen.moveTo(x, y)));
      this.pen.fillStyle = shape.colour ? named(shape.colour) : theme().body;
      this.pen.fill();
      this.pen.globalAlpha = 1;
      this.line(points, theme().bar, 1, true);
    };
    const paint = () => {
      if (shape.type !== "disc") {
        const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => corner(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1));
        for (const face of BOX_FACES) fill(face.map((i) => corners[i]));
      } else {
        for (const z of [-1, 1]) fill(Array.from({ length: 40 }, (_, i) => corner(Math.cos((i * Math.PI) / 20), Math.sin((i * Math.PI) / 20), z)));
      }
    };
    return { depth: this.point(p[0], 0)[2], paint };
  }

  private items(): Item[] {
    const t = theme();
    const list: Item[] = [];
    const bars = this.motion.shapes.filter((shape) => shape.type === "bar");
    const width = Math.max(THINNEST, 2 * this.scale(this.size.bar, this.camera.distance));
    const lines = bars.length > MANY_BARS;
    if (lines) list.push({ depth: 0, paint: () => this.segments(bars, t.bar, width) });
    for (const shape of this.motion.shapes) {
      if (lines && shape.type === "bar") continue;
      const points = () => shape.at.map((place) => this.point(this.places, 3 * place));
      if (shape.type === "bar" || shape.type === "spring") {
        const [a, b] = points();
        const depth = (a[2] + b[2]) / 2;
        const paint = () =>
          shape.type === "bar" ? this.line([a, b], shape.colour ? named(shape.colour) : t.bar, Math.max(THINNEST, 2 * this.scale(this.size.bar, depth))) : this.line(this.coil(a, b), shape.colour ? named(shape.colour) : t.dark ? "#b8a06a" : "#8f7637", 1.5);
        list.push({ depth, paint });
      } else if (shape.type === "cylinder" || shape.type === "capsule") {
        const [a, b] = points();
        const depth = (a[2] + b[2]) / 2;
        list.push({ depth, paint: () => {
          this.pen.lineCap = shape.type === "capsule" ? "round" : "butt";
          this.line([a, b], shape.colour ? named(shape.colour) : t.body, Math.max(THINNEST, 2 * this.scale(shape.radius ?? 0, depth)));
          this.pen.lineCap = "round";
        } });
      } else if (shape.type === "arrow") {
        list.push({ depth: -Infinity, paint: () => this.arrow(shape) });
      } else if (shape.type === "ground" && !this.camera.flat) {
        continue; // the grid is it
      } else if (shape.type === "plane" || shape.type === "ground") {
        list.push({ depth: Infinity, paint: () => this.plane(shape) });
      } else if (shape.type === "path") {
        list.push({ depth: Infinity, paint: () => this.line(points(), shape.colour ? named(shape.colour) : t.muted, 1.5) });
      } else if (shape.type === "surface") {
        list.push({ depth: Infinity, paint: () => this.mesh(shape, points()) });
      } else if (shape.type !== "ball" && !(shape.type === "mesh" && shape.mesh === undefined)) {
        list.push(this.body(shape));
      }
    }
    for (const knob of this.knobs) {
      if (knob.joint && (lines || width <= THINNEST)) continue;
      const [x, y, depth] = this.point(this.places, 3 * knob.place);
      const paint = () => {
        this.pen.beginPath();
        this.pen.arc(x, y, this.scale(knobRadius(knob, this.camera.unit()), depth), 0, 2 * Math.PI);
        this.pen.fillStyle = knob.paint ? named(knob.paint) : knob.fixed ? t.ink : knob.colour >= 0 ? t.colours[knob.colour % t.colours.length] : t.bar;
        this.pen.fill();
      };
      list.push({ depth: depth - knob.radius, paint });
    }
    return list.sort((a, b) => b.depth - a.depth);
  }

  private arrow(shape: Shape): void {
    const [foot, head] = arrowEnds(this.motion, shape, this.places);
    const [a, b] = [this.point(foot, 0), this.point(head, 0)];
    const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
    const length = Math.hypot(dx, dy);
    if (!(length > 2)) return;
    const [u, v, barb] = [dx / length, dy / length, Math.min(9, length / 2)];
    const colour = shape.colour ? named(shape.colour) : theme().colours[1];
    this.line([a, b], colour, 2);
    this.line([[b[0] - barb * (u + v / 2), b[1] - barb * (v - u / 2)], b, [b[0] - barb * (u - v / 2), b[1] - barb * (v + u / 2)]], colour, 2);
  }

  /** The line of a plane in the plane; in space its square. */
  private plane(shape: Shape): void {
    const corners = planeCorners(this.motion, this.camera, shape, this.places).map((p) => this.point(p, 0));
    const pen = this.pen;
    pen.globalAlpha = 0.3;
    pen.beginPath();
    corners.forEach(([x, y], i) => (i ? pen.lineTo(x, y) : pen.moveTo(x, y)));
    pen.fillStyle = shape.colour ? named(shape.colour) : theme().bar;
    pen.fill();
    pen.globalAlpha = 1;
    this.line(this.camera.flat ? corners.slice(0, 2) : [...corners, corners[0]], theme().bar, 1.5);
  }

  /** Many bars at once, in one stroke. */
  private segments(bars: Shape[], colour: string, width: number): void {
    const pen = this.pen;
    pen.beginPath();
    for (const bar of bars) {
      const [a, b] = bar.at.map((place) => this.point(this.places, 3 * place));
      pen.moveTo(a[0], a[1]);
      pen.lineTo(b[0], b[1]);
    }
    pen.strokeStyle = colour;
    pen.lineWidth = width;
    pen.stroke();
  }

  private mesh(shape: Shape, points: number[][]): void {
    const columns = shape.columns ?? 1;
    for (let i = 0; i < points.length; i += columns) this.line(points.slice(i, i + columns), theme().line, 1);
    for (let k = 0; k < columns; k++) this.line(points.filter((_, i) => i % columns === k), theme().line, 1);
  }

  private trails(frame: number, length: TrailLength): void {
    const frames = trailFrames(this.motion, frame, length, 600);
    const at = [0, 0, 0];
    this.motion.traced.forEach((place, number) => {
      let before: number[] | null = null;
      frames.forEach((k, i) => {
        this.motion.place(place, k, at);
        const now = this.point(at, 0);
        this.pen.globalAlpha = presence(i, frames.length, length);
        if (before) this.line([before, now], theme().colours[number % theme().colours.length], 1.6);
        before = now;
      });
      this.pen.globalAlpha = 1;
    });
  }

  draw(frame: number, trail: TrailLength): void {
    aim(this.camera, frame);
    this.motion.fill(frame, this.places);
    const pen = this.pen;
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    pen.fillStyle = theme().dark ? "#191d21" : "#f6f7f8";
    pen.fillRect(0, 0, this.camera.width, this.camera.height);
    pen.lineCap = pen.lineJoin = "round";
    this.grid();
    this.trails(frame, trail);
    for (const item of this.items()) item.paint();
  }
}
