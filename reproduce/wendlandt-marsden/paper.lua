return {
  order = 5,
  title = "Mechanical integrators derived from a discrete variational principle",
  citation = "J. M. Wendlandt and J. E. Marsden, <i>Physica D</i> 106 (1997) 223–246.",
  about = "DVP is the paper's discrete variational principle, Taut's <code>del</code>; EM the energy-momentum method it is compared with, Taut's " ..
    "<code>em</code>. Errors are formula (5.10): the mean over samples every 0.1 s, t = 0 included, of the Euclidean norm of the difference to the standard, " ..
    "divided by the length of the vector.",
  files = { "rigid-body", "pendulum", "theory" },
  misprints = {
    { "(5.5)", "lacks a factor 2 on its right side. For a unit quaternion of the attitude, q' = q ⋆ (0, ω/2), so ω = 2 vec(q̄ ⋆ q'); (5.6)–(5.8) are right." },
    { "(5.4)", "the discrete Lagrangian lives on V × V, not on V." },
    { "Theorem 1, proof", "the equations are multiplied by D<sup>T</sup>ψ(q<sub>k</sub>), the transpose." },
    { "Section 3.2", "the sign in “ω = d(p dx)” is wrong for p = D<sub>2</sub>L of (3.1); (3.5) is right." },
    { "Section 5.2, multipliers", "those of the energy-momentum equations absorb the step and have the opposite sign to those of the DVP equations." },
    { "Section 5.2, energy and momentum", "24.9445 J and 199.825467 m²/s do not belong to the printed start (three decimals), whose energy is 24.939585255421 J and " ..
      "whose angular momentum is exactly 199.831905 kg m²/s (the unit lacks kg). Its errors agree with those computed here all the same, within 0.3 %." },
  },
}
