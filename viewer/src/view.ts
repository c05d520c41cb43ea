// The scene on the page: which way it is drawn, mouse and touch, redrawing when something changed.
import { Camera } from "./camera";
import type { Run, Shape } from "./data";
import { el } from "./dom";
import { Motion } from "./motion";
import { Overlay } from "./overlay";
import type { Player } from "./player";
import type { Stage, TrailLength } from "./stage";
import { CanvasStage } from "./stage_canvas";
import { WebglStage } from "./stage_webgl";
import { onTheme } from "./theme";

export class View {
  readonly motion: Motion;
  readonly camera: Camera;
  readonly stage: Stage;
  readonly element: HTMLElement;
  trail: TrailLength = "short";
  private waiting = false;
  private overlay: Overlay;
  private labels: { shape: Shape; tag: HTMLElement }[] = [];

  constructor(private run: Run, private player: Player) {
    this.motion = new Motion(run);
    this.camera = new Camera(this.motion, run.header.picture.flat);
    this.stage = this.makeStage();
    this.element = el("div", { class: "stage", tabindex: "0", role: "img", "aria-label": `${run.header.title}: animation. Drag to turn, wheel to zoom; keys w a s d, z, x.` });
    this.element.append(this.stage.canvas);
    this.overlay = new Overlay(run, this.camera);
    this.element.append(this.overlay.element);
    for (const shape of this.motion.shapes)
      if (shape.label) {
        const tag = el("span", { class: "tag" }, shape.label);
        this.element.append(tag);
        this.labels.push({ shape, tag });
      }
    this.listen();
    player.onChange(() => this.refresh());
    onTheme(() => {
      this.stage.restyle();
      this.refresh();
    });
    let first = true;
    new ResizeObserver(() => {
      this.camera.width = Math.max(1, this.element.clientWidth);
      this.camera.height = Math.max(1, this.element.clientHeight);
      this.stage.resize(this.camera.width, this.camera.height);
      if (first && this.wanted) this.look(this.wanted);
      else if (first) this.camera.reset();
      first = false;
      this.draw(); // at once: a canvas of another size is empty, and would be shown so until the next frame
    }).observe(this.element);
  }

  private makeStage(): Stage {
    if (!/[#&]canvas\b/.test(location.hash)) {
      try {
        return new WebglStage(this.motion, this.camera);
      } catch {
        // no WebGL here
      }
    }
    return new CanvasStage(this.motion, this.camera);
  }

  refresh(): void {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw();
    });
  }

  private draw(): void {
    const frame = this.run.pictureFrame(this.player.row);
    this.stage.draw(frame, this.trail);
    this.placeLabels(frame);
    this.overlay.update();
  }

  /** Azimuth, elevation, distance and, unless the camera follows, the target. Until then the window has a size, and may reset the view. */
  look(eye: number[]): void {
    this.wanted = eye;
    [this.camera.azimuth, this.camera.elevation, this.camera.distance] = eye;
    if (this.camera.flat) [this.camera.azimuth, this.camera.elevation] = [0, Math.PI / 2];
    this.camera.follow = eye.length < 6;
    if (eye.length >= 6) this.camera.target = [eye[3], eye[4], eye[5]];
    this.refresh();
  }
  private wanted: number[] | null = null;

  /** Beside the middle of a shape with two ends, beside the first place of another. */
  private placeLabels(frame: number): void {
    const [a, b, at] = [[0, 0, 0], [0, 0, 0], [0, 0, 0]];
    for (const { shape, tag } of this.labels) {
      this.motion.place(shape.at[0], frame, a);
      const two = ["bar", "spring", "cylinder", "capsule", "arrow"].includes(shape.type);
      this.motion.place(shape.at[two ? 1 : 0], frame, b);
      const scale = shape.type === "arrow" ? this.motion.arrowScale(shape) : 0.5;
      if (two) a.forEach((x, c) => (a[c] = x + scale * (b[c] - x)));
      this.camera.project(a, 0, at);
      const away = shape.type === "ball" ? Math.max(6, (shape.radius ?? 0) / this.camera.unit()) : 6;
      tag.style.transform = `translate(${(at[0] + away).toFixed(1)}px, ${(at[1] - away).toFixed(1)}px) translateY(-100%)`;
    }
  }

  private listen(): void {
    const held = new Map<number, PointerEvent>();
    const element = this.element;
    element.addEventListener("pointerdown", (e) => {
      element.setPointerCapture(e.pointerId);
      held.set(e.pointerId, e);
    });
    const release = (e: PointerEvent) => held.delete(e.pointerId);
    element.addEventListener("pointerup", release);
    element.addEventListener("pointercancel", release);
    element.addEventListener("pointermove", (e) => {
      const before = held.get(e.pointerId);
      if (!before) return;
      const [dx, dy] = [e.clientX - before.clientX, e.clientY - before.clientY];
      const other = [...held.values()].find((p) => p.pointerId !== e.pointerId);
      if (other) {
        const far = (p: PointerEvent) => Math.hypot(p.clientX - other.clientX, p.clientY - other.clientY) || 1;
        this.camera.zoom(far(before) / far(e));
        this.camera.pan(dx / 2, dy / 2);
      } else if (e.shiftKey || before.buttons & 6) this.camera.pan(dx, dy);
      else this.camera.orbit(dx, dy);
      held.set(e.pointerId, e);
      this.refresh();
    });
    element.addEventListener("contextmenu", (e) => e.preventDefault());
    element.addEventListener("dblclick", () => this.reset());
    element.addEventListener("wheel", (e) => {
      e.preventDefault();
      this.camera.zoom(Math.exp(Math.sign(e.deltaY) * Math.min(100, Math.abs(e.deltaY)) * 0.0016));
      this.refresh();
    }, { passive: false });
  }

  reset(): void {
    this.camera.reset();
    this.refresh();
  }

  orbit(dx: number, dy: number): void {
    this.camera.orbit(dx, dy);
    this.refresh();
  }

  zoom(factor: number): void {
    this.camera.zoom(factor);
    this.refresh();
  }

  setTrail(trail: TrailLength): void {
    this.trail = trail;
    this.refresh();
  }

  setFollow(follow: boolean): void {
    this.camera.follow = follow;
    this.camera.reset();
    this.refresh();
  }
}
