-- The paper prints figures only. Reference: an independent program in double.
local expected = { values = {
  ["H"] = { reference = "1.176470588235" }, ["Lz"] = { reference = "2", near = 1e-15 }, ["Jx"] = { reference = "2", near = 1e-15 }, ["Jy"] = { reference = "-2", near = 1e-15 },
  ["max.g"] = { reference = "4e-16", most = 2e-15, why = "round-off of lengths of size 1" },
  ["max.H"] = { reference = "1.2e-14", most = 1e-13, why = "round-off of springs of stiffness 1000" },
  ["max.L"] = { reference = "5e-15", most = 1e-13, why = "round-off" },
  ["max.J"] = { reference = "1e-14", most = 1e-13, why = "round-off" },
  ["max.g1"] = { reference = "1.727808e-5" }, ["max.g2"] = { reference = "1.417919e-5" },
  ["identity"] = { most = 1e-12, why = "round-off: exact for the scheme" },
  ["velocity.order1"] = { reference = "2", near = 0.2, why = "maxima of oscillations, from two steps" },
  ["velocity.order2"] = { reference = "2", near = 0.2, why = "maxima of oscillations, from two steps" },
  ["q4.x"] = { reference = "0.996038797621" }, ["q4.y"] = { reference = "0.996270728742" }, ["q4.z"] = { reference = "0.117262174425" },
  ["error.1e-2"] = { reference = "1.974622e-5" }, ["error.5e-3"] = { reference = "5.094250e-6" }, ["error.2.5e-3"] = { reference = "1.283624e-6" },
  ["error.1e-3"] = { reference = "2.058166e-7" }, ["error.5e-4"] = { reference = "5.145495e-8", digits = 6, why = "round-off 1e-16 of positions" },
  ["error.1e-4"] = { reference = "2.038645e-9", digits = 5, why = "round-off 1e-16 of positions" },
  ["order.q"] = { reference = "2", near = 0.05 }, ["order.p"] = { reference = "2", near = 0.05 }, ["order.mid"] = { reference = "2", near = 0.1, why = "from the steps 1e-3 and 5e-4" },
  ["order.end"] = { reference = "1", near = 0.1, why = "from the steps 1e-3 and 5e-4" },
  ["back.q"] = { reference = "7e-14", most = 1e-12, why = "round-off, grown by the motion" }, ["back.p"] = { reference = "5e-13", most = 1e-11, why = "round-off, grown by the motion" },
}, claims = {
  ["conserved"] = "holds", ["velocity constraints oscillate"] = "holds", ["second order"] = "holds", ["order reduction"] = "holds with a qualification", ["reversible"] = "holds",
} }
return expected
