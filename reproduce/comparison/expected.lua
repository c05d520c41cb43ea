-- Nothing was published, and timings are never judged. runs and curves: 8 and 13 methods on four problems, none of which fails.
return {
  values = { runs = { reference = "32", near = 0 }, curves = { reference = "52", near = 0 } },
  claims = { ["em exact"] = "holds", ["symplectic bounded"] = "holds", ["runge-kutta drifts"] = "holds" },
  long = { "claim em exact", "claim symplectic bounded", "claim runge%-kutta drifts" },
}
