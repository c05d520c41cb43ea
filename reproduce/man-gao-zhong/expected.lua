-- Published: Tables 1 and 3. Reference: an independent program in quadruple precision.
local expected = { values = {}, claims = {
  ["spring: m = 2 and 3 coincide"] = "holds", ["triple: m = 2 and 3 coincide"] = "holds",
  ["spring: LGG better than LLL"] = "holds with a qualification", ["triple: LGG better than LLL"] = "holds with a qualification",
  ["spring: constrained term"] = "holds with a qualification", ["triple: constrained term"] = "holds with a qualification",
  ["orders"] = "holds", ["LGG precision"] = "holds with a qualification",
  ["angular momentum"] = "holds", ["antisymmetry"] = "holds", ["energy bounds"] = "holds",
  ["symplectic"] = "does not hold", ["Lobatto"] = "holds with a qualification",
} }
local values = expected.values

local function energies(prefix, rows, digits)
  for name, list in pairs(rows) do
    for m = 2, 6 do values[("%s.%s.%d"):format(prefix, name, m)] = { reference = list[m - 1], digits = digits, why = "what two programs agree on; in double the energy's own rounding is 1e-16" } end
  end
end
energies("spring", {
  LLL = { "2.59232672e-3", "9.49565564e-7", "1.87165366e-9", "1.45846235e-12", "3.21644211e-15" },
  LGL = { "2.40759414e-3", "8.46946367e-7", "1.84413555e-9", "1.49453881e-12", "3.25443944e-15" },
  LLG = { "1.44396070e-3", "8.15822018e-7", "5.55501269e-10", "8.50627922e-13", "1.05339293e-15" },
  LGG = { "8.39498221e-4", "6.75847882e-7", "5.17280520e-10", "8.86747142e-13", "1.09139088e-15" },
  EGG = { "8.39498221e-4", "6.75847882e-7", "7.08878316e-8", "3.38158253e-10", "7.23471380e-11" },
}, 7)
energies("triple", {
  LLL = { "3.53264967e-4", "2.61135087e-7", "9.85231122e-10", "2.42044449e-12", "9.62167425e-15" },
  LGG = { "1.10244680e-4", "1.69106517e-7", "3.24664358e-10", "1.17901642e-12", "3.84721411e-15" },
}, 7)
for m, e in pairs { [2] = "3.5436360e-3", [3] = "7.9757251e-7", [4] = "1.0824275e-10", [5] = "9.2564211e-15", [6] = "2.1644233e-18" } do
  values["LLL." .. m] = { reference = e, digits = 7 }
end

local why = "an order from two steps; the error's next term is not small at these steps"
for m, s in pairs { [2] = 2, [3] = 4, [4] = 4, [5] = 6, [6] = 6, [7] = 8, [8] = 8, [9] = 10 } do
  values["table1." .. m] = { published = tostring(s), near = 0.5, why = why }
  for _, problem in ipairs { "spring", "triple" } do for _, what in ipairs { "energy", "state" } do for _, end_ in ipairs { "low", "high" } do
    values[("table3.%s.%s.E.%d.%s"):format(problem, what, m, end_)] = { published = tostring(s), near = 0.5, why = why }
    values[("table3.%s.%s.L.%d.%s"):format(problem, what, m, end_)] = { published = tostring(2*m - 2), near = 0.5, why = why }
  end end end
end
values["spring.q1"] = { reference = "-0.594213975301534602" }
values["spring.q3"] = { reference = "-0.334720631042577444" }
values["spring.q4"] = { reference = "0.965744896070024460" }
values["state.LLL"] = { reference = "2.76e-15", why = "the largest error of q and p" }
values["state.LGG"] = { reference = "7.15e-15", why = "the largest error of q and p" }
values["momentum"] = { most = 1e-27, why = "round-off in quad" }
values["symmetry"] = { most = 1e-27, why = "round-off in quad" }
values["reversible"] = { most = 1e-29, why = "round-off in quad" }
values["lobatto.spring"] = { most = 1e-27, why = "round-off in quad" }
values["lobatto.triple"] = { least = 1e-8, why = "two schemes of order 4 at h = 0.1" }
-- LLL, LGL: round-off (ELL, EGL for m <= 3); the others by far not
for _, a in ipairs { "LLL", "LGL", "LLG", "LGG", "ELL", "EGL", "ELG", "EGG" } do
  for m = 2, 4 do
    local exact = a == "LLL" or a == "LGL" or (m <= 3 and (a == "ELL" or a == "EGL"))
    for _, h in ipairs { "0.2", "0.1" } do
      values[("defect.%s.%d.%s"):format(a, m, h)] = exact and { most = 1e-22, why = "what differences can tell in quad" } or { least = 1e-10, why = "far above what differences can tell" }
    end
  end
end
-- What the short form leaves out: larger m, long runs, and what is concluded from these.
expected.long = {
  "spring%.%u+%.[4-6]", "triple%.%u+%.[4-6]", "LLL%.[3-6]", "state%.%u+", "defect%.%u+%.4%.0%.[12]",
  "table1%.[25-9]", "table3%.%l+%.%l+%.E%.2%.%l+", "table3%.%l+%.%l+%.[EL]%.[5-9]%.%l+",
  "claim spring: .*", "claim triple: .*", "claim orders", "claim LGG precision", "claim energy bounds",
}
return expected
