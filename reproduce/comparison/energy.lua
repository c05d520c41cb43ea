-- The energy over 10^6 steps.
local problems = {
  { id = "double-spherical-pendulum", title = "double spherical pendulum", h = 0.02 },
  { id = "chain-molecule", title = "chain molecule", h = 0.05 },
  { id = "six-balls", title = "six balls", h = 0.1 },
  { id = "triple-pendulum", title = "triple pendulum", h = 0.05 },
}
local methods = { "rattle", "del", "em", "euler", "lobatto:s=3", "galerkin:LGG,m=3", "compose:rattle,order=4", "dirac:rk4" }
local symplectic = { rattle = true, del = true, euler = true, ["lobatto:s=3"] = true, ["compose:rattle,order=4"] = true }
local by_name = {}
for _, p in ipairs(problems) do for _, m in ipairs(methods) do by_name[(p.id .. "." .. m):gsub("[:,=]", "-")] = { p, m } end end

-- Samples of the energy error, the worst, means of tenths of the run, and the seconds. Ten times as many samples make
-- the means as the plot: the pendulum is chaotic, and with 200 of them a mean varies by a tenth of the error from one
-- run to another that differs in its last bits.
local function follow(p, method, steps)
  local z = simulate("models/" .. p.id .. ".lua", { method = method })
  local H0, out = z:get("energy"), { t = {}, e = {}, tenths = {}, worst = 0, done = 0 }
  local samples = steps >= 20000 and 20000 or 2000
  local stride = steps // samples
  local from, sum, count = host.work(), 0, 0
  for k = 1, samples do
    local ok, message = pcall(z.step, z, p.h, stride)
    if not ok then out.failure = message:gsub("^.-: ", "") break end
    out.done = k*stride
    local e = (z:get("energy") - H0)/abs(H0)
    out.worst = math.max(out.worst, abs(e))
    sum, count = sum + e, count + 1
    if k % (samples // 10) == 0 then out.tenths[#out.tenths + 1], sum, count = sum/count, 0, 0 end
    if k % (samples // 500) == 0 then out.t[#out.t + 1], out.e[#out.e + 1] = k*stride, e end
  end
  out.seconds = host.work() - from
  out.constraint = z:get("constraint")
  z:close()
  return out
end

item("energy", "Energy over 10⁶ steps", { short = true, minutes = 20,
  parts = function()
    local list = {}
    for name in pairs(by_name) do list[#list + 1] = name end
    table.sort(list)
    return list
  end,
  part = function(name, brief) return follow(by_name[name][1], by_name[name][2], brief and 2000 or 1000000) end },
function(out, parts)
  local steps = out.brief and 2000 or 1000000
  local panels, worst_em, bounded, drifts, drifting, words, finished = {}, 0, true, true, {}, {}, 0
  for i, p in ipairs(problems) do
    local series, rows = {}, {}
    for k, m in ipairs(methods) do
      local r = parts[(p.id .. "." .. m):gsub("[:,=]", "-")]
      local y = {}
      for n = 1, #r.e do y[n] = math.max(abs(r.e[n]), 1e-17) end
      series[k] = { name = m, x = r.t, y = y }
      local n = #r.tenths
      local drift = n > 1 and abs(r.tenths[n] - r.tenths[1]) or 0/0
      rows[k] = { m, { text = ("%.2e"):format(r.worst) }, { text = n > 1 and ("%+.1e"):format(r.tenths[n] - r.tenths[1]) or "–" }, { text = ("%.1e"):format(r.constraint) },
                  { text = ("%.1f"):format(1e6*r.seconds/math.max(r.done, 1)) }, { text = r.failure and ("stopped after %d steps: %s"):format(r.done, r.failure:sub(1, 80)) or "" } }
      if not r.failure then finished = finished + 1 end
      if m == "em" then worst_em = r.failure and math.huge or math.max(worst_em, r.worst) end
      if symplectic[m] and not (not r.failure and drift <= 0.2*r.worst) then bounded = false end
      if m == "dirac:rk4" then
        -- a run that stopped has drifted if its energy had left by then; one that stopped at once says nothing
        local grown = n > 0 and (r.failure and r.worst or abs(r.tenths[n]))/abs(r.tenths[1]) or 0/0
        drifting[i], drifts = ("%s ×%.1f"):format(p.title, grown), drifts and grown > 3
      end
    end
    local best, cheap
    for _, m in ipairs(methods) do
      local r = parts[(p.id .. "." .. m):gsub("[:,=]", "-")]
      if not r.failure then
        if m ~= "em" and (not best or r.worst < best[2]) then best = { m, r.worst } end
        if symplectic[m] and (not cheap or r.seconds < cheap[2]) then cheap = { m, r.seconds, r.worst } end
      end
    end
    words[i] = best and cheap and ("On the %s, besides <code>em</code>, <code>%s</code> keeps the energy best (%.1e); the cheapest symplectic method is <code>%s</code> (%.1f µs a step, %.1e).")
      :format(p.title, best[1], best[2], cheap[1], 1e6*cheap[2]/steps, cheap[3]) or ("On the %s too few runs came to their end."):format(p.title)
    panels[i] = { title = ("%s, h = %g"):format(p.title, p.h), x = { label = "steps", min = 0, max = steps }, y = { label = "|relative energy error|", log = true, min = 1e-17 }, series = series }
    out:table { title = ("%s, h = %g, %d steps"):format(p.title, p.h, steps), columns = { "method", "largest relative error", "drift of the mean, first to last tenth", "|g| at the end", "µs a step", "" }, rows = rows }
  end
  out:figure { title = "Relative energy error over 10⁶ steps.", note = "The same step for every method of a panel; every 2000th step is shown.", panels = panels }
  out:remark(table.concat(words, " "))
  out:value("runs", finished, ("runs that came to their end, of %d"):format(#problems*#methods))
  if out.brief then return end
  out:claim { id = "em exact", text = "The energy-momentum method keeps the energy to round-off over 10⁶ steps.", verdict = worst_em < 1e-10, measured = ("largest relative error on the four problems: %.1e"):format(worst_em) }
  out:claim { id = "symplectic bounded", text = "The energy errors of the symplectic methods oscillate and do not drift over 10⁶ steps.", verdict = bounded and true or "qualified",
    measured = "change of the mean from the first to the last tenth of the run against the largest error, rattle, del, euler, lobatto, composition: see the tables" }
  out:claim { id = "runge-kutta drifts", text = "Runge–Kutta on the Hamilton–Dirac equations does not keep the energy over such times.", verdict = drifts, measured = "dirac:rk4, mean energy error of the last tenth of the run against the first: " .. table.concat(drifting, ", ") }
end)
