return {
  order = 2,
  title = "Numerical integration of constrained Hamiltonian systems using Dirac brackets",
  citation = "W. M. Seiler, <i>Mathematics of Computation</i> 68 (1999) 661–681 (preprint 1997).",
  about = "Three formulations of the equations of motion: “inv” the naive one (38), “ham” the extended Hamiltonian (37), “dir” the Hamilton–Dirac equations (35); Taut's " ..
    "<code>naive</code>, <code>extended</code> and <code>dirac</code>, here under the classical Runge–Kutta method unless said otherwise. φ is the position constraint, ψ the momentum constraint.",
  files = { "algorithm", "pendulum", "stability", "projections", "chain" },
  misprints = {
    { "(12)", "has lost its dots: L = ½(q₁' − q₃q₂)² + ½(q₂' + q₃q₁)². As printed there are no velocities, and so no momenta to be constrained." },
    { "(28)", "λ<sup>α</sup> = −(Q<sup>−1</sup>)<sup>αβ</sup>{ψ<sub>β</sub>, H<sub>0</sub>}; the sign is missing. With it (36) follows." },
    { "(33)", "μ<sup>α</sup> = −(Q<sup>−1</sup>)<sup>αβ</sup>ψ<sub>β</sub>; the sign is missing. With it (36) follows." },
    { "(62), (63), (65)", "(62) is wrong. For the generating function S(ξ, p) = f<sup>i</sup>(ξ, ζ)p<sub>i</sub> with (60), ∂S/∂t = ζ' (sin ξ p<sub>x</sub> + cos ξ p<sub>y</sub>)/√(2ζ+1) = ζ'ρ/(2ζ+1), " ..
      "which does not depend on ξ or π; so all ζ' terms of (63) and (65) must go. Exact: for (35) ξ' = π/(2ζ+1), π' = √(2ζ+1) sin ξ, ζ' = ρ' = 0; for (37) ξ' = (4ζ+1)π/(2ζ+1)², π' = (ζ+1) sin ξ/√(2ζ+1), ζ' = −ρ/(2ζ+1). " ..
      "The “extra error” that section 10 explains the extended Hamiltonian's inferiority with is not there." },
    { "Table 1", "was made with h = T/33, T the period, not with the h = 0.1 of the text, and with a T that is about 3·10<sup>−6</sup> too small; absolute values are shown." },
    { "Section 7, matrix multiplications", "are not needed: three tridiagonal solves do, so that apart from the potential the cost is linear in N." },
  },
}
