// A canvas with two axes and something drawn between them: fans, histograms, scatter plots and heat maps of ensembles.
import { FONT, multiples } from "./axis";
import { el } from "./dom";
import { ticks } from "./format";
import { onTheme, theme } from "./theme";

export interface Range {
  low: number;
  high: number;
}

/** What a drawing works with: pixels of a value, and the place itself. */
export interface Place {
  pen: CanvasRenderingContext2D;
  x: (value: number) => number;
  y: (value: number) => number;
  left: number;
  top: number;
  width: number;
  height: number;
}

export interface Drawing {
  x: Range & { label: string };
  y: Range & { label: string };
  draw: (place: Place) => void;
}

const EDGE = { left: 66, right: 14, top: 8, bottom: 38 };

export class Figure {
  readonly element: HTMLElement;
  readonly controls = el("span", { class: "controls" });
  readonly text = el("span", { class: "value" });
  readonly canvas = el("canvas", { role: "img" });
  private drawing: Drawing | null = null;
  private host: HTMLElement;

  /** pointed: called with the values under the pointer (null: it has left), and whether the button was pressed. */
  constructor(title: string, className: string, private pointed: (at: { x: number; y: number } | null, pressed: boolean) => void = () => undefined) {
    this.host = el("div", { class: `plot axes ${className}` }, this.canvas);
    this.canvas.setAttribute("aria-label", title);
    this.element = el("figure", { class: "panel", "aria-label": title }, el("div", { class: "panel-head" }, el("h3", {}, title), this.controls, el("span", { class: "gap" }), this.text), this.host);
    const where = (event: MouseEvent) => {
      const place = this.place();
      const box = this.canvas.getBoundingClientRect();
      if (!place || !this.drawing) return null;
      const { x, y } = this.drawing;
      const across = (event.clientX - box.left - place.left) / place.width;
      const up = 1 - (event.clientY - box.top - place.top) / place.height;
      return across < 0 || across > 1 || up < 0 || up > 1 ? null : { x: x.low + across * (x.high - x.low), y: y.low + up * (y.high - y.low) };
    };
    this.canvas.addEventListener("mousemove", (event) => this.pointed(where(event), false));
    this.canvas.addEventListener("mouseleave", () => this.pointed(null, false));
    this.canvas.addEventListener("click", (event) => this.pointed(where(event), true));
    onTheme(() => this.paint());
    new ResizeObserver(() => this.paint()).observe(this.host);
  }

  show(drawing: Drawing): void {
    this.drawing = drawing;
    this.paint();
  }

  private place(): Place | null {
    const [width, height] = [this.host.clientWidth, this.host.clientHeight];
    const pen = this.canvas.getContext("2d");
    if (!pen || !this.drawing || width < 120) return null;
    const { x, y } = this.drawing;
    const inner = { left: EDGE.left, top: EDGE.top, width: width - EDGE.left - EDGE.right, height: height - EDGE.top - EDGE.bottom };
    return { pen, ...inner, x: (v) => inner.left + ((v - x.low) / (x.high - x.low)) * inner.width, y: (v) => inner.top + inner.height - ((v - y.low) / (y.high - y.low)) * inner.height };
  }

  paint(): void {
    const place = this.place();
    if (!place || !this.drawing) return;
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [this.host.clientWidth, this.host.clientHeight];
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    const { pen } = place;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    this.axes(place, this.drawing);
    pen.save();
    pen.beginPath();
    pen.rect(place.left, place.top, place.width, place.height);
    pen.clip();
    this.drawing.draw(place);
    pen.restore();
    pen.strokeStyle = theme().line;
    pen.strokeRect(place.left + 0.5, place.top + 0.5, place.width - 1, place.height - 1);
  }

  private axes(place: Place, { x, y }: Drawing): void {
    const { pen, left, top, width, height } = place;
    const step = (list: number[]) => (list.length > 1 ? list[1] - list[0] : Math.abs(list[0]) || 1);
    pen.font = FONT;
    pen.lineWidth = 1;
    pen.fillStyle = theme().muted;
    pen.strokeStyle = theme().faint;
    const across = multiples(x.low, x.high, width, 70);
    pen.textAlign = "center";
    pen.textBaseline = "top";
    ticks(across, step(across)).forEach((text, i) => {
      const at = Math.round(place.x(across[i])) + 0.5;
      pen.beginPath();
      pen.moveTo(at, top);
      pen.lineTo(at, top + height);
      pen.stroke();
      pen.fillText(text, at, top + height + 4);
    });
    const up = multiples(y.low, y.high, height, 30);
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    ticks(up, step(up)).forEach((text, i) => {
      const at = Math.round(place.y(up[i])) + 0.5;
      pen.beginPath();
      pen.moveTo(left, at);
      pen.lineTo(left + width, at);
      pen.stroke();
      pen.fillText(text, left - 5, at);
    });
    pen.textAlign = "center";
    pen.textBaseline = "bottom";
    pen.fillText(x.label, left + width / 2, top + height + EDGE.bottom - 2);
    pen.save();
    pen.translate(11, top + height / 2);
    pen.rotate(-Math.PI / 2);
    pen.textBaseline = "middle";
    pen.fillText(y.label, 0, 0);
    pen.restore();
  }
}
