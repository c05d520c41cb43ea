-- Section 5.1: the free rigid body by the discrete Euler-Lagrange equations on unit quaternions.
local names = { "r.w", "r.x", "r.y", "r.z" }
local tiny, samples = 1e-5, 300                                    -- of 0.1 s each

-- E = w.Iw/2 with w = 2 vec(conj(q0) q1)/h
local function energy(a, b, h)
  local function w(i, j, k) return (a[1]*b[i] - a[i]*b[1] - (a[j]*b[k] - a[k]*b[j]))*2/h end
  local x, y, z = w(2, 3, 4), w(3, 4, 2), w(4, 2, 3)
  return (x*x + 2*y*y + 3*z*z)/2
end

local function position(z) return { z:get(table.unpack(names)) } end
local function momentum(z) return { z:get("angular_momentum.x", "angular_momentum.y", "angular_momentum.z") } end

-- From (1,0,0,0) and a second place: positions, discrete energies and momenta at the samples.
local function run(second, h, precision)
  local z = simulate("models/papers/rigid-body-points.lua", { method = "del", precision = precision, step = h,
    set = second and { w = second[1], x = second[2], y = second[3], z = second[4] } or nil })
  local per = math.floor(0.1/h + 0.5)
  local out = { q = {}, E = {}, J = {}, work = host.work() }
  for k = 0, samples do
    local q = position(z)
    z:step(h)
    out.q[k + 1], out.E[k + 1], out.J[k + 1] = q, energy(q, position(z), h), momentum(z)
    z:step(h, per - 1)
  end
  out.work = host.work() - out.work
  z:close()
  return out
end

local function all(x) local out = {} for k = 1, samples + 1 do out[k] = x end return out end
local function lists(e) local out = {} for i = 1, #e do out[i] = { e[i] } end return out end
local function spread(e)
  local lo, hi = e[1], e[1]
  for i = 2, #e do if e[i] < lo then lo = e[i] end if e[i] > hi then hi = e[i] end end
  return hi - lo, lo, hi
end

