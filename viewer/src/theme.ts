// Light and dark: what the system prefers, until the reader chooses.
export interface Theme {
  dark: boolean;
  paper: string;
  ink: string;
  muted: string;
  line: string;
  faint: string;
  accent: string;
  bar: string;
  body: string;
  colours: string[];
}

// Okabe and Ito's colours, told apart by all readers, a little darker on white and lighter on black.
const LIGHT: Theme = { dark: false, paper: "#ffffff", ink: "#1a1e22", muted: "#5a636c", line: "#c9ced4", faint: "#e9ecef", accent: "#005f9e",
  bar: "#7c8791", body: "#9fb4c7", colours: ["#0072b2", "#d55e00", "#00845f", "#b4568c", "#c28400", "#3a97cf", "#4d4d4d", "#8a6d3b"] };
const DARK: Theme = { dark: true, paper: "#14171a", ink: "#e6e9ec", muted: "#98a2ac", line: "#3a4148", faint: "#23282d", accent: "#6cb6f2",
  bar: "#9aa5b0", body: "#6d8299", colours: ["#4fa8e0", "#f28a48", "#35c49b", "#dd8fbd", "#e8b23c", "#8fd0f5", "#c7ccd1", "#c4a26a"] };

const NAMES = ["blue", "orange", "green", "purple", "yellow", "sky", "black", "brown"];

/** A colour that a model names: one of the palette, which suits both papers, or #rrggbb. */
export const named = (colour: string): string => (colour === "grey" ? current.bar : colour === "black" ? current.ink : current.colours[NAMES.indexOf(colour)] ?? colour);

const listeners: (() => void)[] = [];
const system = window.matchMedia("(prefers-color-scheme: dark)");
let choice: "auto" | "light" | "dark" = "auto";
let current: Theme = LIGHT;

function update(): void {
  const dark = choice === "auto" ? system.matches : choice === "dark";
  current = dark ? DARK : LIGHT;
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  for (const listener of listeners) listener();
}

export const theme = (): Theme => current;
export const onTheme = (listener: () => void): void => void listeners.push(listener);

/** Some browsers refuse storage to pages from disk. */
function remember(value?: string): string | null {
  try {
    if (value) localStorage.setItem("taut-theme", value);
    return localStorage.getItem("taut-theme");
  } catch {
    return null;
  }
}

export function toggleTheme(): void {
  choice = current.dark ? "light" : "dark";
  if (system.matches === (choice === "dark")) choice = "auto";
  remember(choice);
  update();
}

export function startTheme(): void {
  const kept = remember();
  if (kept === "light" || kept === "dark") choice = kept;
  system.addEventListener("change", update);
  update();
}
