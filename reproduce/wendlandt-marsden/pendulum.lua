-- Section 5.2: the double spherical pendulum by DVP and by the energy-momentum method.
local names = { "a.x", "a.y", "a.z", "b.x", "b.y", "b.z" }
local mass = { 2, 2, 2, 3.5, 3.5, 3.5 }
local samples = 300                                                -- of 0.1 s each
local steps, labels = { 1e-4, 1e-3, 1e-2, 1e-1 }, { "1e-4", "1e-3", "1e-2", "1e-1" }

local function position(z) return { z:get(table.unpack(names)) } end

-- T((q1 - q0)/h) + V((q0 + q1)/2)
local function energy(a, b, h)
  local sum = 0
  for i = 1, 6 do
    local v = (b[i] - a[i])/h
    sum = sum + mass[i]*v*v/2
    if i % 3 == 0 then sum = sum + mass[i]*(a[i] + b[i])/2*9.81 end
  end
  return sum
end

-- sum m (q0 x (q1 - q0)/h)_z
local function momentum(a, b, h)
  local sum = 0
  for i = 1, 4, 3 do sum = sum + mass[i]*(a[i]*(b[i + 1] - a[i + 1]) - a[i + 1]*(b[i] - a[i]))/h end
  return sum
end

local function per_sample(h) return math.floor(0.1/h + 0.5) end

-- EM from p0 = M v0: positions, energies and momenta of the states at the samples.
local function run_em(h, precision, want)
  local z = simulate("models/double-spherical-pendulum.lua", { method = "em", precision = precision })
  local out, per, done = { q = {}, E = {}, J = {}, at = {}, work = host.work() }, per_sample(h), 0
  for k = 0, samples do
    out.q[k + 1] = position(z)
    out.E[k + 1], out.J[k + 1] = z:get("energy", "angular_momentum.z")
    if k == 0 and want then                                        -- the second points of the DVP runs
      for i, t in ipairs(want) do
        local n = math.floor(t/h + 0.5)
        z:step(h, n - done)
        done = n
        out.at[i] = position(z)
      end
    end
    if k < samples then z:step(h, per - done) end
    done = 0
  end
  out.work = host.work() - out.work
  z:close()
  return out
end

local function run_dvp(second, h, precision)
  local set = { ax = second[1], ay = second[2], az = second[3], bx = second[4], by = second[5], bz = second[6] }
  local z = simulate("models/papers/double-spherical-pendulum-points.lua", { method = "del", precision = precision, step = h, set = set })
  local out, per = { q = {}, E = {}, J = {}, rod1 = {}, rod2 = {}, work = host.work() }, per_sample(h)
  for k = 0, samples do
    local q = position(z)
    local l1, l2 = z:get("lambda.rod1", "lambda.rod2")
    z:step(h)
    local q1 = position(z)
    out.q[k + 1], out.E[k + 1], out.J[k + 1] = q, energy(q, q1, h), momentum(q, q1, h)
    out.rod1[k + 1], out.rod2[k + 1] = number(l1), number(l2)
    z:step(h, per - 1)
  end
  out.work = host.work() - out.work
  z:close()
  return out
end

local function against(list, x)
  local sum = 0
  for i = 1, #list do sum = sum + abs(list[i] - x) end
  return sum/#list
end
local function spread(list)
  local lo, hi = list[1], list[1]
  for i = 2, #list do if list[i] < lo then lo = list[i] end if list[i] > hi then hi = list[i] end end
  return number(hi - lo), number(lo), number(hi)
end
local function correlation(x, y)
  local n, sx, sy, sxx, syy, sxy = #x, 0, 0, 0, 0, 0
  for i = 1, n do
    local a, b = number(x[i]), number(y[i])
    sx, sy, sxx, syy, sxy = sx + a, sy + b, sxx + a*a, syy + b*b, sxy + a*b
  end
  return (n*sxy - sx*sy)/math.sqrt((n*sxx - sx*sx)*(n*syy - sy*sy))
end

local function times() local t = {} for k = 0, samples do t[k + 1] = 0.1*k end return t end

