-- Figs. 4.1 to 4.4: 'natural' and 'true' on the two test problems.
local models = { ["4.1"] = "models/papers/jay-simeon-4.1.lua", ["4.2"] = "models/papers/jay-simeon-4.2.lua" }

local function state(z) return { z:get("y1", "y2") }, { z:get("p.y1", "p.y2") } end

-- At t = 1: known for (4.1), by the exact flow for (4.2).
local function exact(problem)
  if problem == "4.1" then return { math.exp(2), math.exp(-1) }, { math.exp(2), math.exp(-1) } end
  local z = simulate(models[problem], { precision = host.has("quad") and "quad" or "double" })
  z:flow(1, host.has("quad") and 1e-20 or 1e-13)
  local y, w = state(z)
  z:close()
  return { number(y[1]), number(y[2]) }, { number(w[1]), number(w[2]) }, y, w
end

local function errors(problem, method, steps, y, w)
  local z = simulate(models[problem], { method = method })
  z:step(1/steps, steps)
  local a, b = state(z)
  z:close()
  return norm(a, y), norm(b, w)
end

-- The limit of a sequence with errors of order 1: the last two extrapolated, a + (a - b).
local function limit(list) return 2*list[#list] - list[#list - 1] end

local function describe(problem, figures, title)
  item("problem-" .. problem, title, { short = true, minutes = 1 }, function(out)
    local y, w, y_all, w_all = exact(problem)
    local last = out.brief and 9 or 13
    local series, steps, log = {}, {}, { ey = {}, ez = {} }
    for k = 0, last do steps[k + 1] = 0.1/2^k end
    for i, name in ipairs { "true", "natural", "conjugate" } do
      local method = name == "true" and "euler" or "euler:" .. name
      local ey, ez = {}, {}
      for k = 0, last do ey[k + 1], ez[k + 1] = errors(problem, method, 10*2^k, y, w) end
      log.ey[name], log.ez[name] = ey, ez
    end
    local id = problem .. "."
    local rows = {}
    for _, k in ipairs { 0, 3, 6 } do
      for _, name in ipairs { "true", "natural", "conjugate" } do
        for _, c in ipairs { "y", "z" } do
          out:value(("%s%s.%d.%s"):format(id, name, k, c), log["e" .. c][name][k + 1], ("(%s) |e_%s|, %s, k = %d"):format(problem, c, name, k))
        end
      end
      rows[#rows + 1] = { tostring(k), ("%strue.%d.y"):format(id, k), ("%strue.%d.z"):format(id, k), ("%snatural.%d.y"):format(id, k), ("%snatural.%d.z"):format(id, k),
                          ("%sconjugate.%d.y"):format(id, k), ("%sconjugate.%d.z"):format(id, k) }
    end
    out:table { title = ("Global errors at t = 1 on (%s), h = 0.1/2^k"):format(problem), columns = { "k", "true, y", "true, z", "natural, y", "natural, z", "conjugate, y", "conjugate, z" }, rows = rows }
    for n, c in ipairs { "y", "z" } do
      local x = { label = "stepsize h", log = true }
      out:figure { title = figures[n], x = x, y = { label = ("global error in %s"):format(c), log = true },
        series = { { name = "natural", x = { table.unpack(steps) }, y = { table.unpack(log["e" .. c].natural) }, style = "both", dash = 2 },
                   { name = "true", x = { table.unpack(steps) }, y = { table.unpack(log["e" .. c]["true"]) }, style = "both" } } }
    end
    local ly, lz = limit(log.ey.natural), limit(log.ez.natural)
    out:value(id .. "limit.y", ly, ("(%s) limit of |e_y| of natural"):format(problem))
    out:value(id .. "limit.z", lz, ("(%s) limit of |e_z| of natural"):format(problem))
    if y_all then
      for n, v in ipairs { y_all[1], y_all[2], w_all[1], w_all[2] } do out:value(("%sexact.%d"):format(id, n), v, ("(%s) solution at t = 1, %s"):format(problem, ({ "y1", "y2", "z1", "z2" })[n])) end
    end
    local ot, oc = order(log.ey["true"][last], log.ey["true"][last + 1], 2, 1), order(log.ey.conjugate[last], log.ey.conjugate[last + 1], 2, 1)
    local on = order(log.ey.natural[last], log.ey.natural[last + 1], 2, 1)
    out:claim { id = problem .. " true order 1", text = "For the ‘true’ symplectic Euler method we observe a straight line of slope 1, confirming convergence of order 1.", where = "4; Theorem 3.2",
      verdict = abs(ot - 1) < 0.05, measured = ("order %.4f in y, %.4f in z between the last two steps"):format(ot, order(log.ez["true"][last], log.ez["true"][last + 1], 2, 1)) }
    out:claim { id = problem .. " natural does not converge", text = "For the ‘natural’ symplectic Euler method we observe the absence of convergence.", where = "4; Theorem 3.1",
      verdict = on < 0.9, measured = ("errors tend to %.9g in y and %.9g in z: the method converges to another system, that of section 3.4%s"):format(ly, lz,
        problem == "4.2" and "; on this problem it is seen only for k ≥ 9, before that the error of order 1 hides it" or "") }
    out:claim { id = problem .. " conjugate order 1", text = "The ‘true’ conjugate symplectic Euler method (3.8) is consistent of order 1.", where = "Theorem 3.3",
      verdict = abs(oc - 1) < 0.05, measured = ("order %.4f in y"):format(oc) }
  end)
end

describe("4.1", { "Fig. 4.1: global error in y at t = 1, test problem (4.1), α = 0.5.", "Fig. 4.2: global error in z at t = 1, test problem (4.1), α = 0.5." }, "Figs. 4.1, 4.2: the test problem (4.1)")
describe("4.2", { "Fig. 4.3: global error in y at t = 1, test problem (4.2), α = 0.5.", "Fig. 4.4: global error in z at t = 1, test problem (4.2), α = 0.5." }, "Figs. 4.3, 4.4: friction on a cubic (4.2)")
