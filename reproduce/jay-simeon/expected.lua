-- The paper prints figures only. Reference: an independent program.
local expected = { values = {}, claims = { ["composition"] = "holds with a qualification" } }
local values = expected.values
for _, p in ipairs { "4.1", "4.2" } do
  for _, c in ipairs { "true order 1", "natural does not converge", "conjugate order 1" } do expected.claims[p .. " " .. c] = "holds" end
end
local function pair(id, y, z, digits, why) values[id .. ".y"], values[id .. ".z"] = { reference = y, digits = digits, why = why }, { reference = z, digits = digits, why = why } end
pair("4.1.true.0", "3.82352077", "4.47180003")
pair("4.1.true.3", "0.230128316", "0.260385553")
pair("4.1.true.6", "2.73133780e-2", "3.08544514e-2")
pair("4.1.natural.0", "2.95654231", "4.76627092")
pair("4.1.natural.3", "0.638483169", "1.49787101")
pair("4.1.natural.6", "0.451156868", "1.23767231")
pair("4.1.conjugate.6", "1.92906739e-2", "2.27452608e-2")
pair("4.2.true.0", "0.446408340", "0.295412569")
pair("4.2.natural.0", "0.447750513", "0.300857251")
pair("4.2.conjugate.6", "6.07140686e-3", "5.19379876e-3")
pair("4.1.limit", "0.425569638", "1.20222006", 3, "extrapolated from the last two steps")
pair("4.2.limit", "3.00719560e-3", "5.70342389e-3", 2, "extrapolated from the last two steps")
values["4.2.exact.1"] = { reference = "0.47793426019385597" }
values["4.2.exact.2"] = { reference = "1.0917029671546436e-3" }
values["4.2.exact.3"] = { reference = "-16.632108191110831" }
values["4.2.exact.4"] = { reference = "-0.11397376192433609" }
pair("compose.2", "8.458853e-5", "8.850165e-5")
pair("compose.3", "1.299719e-4", "1.363501e-4")
pair("compose.4", "1.371084e-8", "1.614066e-8", 6, "round-off of the 320 steps is 1e-15")
for i, s in ipairs { 1, 2, 2, 4, 1 } do values["order." .. i] = { reference = tostring(s), near = 0.1, why = "from two steps" } end
values["adjoint.back"] = { most = 1e-13, why = "round-off of two steps" }
values["conjugate.back"] = { least = 1e-7, why = "of order h^2 or h^3 where (3.8) is not the adjoint" }
return expected