item("pendulum", "Table 2, Figs. 7–12: the double spherical pendulum", { short = true, minutes = 4 }, function(out)
  local precision = out.brief and "double" or host.has("quad") and "quad" or "double"
  local z = simulate("models/double-spherical-pendulum.lua", { precision = precision })
  local E0, J0, z1, z2, v1, v2 = z:get("energy", "angular_momentum.z", "a.z", "b.z", "a.z.dot", "b.z.dot")
  z:close()
  out:value("start.E", E0, "energy of the printed start (J)")
  out:value("start.J", J0, "its angular momentum (kg m²/s)")
  out:value("start.z1", z1, "height of the first mass"); out:value("start.z2", z2, "height of the second mass")
  out:value("start.v1", v1, "its rate, first mass"); out:value("start.v2", v2, "its rate, second mass")

  local em, dvp, e = {}, {}, { dvp = {}, em = {}, E = {}, J = {} }
  local standard = run_em(steps[1], precision, steps)
  for i, h in ipairs(steps) do
    local s = labels[i]
    em[i] = run_em(h, "double")
    dvp[i] = run_dvp(standard.at[i], h, i == 1 and "double" or precision)
    if i > 1 and precision ~= "double" then dvp[i].work = run_dvp(standard.at[i], h, "double").work end  -- times are those of double
    e.dvp[i] = mean_error(dvp[i].q, standard.q)
    e.em[i] = i > 1 and mean_error(em[i].q, standard.q) or 0
    e.E[i], e.J[i] = against(dvp[i].E, E0), against(dvp[i].J, J0)
    out:value("dvp.position." .. s, e.dvp[i], "DVP position error, h = " .. s)
    if i > 1 then out:value("em.position." .. s, e.em[i], "EM position error, h = " .. s) end
    out:value("dvp.energy." .. s, e.E[i], "DVP energy error, h = " .. s)
    out:value("dvp.momentum." .. s, e.J[i], "DVP momentum error, h = " .. s)
    out:value("em.energy." .. s, against(em[i].E, number(E0)), "EM energy error, h = " .. s)
    out:value("em.momentum." .. s, against(em[i].J, number(J0)), "EM momentum error, h = " .. s)
    out:value("dvp.cpu." .. s, dvp[i].work, "DVP CPU time, h = " .. s)
    out:value("em.cpu." .. s, em[i].work, "EM CPU time, h = " .. s)
  end
  local rows = {}
  for i, s in ipairs(labels) do
    rows[#rows + 1] = { s, { text = "DVP" }, "dvp.cpu." .. s, "dvp.position." .. s, "dvp.energy." .. s, "dvp.momentum." .. s }
    rows[#rows + 1] = { s, { text = "EM" }, "em.cpu." .. s, i == 1 and { text = "0 (the standard)" } or "em.position." .. s, "em.energy." .. s, "em.momentum." .. s }
  end
  out:table { title = "Table 2: simulation results for the DSP simulation, 30 s", columns = { "h (s)", "Method", "CPU time (s)", "Pos. Error", "Energy Error", "Mom. Error" }, rows = rows }
  out:remark "At h = 0.0001 the DVP errors are not a hundredth of those at h = 0.001, neither here nor in the paper: the second point of that run is the first step of the standard itself, whose own error, divided by h, is of the same order h². For larger steps the second point is as good as exact."

  local cpu = { {}, {} }
  for i = 1, 4 do cpu[1][i], cpu[2][i] = dvp[i].work, em[i].work end
  local x = { label = "time step (s)", log = true, min = 1e-4, max = 1 }
  local function pair(a, b, from)
    return { { name = "DVP", x = { table.unpack(steps) }, y = a, style = "both" },
             b and { name = "EM", x = { table.unpack(steps, from or 1) }, y = { table.unpack(b, from or 1) }, style = "both", dash = 2 } or nil }
  end
  out:figure { title = "Fig. 7: CPU time versus time step.", x = x, y = { label = "CPU time (s)", log = true }, series = pair(cpu[1], cpu[2]) }
  out:figure { title = "Fig. 8: position error versus time step.", x = x, y = { label = "position error (m)", log = true }, series = pair({ table.unpack(e.dvp) }, e.em, 2) }
  local function y2(r) local y = {} for k = 1, samples + 1 do y[k] = r.q[k][5] end return y end
  out:figure { title = "Fig. 9: position coordinate y of the second mass versus time.", x = { label = "time (s)", min = 0, max = 30 }, y = { label = "y₂ (m)" },
    series = { { name = "EM and DVP, h = 0.0001", x = times(), y = y2(standard) }, { name = "DVP, h = 0.1", x = times(), y = y2(dvp[4]), dash = 2 },
               { name = "EM, h = 0.1", x = times(), y = y2(em[4]), dash = 3 } } }
  out:figure { title = "Fig. 10: energy error versus time step.", note = "EM's is round-off.", x = x, y = { label = "energy error (J)", log = true }, series = pair({ table.unpack(e.E) }) }
  out:figure { title = "Fig. 11: momentum error versus time step.", note = "EM's is round-off.", x = x, y = { label = "momentum error", log = true }, series = pair({ table.unpack(e.J) }) }
  local function series(i, key, name, dash) return { name = name, x = times(), y = { table.unpack(dvp[i][key]) }, dash = dash } end
  out:figure { title = "Fig. 12: energy and multipliers versus time, DVP.", panels = {
    { title = "energy, small steps", x = { label = "time (s)", min = 0, max = 30 }, y = { label = "energy (J)" },
      series = { series(2, "E", "h = 0.001"), series(1, "E", "h = 0.0001", 2) } },
    { title = "multipliers, h = 0.01", x = { label = "time (s)", min = 0, max = 30 }, y = { label = "multiplier" },
      series = { series(3, "rod1", "first rod"), series(3, "rod2", "second rod", 2) } },
    { title = "energy, large steps", x = { label = "time (s)", min = 0, max = 30 }, y = { label = "energy (J)" },
      series = { series(4, "E", "h = 0.1"), series(3, "E", "h = 0.01", 2) } } } }

  local slopes = { slope({ table.unpack(steps, 2) }, { table.unpack(e.dvp, 2) }), slope({ table.unpack(steps, 2) }, { table.unpack(e.em, 2) }),
                   slope({ table.unpack(steps, 2) }, { table.unpack(e.E, 2) }) }
  out:claim { id = "both second order", text = "Both simulations show a second order relationship between position error and time step.", where = "5.2",
    verdict = abs(slopes[1] - 2) < 0.06 and abs(slopes[2] - 2) < 0.06, measured = ("slopes for h = 0.001 to 0.1: DVP %.3f, EM %.3f"):format(slopes[1], slopes[2]) }
  local greater = true
  for i = 2, 4 do greater = greater and e.em[i] > e.dvp[i] end
  out:claim { id = "EM error greater", text = "The error for the EM simulation is slightly greater than the error for the DVP simulation for h ≥ 10⁻³ s.", where = "5.2",
    verdict = greater, measured = ("EM/DVP: %.3f, %.3f, %.3f at h = 0.001, 0.01, 0.1"):format(number(e.em[2]/e.dvp[2]), number(e.em[3]/e.dvp[3]), number(e.em[4]/e.dvp[4])) }
  local kept = 0
  for i = 1, 4 do kept = math.max(kept, number(against(em[i].E, number(E0))), number(against(em[i].J, number(J0)))) end
  out:claim { id = "EM exact", text = "Energy and momentum errors are zero for all time steps for the EM simulation.", where = "5.2", verdict = kept <= 5e-11,
    measured = ("largest mean error %.1e, at all four steps in double"):format(kept) }
  out:claim { id = "energy falls as square", text = "The DVP energy error appears to drop off as the square of the time step, at least for the large time steps.", where = "5.2",
    verdict = abs(slopes[3] - 2) < 0.06, measured = ("slope %.3f for h = 0.001 to 0.1; the last step down to 0.0001 divides it by %.1f"):format(slopes[3], number(e.E[2]/e.E[1])) }
  local drift = 0
  for i = 2, 4 do drift = math.max(drift, (spread(dvp[i].J))) end
  out:claim { id = "DVP momentum constant", text = "The DVP momentum is constant for the other time steps; the constant approaches the continuous momentum as the step size decreases.", where = "5.2",
    verdict = drift < (precision == "quad" and 1e-24 or 1e-9), measured = ("largest change over 30 s %.1e; constants off by %.3e, %.3e, %.3e at h = 0.1, 0.01, 0.001"):format(drift, number(e.J[4]), number(e.J[3]), number(e.J[2])) }
  local _, lo4, hi4 = spread(dvp[4].E)
  out:value("dvp.lowest", lo4, "lowest DVP energy, h = 0.1"); out:value("dvp.highest", hi4, "highest DVP energy, h = 0.1")
  local c1, c2 = abs(correlation(dvp[3].E, dvp[3].rod1)), abs(correlation(dvp[3].E, dvp[3].rod2))
  out:claim { id = "multipliers correlated", text = "The fluctuations in the multipliers are correlated to the fluctuations in energy.", where = "5.2, Fig. 12",
    verdict = math.max(c1, c2) > 0.8, measured = ("correlation at h = 0.01 over 301 samples: %.3f with the first rod's multiplier, %.3f with the second's"):format(c1, c2) }
  out:claim { id = "printed data", text = "The energy of the simulations is 24.9445 J, their momentum 199.825467 m²/s.", where = "5.2",
    verdict = abs(number(E0) - 24.9445) < 5e-4 and abs(number(J0) - 199.825467) < 5e-6,
    measured = ("the printed start has %.12f J and %.6f kg m²/s"):format(number(E0), number(J0)) }
end)
