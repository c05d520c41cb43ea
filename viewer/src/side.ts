// Several runs of one model side by side, under one clock.
import { Camera } from "./camera";
import { bytesOf, type Picture, type Run } from "./data";
import { button, el } from "./dom";
import { number } from "./format";
import { Motion } from "./motion";
import { CanvasStage } from "./stage_canvas";
import { onTheme } from "./theme";

export interface MotionData {
  title: string;
  label: string;
  picture: Picture;
  still: string;
  runs: { label: string; failure: string | null; t: number[]; motion: string }[];
}

/** As much of a run as a scene needs. */
function runOf(data: MotionData, k: number): Run {
  const { t, motion } = data.runs[k];
  const picture = { ...data.picture, frames: t.length, dense: 0, every: 1 };
  return { header: { picture, rows: t.length, title: data.label }, still: new Float32Array(bytesOf(data.still)), motion: new Float32Array(bytesOf(motion)),
    times: Float64Array.from(t), sparse: () => false, pictureFrame: (row: number) => row, rowOf: (frame: number) => frame } as unknown as Run;
}

class Scene {
  readonly element: HTMLElement;
  readonly run: Run;
  readonly motion: Motion;
  readonly camera: Camera;
  private stage: CanvasStage;
  private t = 0;

  constructor(data: MotionData, k: number, private all: Scene[]) {
    this.run = runOf(data, k);
    this.motion = new Motion(this.run);
    this.camera = new Camera(this.motion, data.picture.flat);
    this.stage = new CanvasStage(this.motion, this.camera);
    const stage = el("div", { class: "stage small-stage", role: "img", "aria-label": `${data.label} by ${data.runs[k].label}: animation` }, this.stage.canvas);
    this.element = el("div", { class: "side-scene" }, el("h3", {}, data.runs[k].label), stage, data.runs[k].failure ? el("p", { class: "warning" }, data.runs[k].failure) : null);
    let first = true;
    new ResizeObserver(() => {
      this.camera.width = Math.max(1, stage.clientWidth);
      this.camera.height = Math.max(1, stage.clientHeight);
      this.stage.resize(this.camera.width, this.camera.height);
      if (first) this.camera.reset();
      first = false;
      // one view for all: that of the first, unless the camera follows each
      if (this.all[0] !== this && !this.camera.follow) this.lookAs(this.all[0].camera);
      this.show(this.t);
    }).observe(stage);
    let held: PointerEvent | null = null;
    stage.addEventListener("pointerdown", (e) => {
      stage.setPointerCapture(e.pointerId);
      held = e;
    });
    stage.addEventListener("pointermove", (e) => {
      if (!held) return;
      this.camera.orbit(e.clientX - held.clientX, e.clientY - held.clientY);
      held = e;
      for (const other of this.all) {
        if (other !== this) other.lookAs(this.camera);
        other.show(other.t);
      }
    });
    for (const end of ["pointerup", "pointercancel"] as const) stage.addEventListener(end, () => (held = null));
    onTheme(() => this.show(this.t));
  }

  private lookAs(other: Camera): void {
    Object.assign(this.camera, { azimuth: other.azimuth, elevation: other.elevation, distance: other.distance });
    if (!this.camera.follow) this.camera.target = [...other.target];
  }

  /** The last frame not after t. */
  frameAt(t: number): number {
    const times = this.run.times;
    let [low, high] = [0, times.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (times[middle] <= t + 1e-12 * Math.abs(t)) low = middle;
      else high = middle;
    }
    return low;
  }

  show(t: number): void {
    this.t = t;
    this.stage.draw(this.frameAt(t), "short");
  }
}

export function sideBySide(data: MotionData): HTMLElement {
  const scenes: Scene[] = [];
  data.runs.forEach((_, k) => scenes.push(new Scene(data, k, scenes)));
  const end = Math.max(...data.runs.map((r) => r.t[r.t.length - 1]));
  const scrub = el("input", { type: "range", min: "0", max: "1000", step: "1", value: "0", "aria-label": "time" });
  const clock = el("output", { class: "clock" });
  let [t, playing, before] = [0, false, 0];
  const speed = Math.min(end / 4, Math.max(scenes[0].motion.goodSpeed(), end / 60)) || 1;
  const show = () => {
    for (const scene of scenes) scene.show(t);
    scrub.value = String(Math.round((1000 * t) / end));
    clock.textContent = `t = ${number(t, 4, true)}`;
    play.textContent = playing ? "\u23f8\ufe0e" : "\u25b6\ufe0e";
  };
  const tick = (now: number) => {
    if (!playing) return;
    t = Math.min(end, t + (Math.min(0.25, Math.max(0, (now - before) / 1000))) * speed);
    before = now;
    if (t >= end) playing = false;
    show();
    if (playing) requestAnimationFrame(tick);
  };
  const start = () => {
    if (t >= end) t = 0;
    playing = true;
    before = performance.now();
    requestAnimationFrame(tick);
  };
  const play = button("\u25b6", "play or pause", () => {
    if (playing) playing = false;
    else start();
    show();
  }, "play");
  scrub.addEventListener("input", () => {
    playing = false;
    t = (Number(scrub.value) / 1000) * end;
    show();
  });
  const element = el("figure", { class: "panel", "aria-label": data.title }, el("div", { class: "panel-head" }, el("h3", {}, data.title)),
    el("div", { class: "side-scenes" }, ...scenes.map((s) => s.element)), el("div", { class: "transport" }, play, scrub, clock));
  show();
  if (!matchMedia("(prefers-reduced-motion: reduce)").matches)
    new IntersectionObserver((entries, observer) => {
      if (!entries.some((e) => e.isIntersecting)) return;
      observer.disconnect();
      start();
    }).observe(element);
  Object.assign(window, { tautScenes: scenes });
  return element;
}
