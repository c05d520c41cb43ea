// Where the energy is: kinetic and potential energy, work, and the rest.
import type { Run } from "./data";

export interface Budget {
  kinetic: number; // columns, or -1
  potential: number;
  balance: number; // energy - work, less what it was at first
}

/** Kinetic energy is v.p/2 where the run has all velocities and momenta; the potential energy is the rest of the energy. */
export function budget(run: Run): Budget {
  const out: Budget = { kinetic: -1, potential: -1, balance: -1 };
  const [energy, work, change] = [run.find("energy"), run.find("work"), run.find("energy", true)];
  const rows = run.header.rows;
  if (energy < 0 || !rows) return out;
  const pairs = run.columns.flatMap((c, k) => {
    const p = c.kind === "velocity" ? run.find(`p.${c.name.replace(/\.dot$/, "")}`) : -1;
    return p >= 0 ? [[k, p]] : [];
  });
  if (pairs.length === run.header.coordinates && pairs.length * rows <= 2e6) {
    const kinetic = new Float64Array(rows);
    for (const [v, p] of pairs) {
      const [vs, ps] = [run.values(v).value, run.values(p).value];
      for (let i = 0; i < rows; i++) kinetic[i] += (vs[i] * ps[i]) / 2;
    }
    out.kinetic = run.derive("T", "energy", kinetic);
    const all = run.values(energy).value;
    out.potential = run.derive("V", "energy", kinetic.map((t, i) => all[i] - t));
  }
  if (work >= 0 && change >= 0) {
    const [w, e] = [run.values(work).value, run.values(change).value];
    out.balance = run.derive("E \u2212 W, change", "energy", e.map((x, i) => x - (w[i] - w[0])));
  }
  return out;
}
