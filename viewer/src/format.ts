// Numbers as text.
const RAISED: Record<string, string> = { "-": "\u207b", "0": "\u2070", "1": "\u00b9", "2": "\u00b2", "3": "\u00b3", "4": "\u2074", "5": "\u2075",
  "6": "\u2076", "7": "\u2077", "8": "\u2078", "9": "\u2079" };

export function raised(exponent: number): string {
  return String(exponent).replace(/./g, (c) => RAISED[c] ?? c);
}

const minus = (text: string) => text.replace("-", "\u2212");

/** x with so many significant digits, trailing zeros dropped unless `keep`; powers of ten beyond 1e-4 .. 1e6. */
export function number(x: number | null | undefined, digits = 6, keep = false): string {
  if (x === null || x === undefined || Number.isNaN(x)) return "\u2013";
  if (!Number.isFinite(x)) return x > 0 ? "\u221e" : "\u2212\u221e";
  if (x === 0) return "0";
  const [mantissa, exponent] = x.toExponential(digits - 1).split("e");
  const power = Number(exponent);
  const trim = (text: string) => (keep || !text.includes(".") ? text : text.replace(/\.?0+$/, ""));
  if (power < -4 || power >= Math.max(6, digits)) {
    const m = trim(mantissa);
    return minus(`${m === "1" ? "" : m === "-1" ? "-" : `${m}\u00d7`}10`) + raised(power);
  }
  return minus(trim(x.toFixed(Math.max(0, digits - 1 - power))));
}

/** With a sign in front, for errors. */
export function signed(x: number | null | undefined, digits = 2): string {
  return x !== null && x !== undefined && x > 0 ? `+${number(x, digits)}` : number(x, digits);
}

/** 12 345 678, with thin spaces. */
export function count(n: number): string {
  return String(n).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

/** 1st, 2nd, 3rd, 4th, 11th, 21st ... */
export function ordinal(n: number): string {
  const ending = n % 100 >= 11 && n % 100 <= 13 ? "th" : (["th", "st", "nd", "rd"][n % 10] ?? "th");
  return `${count(n)}${ending}`;
}

/** Ticks of an axis: all with as many digits as their distance needs. */
export function ticks(values: (number | null)[], step: number): string[] {
  const largest = Math.max(...values.map((v) => Math.abs(v ?? 0)));
  if (largest === 0) return values.map((v) => (v === null ? "" : "0"));
  const power = Math.floor(Math.log10(largest) + 1e-9);
  const exact = (v: number, scale: number) => {
    const places = Math.max(0, Math.min(15, -Math.floor(Math.log10(step / scale) + 1e-9)));
    const rest = (step / scale) * 10 ** places;
    return (v / scale).toFixed(Math.min(15, places + (Math.abs(rest - Math.round(rest)) > 1e-6 ? 1 : 0)));
  };
  return values.map((v) => {
    if (v === null) return "";
    if (Math.abs(v) < step * 1e-9) return "0";
    if (power >= 5 || power <= -4) return `${minus(exact(v, 10 ** power))}\u00d710${raised(power)}`;
    return minus(exact(v, 1));
  });
}
