// Over the scene: which way the axes point, and how long a length is.
import type { Camera } from "./camera";
import type { Run } from "./data";
import { el } from "./dom";
import { number } from "./format";
import { unit } from "./units";

const SVG = "http://www.w3.org/2000/svg";

function part(tag: string, attributes: Record<string, string>): SVGElement {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element as SVGElement;
}

export class Overlay {
  readonly element = el("div", { class: "overlay", "aria-hidden": "true" });
  private lines: SVGElement[] = [];
  private names: SVGElement[] = [];
  private bar = el("i");
  private text = el("span");

  constructor(private run: Run, private camera: Camera) {
    const triad = part("svg", { viewBox: "-34 -34 68 68", width: "68", height: "68", class: "triad" });
    for (const name of camera.flat ? "xy" : "xyz") {
      this.lines.push(part("line", { x1: "0", y1: "0", class: `axis-${name}` }));
      const text = part("text", { "text-anchor": "middle", "dominant-baseline": "central" });
      text.textContent = name;
      this.names.push(text);
      triad.append(this.lines[this.lines.length - 1], text);
    }
    this.element.append(triad, el("div", { class: "scale-bar" }, this.text, this.bar));
  }

  update(): void {
    const [right, up] = this.camera.axes();
    this.lines.forEach((line, c) => {
      const [x, y] = [20 * right[c], -20 * up[c]];
      line.setAttribute("x2", x.toFixed(1));
      line.setAttribute("y2", y.toFixed(1));
      const short = Math.hypot(x, y) < 4 ? 8 : 1.38; // an axis towards the reader: its name beside the origin
      this.names[c].setAttribute("x", (short === 8 ? 7 : x * short).toFixed(1));
      this.names[c].setAttribute("y", (short === 8 ? 7 : y * short).toFixed(1));
    });
    // 1, 2 or 5 times a power of ten, 50 to 125 pixels long where the camera looks
    const length = this.camera.unit() * 125;
    const power = 10 ** Math.floor(Math.log10(length));
    const round = ([5, 2, 1].find((d) => d * power <= length) ?? 1) * power;
    this.bar.style.width = `${(round / this.camera.unit()).toFixed(1)}px`;
    const text = [number(round, 2), unit(this.run, 1, 0, 0)].filter(Boolean).join(" ");
    if (this.text.textContent !== text) this.text.textContent = text;
  }
}
