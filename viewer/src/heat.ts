// Colours of a heat map, dark to bright: told apart by all readers, and on paper without colours.
const STOPS: [number, number, number][] = [[13, 8, 135], [84, 2, 163], [139, 10, 165], [185, 50, 137], [219, 92, 104], [244, 136, 73], [254, 188, 43], [240, 249, 33]];

/** x from 0 to 1. */
export function heatColour(x: number): [number, number, number] {
  const place = Math.min(Math.max(x, 0), 1) * (STOPS.length - 1);
  const from = Math.min(Math.floor(place), STOPS.length - 2);
  const mix = (k: 0 | 1 | 2) => Math.round(STOPS[from][k] + (place - from) * (STOPS[from + 1][k] - STOPS[from][k]));
  return [mix(0), mix(1), mix(2)];
}
