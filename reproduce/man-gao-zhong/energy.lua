-- Figs. 2, 3, 5, 6: the largest relative error of the Hamiltonian on [0, 400].
local groups = { { "A", "ELL", "LLL" }, { "B", "EGL", "LGL" }, { "C", "ELG", "LLG" }, { "D", "EGG", "LGG" } }
local etas = { 0.2, 0.1, 0.05 }

-- (46), (47)
local function energy_error(model, algorithm, m, eta, precision)
  local z = simulate(model, { method = ("galerkin:%s,m=%d"):format(algorithm, m), precision = precision })
  local H0, worst = z:get("energy"), 0
  for _ = 1, math.floor(400/eta + 0.5) do
    z:step(eta)
    worst = max(worst, abs(z:get("energy") - H0))
  end
  z:close()
  return number(worst/abs(H0))
end

-- What is compared in the short form, which runs in double: those whose errors stand clear of round-off.
local function wanted(algorithm, m, eta, brief)
  if not brief then return true end
  return m <= 3 and eta == 0.1 and (algorithm:sub(1, 1) == "L" or algorithm == "EGG")
end

local function describe(id, title, model, names, figures)
  item(id, title, { short = true, minutes = 10,
    parts = function(brief) return brief and { "m2", "m3" } or { "m6", "m5", "m4", "m3", "m2" } end,
    part = function(name, brief)
      local m, out = math.tointeger(tonumber(name:sub(2))), {}
      local precision = not brief and host.has("quad") and "quad" or "double"
      for _, g in ipairs(groups) do
        for k = 2, 3 do
          out[g[k]] = {}
          for i, eta in ipairs(etas) do out[g[k]][i] = wanted(g[k], m, eta, brief) and energy_error(model, g[k], m, eta, precision) or 0/0 end
        end
      end
      return out
    end },
  function(out, parts)
    local ms = out.brief and { 2, 3 } or { 2, 3, 4, 5, 6 }
    local function at(algorithm, m, i) return parts["m" .. m][algorithm][i or 2] end
    for _, algorithm in ipairs(names) do
      for _, m in ipairs(ms) do out:value(("%s.%s.%d"):format(id, algorithm, m), at(algorithm, m), ("%s, max |e_H|, %s, m = %d"):format(id, algorithm, m)) end
    end
    local rows = {}
    for _, algorithm in ipairs(names) do
      local row = { algorithm }
      for _, m in ipairs(ms) do row[#row + 1] = ("%s.%s.%d"):format(id, algorithm, m) end
      rows[#rows + 1] = row
    end
    local heads = { "" }
    for _, m in ipairs(ms) do heads[#heads + 1] = "m = " .. m end
    out:table { title = "Largest relative error of the Hamiltonian on [0, 400], η = 0.1", columns = heads, rows = rows }
    if out.brief then return end

    local panels = {}
    for _, m in ipairs(ms) do
      for _, g in ipairs(groups) do
        local series = {}
        for k = 2, 3 do series[k - 1] = { name = g[k], x = { table.unpack(etas) }, y = { table.unpack(parts["m" .. m][g[k]]) }, style = "both", dash = k == 2 and 2 or 1 } end
        panels[#panels + 1] = { title = ("m = %d, group %s"):format(m, g[1]), x = { label = "η", log = true, min = 0.04, max = 0.25 }, y = { label = "e", log = true }, series = series }
      end
    end
    out:figure { title = figures[1], note = "Rows (a)–(e) of the paper are m = 2 … 6, its columns the groups A to D: the same quadrature rules with equidistant and with Lobatto control points.", panels = panels }
    local series = {}
    for k, algorithm in ipairs { "LLL", "LGL", "LLG", "LGG" } do
      local y = {}
      for i, m in ipairs(ms) do y[i] = at(algorithm, m) end
      series[k] = { name = algorithm, x = { table.unpack(ms) }, y = y, style = "both", dash = k }
    end
    out:figure { title = figures[2], x = { label = "m", min = 1.8, max = 6.2 }, y = { label = "e", log = true }, series = series }

    local same, better, least_gain = true, true, math.huge
    for _, g in ipairs(groups) do for m = 2, 3 do for i = 1, 3 do
      same = same and abs(at(g[2], m, i)/at(g[3], m, i) - 1) < 1e-9
    end end end
    out:claim { id = id .. ": m = 2 and 3 coincide", text = "When m = 2 or 3, the equidistant points and Lobatto points are located on the same position: the two algorithms of a group are identical.", where = "4.2",
      verdict = same, measured = "errors of the Hamiltonian for three steps, four groups: equal to nine digits or more" }
    local ratio = {}
    for i, m in ipairs(ms) do
      ratio[i] = ("%.2f"):format(at("LLL", m)/at("LGG", m))
      better = better and at("LGG", m) < at("LLL", m)
    end
    out:claim { id = id .. ": LGG better than LLL", text = "The global error of LGG is always better than that of LLL.", where = "4.2, 4.3",
      verdict = better and "qualified" or false, measured = "Hamiltonian errors LLL/LGG for m = 2 … 6: " .. table.concat(ratio, ", ") .. ". The claim is about the energy: in the trajectory LGG is not better (see the orders)." }
    local spread, worst = {}, 1
    for i, m in ipairs(ms) do
      local a, b = at("LLL", m)/at("LGL", m), at("LLG", m)/at("LGG", m)
      spread[i] = ("%.2f and %.2f"):format(a, b)
      worst = math.max(worst, a, 1/a, b, 1/b)
    end
    out:claim { id = id .. ": constrained term", text = "The global errors of LLL and LGL are basically the same, as are those of LLG and LGG: quadrature acts mainly through the constrained term.", where = "4.2",
      verdict = worst < 1.3 and true or "qualified", measured = "LLL/LGL and LLG/LGG for m = 2 … 6: " .. table.concat(spread, "; ") .. ". Not so for m = 2." }
  end)
end

describe("spring", "Figs. 2, 3: the nonlinear spring pendulum, energy", "models/spring-pendulum.lua", { "LLL", "LGL", "LLG", "LGG", "EGG" },
  { "Fig. 2: nonlinear spring pendulum, log-log plot of the global error of the Hamiltonian during 0 … 400.",
    "Fig. 3: nonlinear spring pendulum, global error of the Hamiltonian, η = 0.1." })
describe("triple", "Figs. 5, 6: the triple pendulum, energy", "models/triple-pendulum.lua", { "LLL", "LGG" },
  { "Fig. 5: triple pendulum, log-log plot of the global error of the Hamiltonian during 0 … 400.",
    "Fig. 6: triple pendulum, global error of the Hamiltonian, η = 0.1." })
