// The page of a run, when its numbers are there.
import type { Run } from "./data";
import { button, el, select } from "./dom";
import { foot } from "./foot";
import { count, number } from "./format";
import { facts, hasResiduals, opening, remarks, verdict } from "./head";
import { Panel, TimeWindow, type Line } from "./panel";
import { Phase } from "./phase";
import { Player } from "./player";
import { Section } from "./section";
import { SpectrumPanel } from "./spectrum";
import type { TrailLength } from "./stage";
import { toggleTheme } from "./theme";
import { budget } from "./budget";
import { film, fileName, followLink, linkTo, save, savePlots, saveTable, scenePicture } from "./save";
import { unit, withUnit } from "./units";
import { View } from "./view";

export function build(run: Run): void {
  const player = new Player(run);
  const span = new TimeWindow(run);
  // Of a long run the motion is shown for as long as its frames have no gaps, until all plots are zoomed; what was kept, for the whole run.
  const near = run.header.dense > 1 ? new TimeWindow(run, run.header.dense - 1) : span;
  if (near !== span) span.onChange((hoverOnly) => (hoverOnly ? near.setHover(span.hover) : near.set(span.min, span.max)));
  const all = run.header.whole ? span : near; // for what looks at every frame
  const place = (id: string) => document.getElementById(id) as HTMLElement;

  // ---- plots ----

  const ofKind = (kind: string, deviation = false) => run.columns.flatMap((c, i) => (c.kind === kind && !!c.deviation === deviation ? [i] : []));
  const lines = (columns: number[], shown = columns.length, label = (name: string) => name): Line[] =>
    columns.map((column, i) => ({ label: label(run.columns[column].name), column, on: i < shown }));

  const quaternion = (column: number): boolean => {
    const name = run.columns[column].name.replace(/^p\./, "").replace(/\.dot$/, "");
    return /\.[wxyz]$/.test(name) && run.find(`${name.slice(0, -2)}.w`) >= 0;
  };

  /** Of the lines that are on, those whose values have about the size of the first that moves; quaternions only where there is nothing else. */
  function alike(list: Line[]): Line[] {
    const size = (line: Line) => Math.max(Math.abs(run.columns[line.column].lowest ?? 0), Math.abs(run.columns[line.column].highest ?? 0));
    const some = list.some((line) => !quaternion(line.column));
    if (some) for (const line of list) line.on = !quaternion(line.column) && list.filter((l) => !quaternion(l.column)).indexOf(line) < 6;
    const first = list.find((line) => line.on && (run.columns[line.column].highest ?? 0) > (run.columns[line.column].lowest ?? 0));
    if (first) for (const line of list) line.on = line.on && (size(line) === 0 || Math.abs(Math.log(size(line) / size(first))) < Math.log(25));
    return list;
  }

  const STATE: [string, string][] = [["coordinate", "Coordinates"], ["velocity", "Velocities"], ["momentum", "Momenta"], ["multiplier", "Multipliers"], ["midpoint_multiplier", "Multipliers, mid-step"], ["gap", "Gaps"]];

  function statePanel(): Panel | null {
    const groups = STATE.filter(([kind]) => ofKind(kind).length);
    if (!groups.length) return null;
    const choose = (kind: string) => alike(lines(ofKind(kind), 6));
    const chooser = select("part of the state", groups, groups[0][0], (kind) => panel.setLines(choose(kind)));
    const panel = new Panel("state", "State", choose(groups[0][0]), false, run, player, near, true, chooser);
    return panel;
  }

  const energies = budget(run);
  const known = new Set(["time", "midpoint_time", "energy", "work", "constraint", "velocity_constraint", "conserved", ...STATE.map(([kind]) => kind)]);
  const others = run.columns.flatMap((c, i) => (known.has(c.kind) ? [] : [i]));

  function makePanels(): Panel[] {
    const panels: (Panel | null)[] = [];
    const add = (id: string, title: string, list: Line[], logarithmic: boolean, time = span) => list.length && panels.push(new Panel(id, title, list, logarithmic, run, player, time));
    const change = lines(ofKind("energy", true), 1, () => "E \u2212 E(0)");
    const work = lines(ofKind("work"), 9, () => "work W");
    if (energies.balance >= 0) {
      for (const line of [...change, ...work]) line.on = false;
      add("energy", "Energy less work, change", [{ label: "E \u2212 W", column: energies.balance, on: true }, ...change, ...work], false);
    } else add("energy", run.header.energyConserved ? "Energy error" : "Energy, change", [...change, ...work], false);
    if (others.length) add("observables", "Observables", alike(lines(others, Math.min(4, others.length))), false, near);
    if (hasResiduals(run)) add("residuals", "Constraint residuals", [...lines(ofKind("constraint"), 1, () => "|g|"), ...lines(ofKind("velocity_constraint"), 1, () => "|dg/dt|")], true);
    // a momentum that is zero throughout says nothing
    add("conserved", "Conserved momenta, change", lines(ofKind("conserved", true).filter((k) => { const v = run.columns[run.find(run.columns[k].name)]; return v.lowest || v.highest; }), 6), false);
    panels.push(statePanel());
    if (energies.kinetic >= 0)
      add("budget", "Energy budget", [{ label: "kinetic", column: energies.kinetic, on: true }, { label: "potential", column: energies.potential, on: true },
        ...lines(ofKind("energy"), 1, () => "energy"), ...lines(ofKind("work"), 9, () => "work")], false, near);
    return panels.filter((p): p is Panel => p !== null);
  }

  function makePhase(): Phase {
    const observables = run.columns.flatMap((c, i) => (c.kind === "observable" ? [i] : []));
    const coordinates = ofKind("coordinate");
    const moving = observables.filter(changes);
    const position = coordinates.find((k) => !quaternion(k)) ?? (moving.length > 1 ? moving[0] : coordinates.filter(changes)[0] ?? observables[0] ?? 0);
    const rate = run.find(`${run.columns[position].name}.dot`);
    const momentum = run.find(`p.${run.columns[position].name}`);
    return new Phase(run, player, near, position, rate >= 0 ? rate : momentum >= 0 ? momentum : moving.includes(position) ? moving[1] : Math.min(run.columns.length - 1, position + 1));
  }

  const changes = (k: number) => { const c = run.columns[k]; return (c.highest ?? 0) - (c.lowest ?? 0) > 1e-6 * Math.max(Math.abs(c.highest ?? 0), Math.abs(c.lowest ?? 0)); };

  /** What the phase plot shows, whenever another coordinate that moves passes its middle. */
  function makeSection(): Section | null {
    const moving = ofKind("coordinate").filter((k) => changes(k) && !quaternion(k));
    const other = moving.filter((k) => k !== phase.x).pop();
    return other === undefined || run.header.rows < 3 ? null : new Section(run, player, all, other, phase.x, phase.y);
  }

  function makeSpectrum(): SpectrumPanel | null {
    const column = [phase.x, ...ofKind("coordinate"), ...others].find((k) => k > 0 && changes(k));
    return column === undefined || run.header.rows < 8 ? null : new SpectrumPanel(run, all, column);
  }

  // ---- transport ----

  const TRAILS: [TrailLength, string][] = [["off", "no trail"], ["short", "short trail"], ["long", "long trail"], ["all", "whole path"]];

  function speeds(): number[] {
    const list: number[] = [];
    for (let p = -6; p <= 6; p++) for (const d of [1, 2, 5]) list.push(d * 10 ** p);
    return list;
  }

  const view = run.header.picture.frames > 0 ? new View(run, player) : null;
  const duration = span.whole[1] - span.whole[0];
  const goodSpeed = view ? view.motion.goodSpeed() : duration / 20;
  const ladder = speeds();
  const nearest = ladder.reduce((best, s) => (Math.abs(Math.log(s / goodSpeed)) < Math.abs(Math.log(best / goodSpeed)) ? s : best), 1);
  player.speed = nearest;

  function changeSpeed(direction: number): void {
    const at = ladder.findIndex((s) => s >= player.speed * 0.999);
    player.setSpeed(ladder[Math.max(0, Math.min(ladder.length - 1, at + direction))]);
  }

  function step(direction: number, large: boolean): void {
    player.pause();
    player.seek(player.row + direction * (large ? Math.max(1, Math.round(player.last / 100)) : 1));
  }

  function transport(): HTMLElement {
    const play = button("\u25b6", "play (space)", () => player.toggle(), "play");
    const scrub = el("input", { type: "range", id: "scrub", min: "0", max: String(player.last), step: "1", value: "0", "aria-label": "time" });
    scrub.addEventListener("input", () => player.seek(Number(scrub.value)));
    const clock = el("output", { class: "clock", "aria-live": "off" });
    const rate = select("speed: units of time per second (+, \u2212)", ladder.filter((s) => s > nearest / 2e3 && s < nearest * 2e3).map((s) => [String(s), `${number(s, 1)} ${unit(run, 0, 1, 0)}/s`]),
      String(nearest), (v) => player.setSpeed(Number(v)));
    const trail = select("trails (t)", TRAILS, "short", (v) => view?.setTrail(v as TrailLength));
    trail.id = "trail";
    const follow = button("follow", "the camera follows the motion (f)", () => setFollow(), "small");
    follow.id = "follow";
    const home = button("\u2302", "the whole in view (0)", () => view?.reset(), "small icon");
    follow.setAttribute("aria-pressed", String(!!view?.camera.follow));
    player.onChange(() => {
      play.textContent = player.playing ? "\u23f8\ufe0e" : "\u25b6\ufe0e";
      play.setAttribute("aria-label", player.playing ? "pause (space)" : "play (space)");
      scrub.value = String(player.row);
      const t = run.times[player.row] ?? 0;
      scrub.setAttribute("aria-valuetext", `t = ${number(t, 6)}`);
      clock.textContent = withUnit(`t = ${number(t, Math.max(3, 1 + Math.ceil(Math.log10(Math.max(1, player.last)))), true)}`, unit(run, 0, 1, 0)).replace(",", "");
      clock.title = `frame ${count(run.header.firstFrame + run.frameOf(player.row) * run.header.frameStride)} of ${count(run.header.framesOfRun - 1)}`;
      rate.value = String(player.speed);
    });
    return el("div", { class: "transport", role: "group", "aria-label": "time" }, play, scrub, clock, el("span", { class: "controls" }, rate, ...(view ? [trail, follow, home] : [])));
  }

  // ---- taking things away ----

  function actions(): HTMLElement {
    const list = el("span", { class: "actions", role: "group", "aria-label": "save" });
    const link = button("link", "put a link to this moment and view into the address, and copy it", () => {
      history.replaceState(null, "", linkTo(run, player, view));
      navigator.clipboard?.writeText(location.href).then(() => (link.textContent = "copied"), () => {});
      setTimeout(() => (link.textContent = "link"), 1500);
    }, "small");
    list.append(link);
    if (view) list.append(button("PNG", "save the scene as a picture", () => scenePicture(run, view), "small"));
    list.append(button("SVG", "save the plots as drawings", () => savePlots(run, panels), "small"), button("CSV", "save the numbers of this page", () => saveTable(run), "small"));
    if (view) {
      const record = button("film", "film: save the motion from here on", () => {
        record.disabled = true;
        record.textContent = "\u25cf film";
        film(player, view).then((blob) => {
          record.disabled = false;
          record.textContent = blob ? "film" : "no film here";
          if (blob) save(blob, fileName(run, blob.type.startsWith("video/mp4") ? "mp4" : "webm"));
        });
      }, "small");
      list.append(record);
    }
    return list;
  }

  function setFollow(): void {
    if (!view) return;
    view.setFollow(!view.camera.follow);
    place("follow").setAttribute("aria-pressed", String(view.camera.follow));
  }

  function nextTrail(): void {
    const chooser = document.getElementById("trail") as HTMLSelectElement | null;
    if (!chooser || !view) return;
    chooser.selectedIndex = (chooser.selectedIndex + 1) % TRAILS.length;
    view.setTrail(chooser.value as TrailLength);
  }

  // ---- keys ----

  const KEYS: [string, string, (e: KeyboardEvent) => void][] = [
    [" ", "play and pause", () => player.toggle()],
    ["ArrowLeft", "a frame back; with shift a hundredth of the run", (e) => step(-1, e.shiftKey)],
    ["ArrowRight", "a frame on; with shift a hundredth of the run", (e) => step(1, e.shiftKey)],
    ["Home", "to the start", () => player.seek(0)],
    ["End", "to the end", () => player.seek(player.last)],
    ["+", "faster", () => changeSpeed(1)],
    ["-", "slower", () => changeSpeed(-1)],
    ["w", "turn the view up", () => view?.orbit(0, 16)],
    ["s", "turn the view down", () => view?.orbit(0, -16)],
    ["a", "turn the view left", () => view?.orbit(16, 0)],
    ["d", "turn the view right", () => view?.orbit(-16, 0)],
    ["z", "nearer", () => view?.zoom(1 / 1.15)],
    ["x", "farther", () => view?.zoom(1.15)],
    ["0", "the whole in view", () => view?.reset()],
    ["f", "follow the motion", setFollow],
    ["t", "length of the trails", nextTrail],
    ["i", "plots: zoom in at the time cursor", () => span.zoom(0.5, run.times[player.row])],
    ["o", "plots: zoom out", () => span.zoom(2, run.times[player.row])],
    ["r", "plots: the whole run", () => span.reset()],
    ["l", "light or dark", toggleTheme],
    ["?", "this list", () => help()],
  ];
  const SHOWN: Record<string, string> = { " ": "space", ArrowLeft: "\u2190", ArrowRight: "\u2192" };

  const dialog = el("dialog", { "aria-label": "keys" });
  function help(): void {
    if (dialog.open) dialog.close();
    else dialog.showModal();
  }

  function makeDialog(): void {
    const body = el("tbody");
    for (const [key, what] of KEYS) body.append(el("tr", {}, el("th", { scope: "row" }, el("kbd", {}, SHOWN[key] ?? key)), el("td", {}, what)));
    dialog.append(el("h2", {}, "Keys"), el("table", { class: "pairs" }, body),
      el("p", { class: "muted" }, "Scene: drag to turn, shift-drag to shift, wheel to zoom. Plots: drag to zoom, double-click for the whole run, click to go there."),
      button("close", "close", () => dialog.close()));
    document.body.append(dialog);
  }

  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const tag = (e.target as HTMLElement).tagName;
    if (tag === "SELECT" || (dialog.open && e.key !== "?")) return;
    if ((tag === "BUTTON" || tag === "SUMMARY") && (e.key === " " || e.key === "Enter")) return;
    if (tag === "INPUT" && ["ArrowLeft", "ArrowRight", "Home", "End"].includes(e.key)) return;
    const entry = KEYS.find(([key]) => key === e.key || (key === "+" && e.key === "=") || (key.length === 1 && key === e.key.toLowerCase()));
    if (!entry) return;
    e.preventDefault();
    entry[2](e);
  });

  // ---- putting it together ----

  const panels = makePanels();
  const [line, ...below] = opening(run);
  line.append(el("span", { class: "gap head-gap" }), actions(), button("?", "keys", help, "small icon"), button("\u25d0", "light or dark (l)", toggleTheme, "small icon"));
  place("head").replaceChildren(line, ...below, verdict(run, energies.kinetic >= 0 ? run.info(energies.kinetic).highest ?? 0 : 0, energies.balance) ?? "", facts(run));
  const phase = makePhase();
  const section = makeSection();
  const spectra = makeSpectrum();
  const left = el("div", { class: "left" }, view?.element ?? null, transport(), phase.element);
  const right = el("div", { class: "right" }, ...panels.map((p) => p.element), section?.element ?? null, spectra?.element ?? null);
  const reset = button("whole run", "show the whole run in all plots (r)", () => span.reset(), "small floating");
  const showReset = () => reset.classList.toggle("shown", [span, near].some((s) => s.min > s.whole[0] || s.max < s.whole[1]));
  span.onChange(showReset);
  near.onChange(showReset);
  showReset();
  right.append(reset);
  place("main").append(left, right);
  place("foot").append(...foot(run, remarks(run), (t) => player.seek(run.rowAt(t))));
  makeDialog();
  window.addEventListener("beforeprint", () => [...panels, section, spectra].forEach((p) => p?.show()));
  if (!view) left.classList.add("no-stage");

  const wanted = followLink(location.hash, view);
  player.seek(wanted === null ? 0 : run.rowAt(wanted));
  window.addEventListener("hashchange", () => {
    const t = followLink(location.hash, view);
    if (t !== null) player.seek(run.rowAt(t));
  });
  // A page that moves says what it is about; one that was asked for a moment, or by a reader who wants no motion, stays.
  if (view && wanted === null && !matchMedia("(prefers-reduced-motion: reduce)").matches) player.play();
  document.documentElement.dataset.ready = "yes";
  performance.mark("ready");
  // For the tests, and for the curious.
  Object.assign(window, { taut: { run, player, span, near, panels, phase, section, spectra, view } });
}
