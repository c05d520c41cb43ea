-- Work against precision.
local problems = {
  { id = "double-spherical-pendulum", title = "double spherical pendulum", T = 4, h = 0.1 },
  { id = "chain-molecule", title = "chain molecule", T = 16, h = 0.2 },
  { id = "six-balls", title = "six balls", T = 8, h = 0.2 },
  { id = "triple-pendulum", title = "triple pendulum", T = 8, h = 0.2 },
}
local methods = { "rattle", "del", "em", "euler", "lobatto:s=3", "lobatto:s=5", "galerkin:LLL,m=4", "galerkin:LGG,m=4", "compose:rattle,order=4", "compose:rattle,order=8",
                  "dirac:rk4", "dirac:rkf45", "dirac:gauss,s=3" }
local by_id = {}
for _, p in ipairs(problems) do by_id[p.id] = p end

local function solution(z)
  local q, p = { z:get(table.unpack(columns(z, "q"))) }, { z:get(table.unpack(columns(z, "p"))) }
  for i = 1, #p do q[#q + 1] = p[i] end
  return q
end

-- Error in q and p at T and the seconds it took; of short runs the best of some.
local function measure(p, method, step, exact)
  local z = simulate("models/" .. p.id .. ".lua", { method = method })
  local best, runs, spent, error_ = math.huge, 0, 0
  repeat
    z:restart()
    local from = host.work()
    z:run(step, p.T)
    local seconds = host.work() - from
    best, runs, spent = math.min(best, seconds), runs + 1, spent + seconds
  until spent > 0.03 or runs == 5
  error_ = norm(solution(z), exact)/norm(exact)
  z:close()
  return best, error_
end

local function curve(p, method, exact, brief)
  local out = { time = {}, error = {} }
  for k = 0, brief and 1 or 12 do
    local text = method
    -- the scheme that chooses its steps is given a tolerance instead
    if method == "dirac:rkf45" then text = ("dirac:rkf45,tol=%g,first=%g"):format(10.0^(-2 - k), p.h/10) end
    local ok, seconds, e = pcall(measure, p, text, method == "dirac:rkf45" and p.T or p.h/2^k, exact)
    if ok and e == e then
      local n = #out.time
      if n > 0 and e > 0.7*out.error[n] and e < 1e-9 then break end           -- round-off
      out.time[n + 1], out.error[n + 1] = seconds, e
      if e < 1e-12 or seconds > 1.5 then break end
    end
  end
  return out
end

-- Seconds for an error, between the points of a curve; nil outside.
local function time_for(c, e)
  for i = 2, #c.error do
    local a, b = c.error[i - 1], c.error[i]
    if a >= e and b <= e and b > 0 then
      local s = (math.log(a) - math.log(e))/(math.log(a) - math.log(b))
      return math.exp(math.log(c.time[i - 1]) + s*(math.log(c.time[i]) - math.log(c.time[i - 1])))
    end
  end
  return #c.error > 0 and c.error[1] < e and c.time[1] or nil
end

item("work", "Work against precision", { short = true, minutes = 4,
  parts = function() local list = {} for i, p in ipairs(problems) do list[i] = p.id end return list end,
  part = function(id, brief)
    local p, out = by_id[id], {}
    local z = simulate("models/" .. id .. ".lua", { precision = not brief and host.has("quad") and "quad" or "double" })
    z:flow(p.T, not brief and host.has("quad") and 1e-18 or 1e-13)
    local exact = solution(z)
    for i = 1, #exact do exact[i] = number(exact[i]) end
    z:close()
    for _, m in ipairs(methods) do out[m] = curve(p, m, exact, brief) end
    return out
  end },
function(out, parts)
  local panels, rows, wins, curves = {}, {}, {}, 0
  local levels = { 1e-2, 1e-4, 1e-6, 1e-8, 1e-10 }
  for i, p in ipairs(problems) do
    local series = {}
    for k, m in ipairs(methods) do
      local c = parts[p.id][m]
      if #c.error > 0 then curves = curves + 1 end
      series[k] = { name = m, x = { table.unpack(c.error) }, y = { table.unpack(c.time) }, style = "both", dash = 1 + (k - 1) // 8 }
    end
    panels[i] = { title = ("%s, T = %g"):format(p.title, p.T), x = { label = "relative error in q and p at T", log = true, min = 1e-13, max = 1 }, y = { label = "processor time (s)", log = true }, series = series }
    local row = { p.title }
    for _, level in ipairs(levels) do
      local list = {}
      for _, m in ipairs(methods) do
        local t = time_for(parts[p.id][m], level)
        if t then list[#list + 1] = { m, t } end
      end
      table.sort(list, function(a, b) return a[2] < b[2] end)
      local words = {}
      for n = 1, math.min(3, #list) do words[n] = n == 1 and ("%s (%.2g ms)"):format(list[1][1], 1000*list[1][2]) or ("%s ×%.1f"):format(list[n][1], list[n][2]/list[1][2]) end
      if #list > 0 then
        local w = wins[level] or {}
        w[#w + 1], wins[level] = ("%s on the %s"):format(list[1][1], p.title), w
      end
      row[#row + 1] = { text = #words > 0 and table.concat(words, "; ") or "–" }
    end
    rows[i] = row
  end
  out:figure { title = "Work against precision.", note = "Down and to the left is better. dirac:rkf45 chooses its steps by a tolerance; all others take equal steps, halved from point to point.", panels = panels }
  out:value("curves", curves, ("methods with a result, summed over %d problems"):format(#problems))
  if out.brief then return end
  local heads = { "least time for an error of" }
  for _, l in ipairs(levels) do heads[#heads + 1] = ("%.0e"):format(l) end
  out:table { title = "Which wins where: the fastest, and how many times longer the next two take", columns = heads, rows = rows }
  local lines = {}
  for _, l in ipairs(levels) do if wins[l] then lines[#lines + 1] = ("<b>%.0e</b>: %s."):format(l, table.concat(wins[l], ", ")) end end
  out:remark("Fastest in this run for a relative error of " .. table.concat(lines, " "))
  out:remark "A method of order 2 pays for each further digit with a factor of three in time, one of order 8 with 1.3: low orders win for rough answers and lose for good ones. <code>rattle</code> and what is composed of it, and the Runge–Kutta schemes on the Hamilton–Dirac equations, solve for the multipliers only while the mass matrix is constant; on the triple pendulum, where it is not, that advantage is gone. What this table does not show is what happens afterwards: that is the next section."
end)
