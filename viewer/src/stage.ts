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
}

/** Balls that the model asks for, and small ones at the ends of bars. */
export function knobs(motion: Motion): Knob[] {
  const s = sizes(motion);
  const found = new Map<number, Knob>();
  const colour = (place: number) => motion.traced.indexOf(place);
  for (const shape of motion.shapes)
    if (shape.type === "ball") found.set(shape.at[0], { place: shape.at[0], radius: shape.radius ?? s.ball, colour: colour(shape.at[0]), fixed: false });
  for (const shape of motion.shapes)
    if (shape.type === "bar" || shape.type === "spring")
      for (const place of shape.at)
        if (!found.has(place)) found.set(place, { place, radius: motion.traced.includes(place) ? 2.5 * s.bar : s.joint, colour: colour(place), fixed: !motion.moves(place) });
  return [...found.values()];
}

export const ofType = (motion: Motion, ...types: Shape["type"][]): Shape[] => motion.shapes.filter((shape) => types.includes(shape.type));

/** Frames of a trail, oldest first, ending with the present one. */
export function trailFrames(motion: Motion, frame: number, trail: TrailLength, most: number): number[] {
  if (trail === "off" || motion.frames < 2) return [];
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
