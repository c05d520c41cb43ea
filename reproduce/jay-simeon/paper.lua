return {
  order = 4,
  title = "Consistent extensions of the symplectic Euler method for a class of overdetermined DAEs",
  citation = "L. O. Jay and B. Simeon.",
  about = "Systems y' = v(y, z), z' = f(y, z) + r(y, z, ψ) with constraints g(y) = 0 and g<sub>y</sub>v = 0, where r is nonlinear in the multiplier. " ..
    "‘true’ (3.5) is Taut's <code>euler</code>, ‘natural’ (3.2) <code>euler:natural</code>, the ‘true’ conjugate method (3.8) <code>euler:conjugate</code>; α = 1/2. " ..
    "Errors are Euclidean norms at t = 1, steps h = 0.1/2<sup>k</sup>. The paper prints its results as figures only; the settled numbers come from an independent program.",
  files = { "euler", "beyond" },
  misprints = {
    { "Sentence before (3.7)", "“the ‘true’ conjugate symplectic Euler method can be defined as follows” stands before both (3.7) and (3.8); the first is the ‘natural’ one." },
    { "(4.1), (4.2)", "data and exact solution are right. (4.1) is quadratic in ψ, so there are two motions from the same start: ψ(0) = 1, the paper's, and ψ(0) = −2." },
  },
}