item("rigid-body", "Table 1, Figs. 2–6: the rigid body", { short = true, minutes = 3 }, function(out)
  local precision = out.brief and "double" or host.has("quad") and "quad" or "double"
  local steps, labels = { 1e-4, 1e-3, 1e-2, 1e-1 }, { "1e-4", "1e-3", "1e-2", "1e-1" }

  -- An Euler step of 1e-5 from (1,0,0,0), normalised (by the model); the run from there gives the second place of every step.
  local z = simulate("models/papers/rigid-body-points.lua", { method = "del", precision = precision, step = tiny })
  local q0 = position(z)
  local J0 = momentum(z)
  z:step(tiny)
  local E0 = energy(q0, position(z), tiny)
  local seconds, done = {}, 1
  for i, h in ipairs(steps) do
    local n = math.floor(h/tiny + 0.5)
    z:step(tiny, n - done)
    done = n
    seconds[i] = position(z)
  end
  z:close()
  out:value("standard.E", E0, "standard energy (J)")
  for i, axis in ipairs { "x", "y", "z" } do out:value("standard.J" .. axis, J0[i], "standard momentum, " .. axis) end

  local runs, e = {}, { q = {}, E = {}, J = {} }
  for i, h in ipairs(steps) do
    runs[i] = run(seconds[i], h, i == 1 and "double" or precision)
    if i > 1 and precision ~= "double" then runs[i].work = run(seconds[i], h, "double").work end  -- times are those of double
  end
  if precision == "quad" then                                      -- the standard of the positions in quad as well
    runs.standard = run(seconds[1], steps[1], "quad")
  else
    runs.standard = runs[1]
  end
  for i, h in ipairs(steps) do
    local r, s = runs[i], labels[i]
    e.q[i] = i == 1 and 0 or mean_error(r.q, runs.standard.q)
    e.E[i] = mean_error(lists((i == 1 and runs.standard or r).E), all { E0 })
    e.J[i] = mean_error((i == 1 and runs.standard or r).J, all(J0))
    if i > 1 then out:value("quaternion." .. s, e.q[i], "quaternion error, h = " .. s) end
    out:value("energy." .. s, e.E[i], "energy error, h = " .. s)
    out:value("momentum." .. s, e.J[i], "momentum error, h = " .. s)
    out:value("cpu." .. s, r.work, "CPU time, h = " .. s)
    if i > 1 then
      out:value("constant." .. s, r.E[1], "the constant discrete energy, h = " .. s)
      out:value("spread." .. s, number(spread(r.E)), "its largest deviation, h = " .. s)
    end
  end
  local rows = {}
  for i, s in ipairs(labels) do
    rows[i] = { s, "cpu." .. s, i == 1 and { text = "0 (the standard)" } or "quaternion." .. s, "energy." .. s, "momentum." .. s }
  end
  out:table { title = "Table 1: simulation results for the rigid body, 30 s", columns = { "h (s)", "CPU time (s)", "Quat. Error", "Energy Error", "Mom. Error" }, rows = rows }

  local function plot(title, label, y, from)
    out:figure { title = title, x = { label = "time step (s)", log = true, min = 1e-4, max = 1 }, y = { label = label, log = true },
      series = { { x = { table.unpack(steps, from) }, y = { table.unpack(y, from) }, style = "both" } } }
  end
  local cpu = {}
  for i = 1, 4 do cpu[i] = runs[i].work end
  plot("Fig. 2: CPU time versus time step.", "CPU time (s)", cpu, 1)
  plot("Fig. 3: quaternion error versus time step.", "quaternion error", e.q, 2)
  local fig4 = { { name = "h = 0.0001", x = {}, y = {} }, { name = "h = 0.1", x = {}, y = {}, dash = 2 } }
  for k = 0, samples do
    for s, i in ipairs { 1, 4 } do fig4[s].x[k + 1], fig4[s].y[k + 1] = k*0.1, runs[i].q[k + 1][3] end
  end
  out:figure { title = "Fig. 4: quaternion coordinate q_y versus time.", x = { label = "time (s)", min = 0, max = 30 }, y = { label = "q_y", min = -1, max = 1 }, series = fig4 }
  plot("Fig. 5: energy error versus time step.", "energy error (J)", e.E, 1)
  plot("Fig. 6: momentum error versus time step.", "momentum error", e.J, 1)

  local function second(id, what, y, from)
    local s = slope({ table.unpack(steps, from) }, { table.unpack(y, from) })
    out:claim { id = id, text = "The plot shows a second order relationship between " .. what .. " and time step.", where = "5.1",
      verdict = abs(s - 2) < 0.05, measured = ("least-squares slope %.4f"):format(s) }
  end
  second("quaternion second order", "quaternion error", e.q, 2)
  second("energy second order", "energy error", e.E, 1)
  second("momentum second order", "momentum error", e.J, 1)
  local worst, J_spread = 0, 0
  for i = 2, 4 do
    worst = math.max(worst, number(spread(runs[i].E)))
    for k = 1, samples + 1 do J_spread = math.max(J_spread, number(norm(runs[i].J[k], runs[i].J[1]))) end
  end
  out:claim { id = "constant energy", text = "There is no deviation in energy for the h = 0.01 s and h = 0.1 s simulations.", where = "5.1",
    verdict = worst < (precision == "quad" and 1e-24 or 1e-9), measured = ("largest deviation over 30 s, h = 0.001 to 0.1: %.1e J in %s. On unit quaternions the scheme is that of Moser and Veselov, whose discrete energy is exactly constant for every h.")
      :format(worst, precision) }
  out:claim { id = "constant momentum", text = "For each time step, the constant value of the discrete momentum map is conserved.", where = "5.1",
    verdict = J_spread < (precision == "quad" and 1e-26 or 1e-10), measured = ("largest change over 30 s, h = 0.001 to 0.1: %.1e in %s"):format(J_spread, precision) }
  local state = simulate("models/rigid-body.lua", { method = "del" })
  state:step(0.1, 100)
  local lambda, E = state:get("lambda.r", "energy")
  state:close()
  out:value("multiplier", lambda/E, "multiplier of the unit length over the energy, t = 10")
  out:remark "CPU times are those of this machine; the paper's are of an SGI Indy of 1996. The work per step hardly depends on h, so the time falls nearly linearly with 1/h, as Fig. 2 has it."
end)
