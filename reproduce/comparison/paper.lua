return {
  order = 6,
  title = "All families of methods on the same problems",
  citation = "A comparison that none of the five papers could make, each having one family at hand.",
  about = "Four problems of the papers: the double spherical pendulum (constant mass, constraints), the chain molecule (Lennard–Jones forces, six constraints), six balls " ..
    "(springs, five constraints), the triple pendulum (mass matrix depends on the position). Work is processor time of this machine and this run: it is shown and never judged; " ..
    "ratios of a factor of two or more are what to read from it.",
  files = { "work", "energy" },
}
