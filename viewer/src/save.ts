// Taking things away: a link to the moment, the scene as PNG, a plot as SVG, the numbers as CSV, a film.
import type { Run } from "./data";
import type { Panel } from "./panel";
import type { Player } from "./player";
import type { View } from "./view";

export const fileName = (run: Run, ending: string): string =>
  `${(run.header.run.model ?? run.header.title).replace(/^.*\//, "").replace(/\.lua$/, "").replace(/[^\w.-]+/g, "-") || "run"}.${ending}`;

export function save(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** #t=..&view=azimuth,elevation,distance,x,y,z */
export function linkTo(run: Run, player: Player, view: View | null): string {
  const short = (x: number) => String(Number(x.toPrecision(6)));
  const c = view?.camera;
  const eye = c ? `&view=${[c.azimuth, c.elevation, c.distance, ...(c.follow ? [] : c.target)].map(short).join(",")}` : "";
  return `#t=${run.times[player.row] ?? 0}${eye}`;
}

/** What a link asks for: the time, or null. The view is set. */
export function followLink(hash: string, view: View | null): number | null {
  const t = /[#&]t=([-+.\deE]+)/.exec(hash);
  const eye = /[#&]view=([-+.,\deE]+)/.exec(hash)?.[1].split(",").map(Number);
  if (view && eye && eye.length >= 3 && eye.every(Number.isFinite)) view.look(eye);
  return t ? Number(t[1]) : null;
}

export function scenePicture(run: Run, view: View): void {
  view.stage.canvas.toBlob((blob) => blob && save(blob, fileName(run, "png")), "image/png");
}

/** All numbers of the page, a line per row. */
export function table(run: Run): string {
  const shown = run.columns.map((c, i) => ({ name: c.name, values: run.values(i).value, deviation: c.deviation })).filter((c) => !c.deviation);
  const cell = (text: string) => (/[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);
  const lines = [shown.map((c) => cell(c.name)).join(",")];
  for (let i = 0; i < run.header.rows; i++) lines.push(shown.map((c) => (Number.isNaN(c.values[i]) ? "" : String(c.values[i]))).join(","));
  return `${lines.join("\n")}\n`;
}

export function saveTable(run: Run): void {
  save(new Blob([table(run)], { type: "text/csv" }), fileName(run, "csv"));
}

export function saveModel(run: Run): void {
  save(new Blob([run.header.source], { type: "text/x-lua" }), fileName(run, "lua"));
}

/** All plots that are there, below each other. */
export function plots(panels: Panel[]): string {
  const parts = panels.flatMap((p) => p.svg() ?? []);
  const width = Math.max(...parts.map((p) => p.width), 1);
  let y = 0;
  const body = parts.map((p) => {
    const group = `<g transform="translate(0 ${y})">${p.text}</g>`;
    y += p.height + 14;
    return group;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${y}" viewBox="0 0 ${width} ${y}" font-family="sans-serif" font-size="11"><rect width="100%" height="100%" fill="#ffffff"/>${body.join("")}</svg>\n`;
}

export function savePlots(run: Run, panels: Panel[]): void {
  save(new Blob([plots(panels)], { type: "image/svg+xml" }), fileName(run, "svg"));
}

/** The motion from here to where playing ends, as the browser plays it. The promise ends with the file, or null where there is no recorder. */
export function film(player: Player, view: View): Promise<Blob | null> {
  const type = typeof MediaRecorder === "undefined" ? undefined : ["video/webm;codecs=vp9", "video/webm", "video/mp4"].find((t) => MediaRecorder.isTypeSupported(t));
  if (!type || !("captureStream" in view.stage.canvas)) return Promise.resolve(null);
  return new Promise((done) => {
    const recorder = new MediaRecorder(view.stage.canvas.captureStream(30), { mimeType: type, videoBitsPerSecond: 8e6 });
    const pieces: Blob[] = [];
    recorder.ondataavailable = (e) => pieces.push(e.data);
    recorder.onstop = () => done(new Blob(pieces, { type }));
    player.pause();
    recorder.start();
    player.play();
    const watch = () => {
      if (player.playing) requestAnimationFrame(watch);
      else setTimeout(() => recorder.stop(), 200); // the last picture, too
    };
    watch();
  });
}
