return {
  order = 1,
  title = "Mechanical systems subject to holonomic constraints: differential-algebraic formulations and conservative integration",
  citation = "O. Gonzalez, <i>Physica D</i> 132 (1999) 165–174.",
  about = "The scheme (33) for four particles on two rigid bars with two stiff nonlinear springs is Taut's <code>em</code> on <code>models/four-particles.lua</code>. " ..
    "Taut's constraint force is +G'λ, the paper's −G'λ. The paper prints its results as figures only; the settled numbers come from an independent program.",
  files = { "particles" },
  misprints = {
    { "(3)", "lacks a factor 1/2: H = ½ p·M<sup>−1</sup>p + V. With it the start of section 4 has H = 2/1.7 = 20/17, L = (0, 0, 2), J = (2, −2, 0)." },
    { "Proposition 2.1", "g maps R<sup>n</sup> to R<sup>m</sup>." },
    { "(20)", "the discrete derivative on q-space must be built from functions of q alone; the plain formula on P applied to h(q) is not one (not a misprint, a trap)." },
  },
}
