-- Published: Tables 1 and 2 and the text. Reference: an independent program in long double.
local start = "the standard is a difference over 1e-5: rounding errors of the start are 1e-6 of the error in double"
local standard = "the standard, 300,000 steps, carries round-off of 1e-10"
local expected = {
  values = {
    ["standard.E"] = { reference = "32.999999979375", digits = 11, why = "a difference over 1e-5 leaves 11 digits in double" },
    ["standard.Jx"] = { reference = "6.0e-5", within = 1e-8, why = "6.0e-5 is rounded: (1 - 6.25e-10) of it, a difference of 1e-9" },
    ["standard.Jy"] = { reference = "5.99999999625", digits = 11 },
    ["standard.Jz"] = { reference = "11.9999999925", digits = 11 },
    ["multiplier"] = { reference = "-2", near = 1e-12, why = "round-off" },
    ["cpu.1e-4"] = { published = "97.620", timing = true }, ["cpu.1e-3"] = { published = "9.905", timing = true },
    ["cpu.1e-2"] = { published = "1.397", timing = true }, ["cpu.1e-1"] = { published = "0.301", timing = true },
    ["quaternion.1e-3"] = { published = "3.960e-6", reference = "3.959791e-6", digits = 6, why = start },
    ["quaternion.1e-2"] = { published = "3.997e-4", reference = "3.996685e-4" },
    ["quaternion.1e-1"] = { published = "3.648e-2", reference = "3.647627e-2" },
    ["energy.1e-4"] = { published = "6.256e-7", within = 0.01, why = "E(h) = E - 62.74 h^2 gives 62.74 (1e-8 - 1e-10) = 6.212e-7; the paper shows its own round-off here" },
    ["energy.1e-3"] = { published = "6.274e-5", reference = "6.274367e-5", digits = 5, why = start },
    ["energy.1e-2"] = { published = "6.274e-3", reference = "6.274407e-3" },
    ["energy.1e-1"] = { published = "6.217e-1", reference = "6.216796e-1" },
    ["momentum.1e-4"] = { published = "1.671e-7", within = 0.01, why = "at this step the paper shows its own round-off" },
    ["momentum.1e-3"] = { published = "1.687e-5", reference = "1.686707e-5", digits = 5, why = start },
    ["momentum.1e-2"] = { published = "1.687e-3", reference = "1.686657e-3" },
    ["momentum.1e-1"] = { published = "1.665e-1", reference = "1.665214e-1" },
    ["constant.1e-3"] = { reference = "32.999937235709", digits = 11, why = "a difference over 1e-3 leaves 12 digits" },
    ["constant.1e-2"] = { reference = "32.993725572523", digits = 12, why = "a difference over 1e-2 leaves 13 digits" },
    ["constant.1e-1"] = { reference = "32.378320383524", digits = 13 },
    ["spread.1e-3"] = { published = "1e-9", most = 1e-9, why = "the paper's own deviation" },
    ["spread.1e-2"] = { published = "0", most = 1e-10, why = "round-off of a difference over h" },
    ["spread.1e-1"] = { published = "0", most = 1e-11, why = "round-off of a difference over h" },

    ["start.E"] = { reference = "24.939585255421" }, ["start.J"] = { reference = "199.831905" },
    ["start.z1"] = { reference = "-2.836719055529" }, ["start.z2"] = { reference = "-4.802266053186" },
    ["start.v1"] = { reference = "3.383158434846" }, ["start.v2"] = { reference = "2.689641565687" },
    ["dvp.position.1e-3"] = { published = "1.146e-5", reference = "1.144413e-5", digits = 5, why = standard },
    ["dvp.position.1e-2"] = { published = "1.135e-3", reference = "1.133023e-3", digits = 6, why = standard },
    ["dvp.position.1e-1"] = { published = "9.576e-2", reference = "9.587063e-2" },
    ["em.position.1e-3"] = { published = "1.214e-5", reference = "1.211371e-5", digits = 5, why = standard },
    ["em.position.1e-2"] = { published = "1.225e-3", reference = "1.223227e-3", digits = 6, why = standard },
    ["em.position.1e-1"] = { published = "1.184e-1", reference = "1.182093e-1" },
    ["dvp.energy.1e-4"] = { published = "6.475e-6", within = 0.02, why = "energies of size 500 to 1e-8: the paper reports variations of 5e-6 J by its own numerical errors" },
    ["dvp.position.1e-4"] = { published = "2.329e-7", within = 0.02, why = "the paper's own round-off; see the energy" },
    ["dvp.energy.1e-3"] = { published = "3.269e-4", reference = "3.267054e-4", digits = 6, why = "T and V are of size 500" },
    ["dvp.energy.1e-2"] = { published = "3.224e-2", reference = "3.222382e-2" },
    ["dvp.energy.1e-1"] = { published = "2.665", reference = "2.666967" },
    ["dvp.momentum.1e-4"] = { published = "2.547e-6", within = 0.01, why = "as the energy" },
    ["dvp.momentum.1e-3"] = { published = "1.707e-4", reference = "1.707316e-4", digits = 6, why = "a momentum of size 200, a difference over h" },
    ["dvp.momentum.1e-2"] = { published = "1.696e-2", reference = "1.696054e-2" },
    ["dvp.momentum.1e-1"] = { published = "1.560", reference = "1.560072" },
    ["theorem1.10"] = { reference = "3e-15", most = 5e-14, why = "round-off, a few units of positions of size 7" },
    ["theorem1.100"] = { reference = "2e-13", most = 5e-12, why = "round-off, grown by the motion" },
    ["shake"] = { most = 1e-9, why = "round-off, grown by the motion over 30 s" },
    ["order.midpoint"] = { reference = "2", near = 0.05 }, ["order.left"] = { reference = "1", near = 0.05 },
  },
  claims = {
    ["both second order"] = "holds", ["EM error greater"] = "holds", ["EM exact"] = "holds", ["energy falls as square"] = "holds",
    ["DVP momentum constant"] = "holds", ["multipliers correlated"] = "holds", ["printed data"] = "does not hold",
    ["theorem 1"] = "holds", ["shake"] = "holds", ["orders"] = "holds",
    ["quaternion second order"] = "holds", ["energy second order"] = "holds", ["momentum second order"] = "holds",
    ["constant energy"] = "holds", ["constant momentum"] = "holds",
  },
}
for _, h in ipairs { "1e-4", "1e-3", "1e-2", "1e-1" } do
  expected.values["em.energy." .. h] = { published = "0.0", reference = "0", most = 5e-11, why = "round-off" }
  expected.values["em.momentum." .. h] = { published = "0.0", reference = "0", most = 5e-11, why = "round-off" }
end
for h, t in pairs { ["1e-4"] = "73.648", ["1e-3"] = "9.065", ["1e-2"] = "1.152", ["1e-1"] = "0.211" } do
  expected.values["dvp.cpu." .. h] = { published = t, timing = true }
end
for h, t in pairs { ["1e-4"] = "103.871", ["1e-3"] = "13.250", ["1e-2"] = "1.549", ["1e-1"] = "0.263" } do
  expected.values["em.cpu." .. h] = { published = t, timing = true }
end
return expected
