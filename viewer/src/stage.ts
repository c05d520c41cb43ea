// What both ways to draw the scene share: sizes, trails, and which places are joints.
import type { Shape } from "./data";
import type { Camera } from "./camera";
import type { Motion } from "./motion";

export type TrailLength = "off" | "short" | "long" | "all";

export interface Stage {
  readonly canvas: HTMLCanvasElement;
  readonly kind: "webgl" | "canvas";
  resize(width: number, height: number): void;
  draw(frame: number, trail: TrailLength): void;
  restyle(): void;
}

export interface Sizes {
  bar: number; // radius
  joint: number;
  ball: number;
  spring: number; // radius of the coil
}

/** Bars and lines are never thinner, in pixels. */
export const THINNEST = 2;
/** So many bars are drawn as lines, whatever their width. */
export const MANY_BARS = 1500;

export function sizes(motion: Motion): Sizes {
  const scale = Math.min(motion.size, motion.drifts ? motion.size : motion.span);
  const bar = Math.min(0.013 * scale, 0.11 * motion.shortest);
  return { bar, joint: 1.7 * bar, ball: Math.min(0.032 * scale, 0.28 * motion.shortest), spring: Math.min(0.026 * scale, 0.2 * motion.shortest) };
}

/** A ball to draw: where, how large, which colour (of a trail, or -1 for the colour of bars), and whether it is a fixed pivot. */
export interface Knob {
  place: number;
  radius: number;
  colour: number;
  fixed: boolean;
  paint?: string; // that the model names
  joint: boolean; // of two bars, and nothing else: not drawn where bars are lines
}

/** Radius of a knob that is to be seen however small the picture is: `unit` is the length of a pixel. */
export const knobRadius = (knob: Knob, unit: number): number => Math.max(knob.radius, (knob.joint ? 0 : knob.fixed || knob.colour >= 0 ? 3 : 1.5) * unit);

/** Balls that the model asks for, and small ones at the ends of bars. */
export function knobs(motion: Motion): Knob[] {
  const s = sizes(motion);
  const found = new Map<number, Knob>();
  const colour = (place: number) => motion.traced.indexOf(place);
  for (const shape of motion.shapes)
    if (shape.type === "ball") found.set(shape.at[0], { place: shape.at[0], radius: shape.radius ?? s.ball, colour: colour(shape.at[0]), fixed: false, paint: shape.colour, joint: false });
  for (const shape of motion.shapes)
    if (shape.type === "bar" || shape.type === "spring")
      for (const place of shape.at)
        if (!found.has(place)) found.set(place, { place, radius: motion.traced.includes(place) ? 2.5 * s.bar : s.joint, colour: colour(place), fixed: !motion.moves(place),
          joint: motion.moves(place) && colour(place) < 0 });
  const lines = motion.shapes.filter((shape) => shape.type === "bar").length > MANY_BARS;
  return [...found.values()].filter((knob) => !lines || !knob.joint);
}

export const ofType = (motion: Motion, ...types: Shape["type"][]): Shape[] => motion.shapes.filter((shape) => types.includes(shape.type));

/** Frames of a trail, oldest first, ending with the present one. */
export function trailFrames(motion: Motion, frame: number, trail: TrailLength, most: number): number[] {
  if (trail === "off" || motion.frames < 2 || motion.run.sparse(frame)) return [];
  const travel = motion.travel || motion.size;
  const length = trail === "all" ? frame : Math.ceil(((trail === "short" ? 2.2 : 12) * motion.size) / travel);
  const first = Math.max(0, frame - Math.max(8, length));
  const stride = Math.max(1, Math.ceil((frame - first) / (most - 2)));
  const frames: number[] = [];
  for (let k = Math.ceil(first / stride) * stride; k < frame; k += stride) frames.push(k);
  frames.push(frame);
  return frames;
}

/** How present a point of a trail is: 0 the oldest, 1 now. */
export function presence(i: number, count: number, trail: TrailLength): number {
  const age = count > 1 ? i / (count - 1) : 1;
  return trail === "all" ? 0.35 + 0.65 * age ** 3 : 0.08 + 0.92 * age ** 1.1;
}

/** A round distance of grid lines: 1, 2 or 5 times a power of ten. */
export function gridStep(length: number): number {
  const raw = length / 10;
  const power = 10 ** Math.floor(Math.log10(raw));
  const digit = raw / power;
  return (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10) * power;
}

/** Where the camera looks in a frame. */
export function aim(camera: Camera, frame: number): void {
  if (camera.follow) camera.motion.middle(frame, camera.target);
}

/** Foot and head of an arrow in the picture. */
export function arrowEnds(motion: Motion, shape: Shape, places: Float32Array): [number[], number[]] {
  const scale = motion.arrowScale(shape);
  const foot = [0, 1, 2].map((c) => places[3 * shape.at[0] + c]);
  return [foot, foot.map((x, c) => x + scale * (places[3 * shape.at[1] + c] - x))];
}

/** The height of the ground, where the model has one in space. */
export function groundHeight(motion: Motion): number | undefined {
  return motion.run.header.picture.flat ? undefined : motion.shapes.find((shape) => shape.type === "ground")?.height;
}

/** Corners of the visible part of a plane: in the plane the first two are its line and the others lie far below it; in space a square. */
export function planeCorners(motion: Motion, camera: Camera, shape: Shape, places: Float32Array): number[][] {
  const flat = camera.flat;
  const at = shape.type === "ground" ? [0, flat ? shape.height ?? 0 : 0, flat ? 0 : shape.height ?? 0] : [0, 1, 2].map((c) => places[3 * shape.at[0] + c]);
  const raw = shape.type === "ground" ? [0, flat ? 1 : 0, flat ? 0 : 1] : [0, 1, 2].map((c) => places[3 * shape.at[1] + c] - at[c]);
  const length = Math.hypot(...raw) || 1;
  const n = raw.map((x) => x / length);
  const dot = (a: number[], b: number[]) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const middle = camera.target.map((x, c) => x - dot(camera.target.map((y, k) => y - at[k]), n) * n[c]); // below where the camera looks
  if (flat) {
    const far = 40 * Math.max(camera.distance, motion.span);
    const along = [n[1], -n[0], 0];
    const p = (s: number, d: number) => middle.map((x, c) => x + s * far * along[c] - d * far * n[c]);
    return [p(-1, 0), p(1, 0), p(1, 1), p(-1, 1)];
  }
  const u0 = Math.abs(n[2]) < 0.9 ? [-n[1], n[0], 0] : [n[2], 0, -n[0]];
  const u = u0.map((x) => x / Math.hypot(...u0));
  const v = [n[1] * u[2] - n[2] * u[1], n[2] * u[0] - n[0] * u[2], n[0] * u[1] - n[1] * u[0]];
  const far = 1.3 * camera.radius;
  return [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([s, t]) => middle.map((x, c) => x + far * (s * u[c] + t * v[c])));
}
