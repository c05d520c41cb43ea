return {
  order = 3,
  title = "Variational integrators in holonomic mechanics",
  citation = "S. Man, Q. Gao and W. Zhong, <i>Mathematics</i> 8 (2020) 1358.",
  about = "The eight algorithms are Taut's <code>galerkin:XYZ,m=M</code>: X the control points (E equidistant, L Lobatto), Y the quadrature rule of the Lagrangian, " ..
    "Z that of the constraints (L Lobatto, G Gauss–Legendre), m points each. As in the paper, all runs are in quadruple precision (the short form: m = 2 and 3 in double). " ..
    "The paper prints no numbers but the orders of Tables 1 and 3; the settled figures behind its plots come from an independent program.",
  files = { "energy", "orders", "six-balls", "structure" },
  misprints = {
    { "(26)", "the first S̄<sub>d</sub> of each line is L̄<sub>d</sub>, the action of the unconstrained term." },
    { "(28)", "a factor η is missing before the sum: the quadrature is that of (14), η Σ b<sub>j</sub> f(c<sub>j</sub>η)." },
    { "(29)", "is η b<sub>i</sub> g(q<sup>i</sup>), which vanishes where g does; so (30) stands." },
    { "(34)", "the Kronecker product of a k×l and an s×t matrix is a ks×lt matrix." },
    { "(37), third term", "is (N'<sup>T</sup> N) ⊗ ∂²L/∂q'∂q." },
    { "Section 1", "“m degree polynomials … the m points Lobatto quadrature rule” is degree m − 1: the paper's own scheme has m control points, and order 2m − 2." },
    { "Section 4.2, number of equations", "the constrained Lobatto IIIA–IIIB method with m stages has 2md + mc unknowns, not 2md + (m − 2)c: positions and momenta of m stages, " ..
      "the multipliers Λ<sub>1</sub>…Λ<sub>m−1</sub> of its m − 1 position constraints, and Λ<sub>m</sub> of the velocity constraint. The comparison with md + mc stands." },
  },
}
