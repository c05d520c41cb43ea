-- Section 7: the chain molecule; Figs. 3 to 5.
local model = "models/chain-molecule.lua"
local N = 7

local q_names, p_names = {}, {}
for i = 1, N do
  for _, c in ipairs { "x", "y" } do
    q_names[#q_names + 1] = ("q%d.%s"):format(i, c)
    p_names[#p_names + 1] = ("p.q%d.%s"):format(i, c)
  end
end

-- 2-norms over the six constraints (41), and the angular momentum.
local function residuals(q, p)
  local phi, psi, J = 0, 0, 0
  for a = 1, N - 1 do
    local i = 2*a - 1
    local dx, dy, dpx, dpy = q[i] - q[i + 2], q[i + 1] - q[i + 3], p[i] - p[i + 2], p[i + 1] - p[i + 3]
    phi, psi = phi + ((dx*dx + dy*dy - 1)/2)^2, psi + (dx*dpx + dy*dpy)^2
  end
  for i = 1, 2*N, 2 do J = J + q[i]*p[i + 1] - q[i + 1]*p[i] end
  return sqrt(phi), sqrt(psi), J
end

local function run(method, h, steps, every, look)
  local z = simulate(model, { method = method })
  local H0 = z:get("energy")
  for k = 0, steps do
    if k > 0 then z:step(h) end
    if k % every == 0 then look(k*h, z, H0) end
  end
  z:close()
end

local function energy_history(method, h, until_)
  local t, e, worst = {}, {}, 0
  run(method, h, math.floor(until_/h + 0.5), 1, function(time, z, H0)
    local d = z:get("energy") - H0
    worst = math.max(worst, abs(d))
    t[#t + 1], e[#e + 1] = time, d
  end)
  return t, e, worst
end

item("chain", "Figs. 3–5: the chain molecule", { short = true, minutes = 0.5 }, function(out)
  local r = { t = {}, error = {}, energy = {}, phi = {}, psi = {}, J = {} }
  local exact, first
  local last = { x = {}, y = {}, curve = true, name = "an end atom" }
  exact = simulate(model, {})
  run("dirac:rk4", 0.1, 2000, 4, function(t, z, H0)
    local q, p = { z:get(table.unpack(q_names)) }, { z:get(table.unpack(p_names)) }
    local phi, psi, J = residuals(q, p)
    first = first or J
    last.x[#last.x + 1], last.y[#last.y + 1] = q[1], q[2]
    if t == 0 then return end
    local E = z:get("energy") - H0
    exact:flow(t, 1e-12)
    local eq, ep = { exact:get(table.unpack(q_names)) }, { exact:get(table.unpack(p_names)) }
    local k = #r.t + 1
    r.t[k], r.error[k], r.energy[k], r.phi[k], r.psi[k], r.J[k] = t, sqrt(norm(q, eq)^2 + norm(p, ep)^2), abs(E), phi, psi, abs(J - first)
  end)
  local H0, J0
  do
    local z = simulate(model, { method = "dirac:rk4" })
    H0, J0 = z:get("energy", "angular_momentum.z")
    out:value("H0", H0, "H0"); out:value("J0", J0, "J0")
    for _, t in ipairs { 10, 100 } do
      z:step(0.1, t == 10 and 100 or 900)
      local q, p = { z:get(table.unpack(q_names)) }, { z:get(table.unpack(p_names)) }
      local phi, psi, J = residuals(q, p)
      out:value("dE." .. t, z:get("energy") - H0, "energy error at t = " .. t)
      out:value("phi." .. t, phi, "|φ| at t = " .. t); out:value("psi." .. t, psi, "|ψ| at t = " .. t); out:value("dJ." .. t, J - J0, "angular momentum error at t = " .. t)
    end
    z:close()
  end
  out:table { title = "Runge–Kutta on the Hamilton–Dirac equations, h = 0.1", columns = { "t", "energy", "|φ|", "|ψ|", "angular momentum" },
    rows = { { "10", "dE.10", "phi.10", "psi.10", "dJ.10" }, { "100", "dE.100", "phi.100", "psi.100", "dJ.100" } } }
  exact:close()

  local hexagon = { { -1/2, math.sqrt(3)/2 }, { 1/2, math.sqrt(3)/2 }, { 1, 0 }, { 0, 0 }, { -1, 0 }, { -1/2, -math.sqrt(3)/2 }, { 1/2, -math.sqrt(3)/2 } }
  local x, y = {}, {}
  for i = 1, N do x[i], y[i] = hexagon[i][1], hexagon[i][2] end
  out:figure { title = "Fig. 3: global energy minimum and motion of an end atom.", note = "Left: the start, the chain through vertices 3, 2, 1, the centre, 4, 5, 6. Right: t = 0 … 200.", panels = {
    { x = { label = "x" }, y = { label = "y" }, equal = true, series = { { x = x, y = y, style = "both" } } },
    { x = { label = "x" }, y = { label = "y" }, equal = true, series = { last } } } }
  local function panel(what, label, colour) return { title = label, x = { label = "t", min = 0, max = 200 }, y = { label = label, log = true }, series = { { x = { table.unpack(r.t) }, y = { table.unpack(r[what]) }, colour = colour } } } end
  out:figure { title = "Fig. 4: integration and energy error (chain molecule).", panels = { panel("error", "integration error"), panel("energy", "energy error") } }
  out:figure { title = "Fig. 5: position and momentum constraint residuals (chain molecule).", panels = { panel("phi", "|φ|"), panel("psi", "|ψ|") } }
  local function growth(what)
    local m, a, b = running(r[what]), {}, {}
    for k = 1, #r.t do if r.t[k] >= 20 then a[#a + 1], b[#b + 1] = r.t[k], m[k] end end
    return slope(a, b)
  end
  local ge, gE, gp, gs = growth("error"), growth("energy"), growth("phi"), growth("psi")
  out:claim { id = "chain growth", text = "As for the pendulum, the integration error grows quadratically, all other errors about linearly.", where = "7",
    verdict = ge > 1.6 and ge < 2.4 and abs(gE - 1) < 0.3 and abs(gp - 1) < 0.3 and abs(gs - 1) < 0.3, measured = ("exponents on [20, 200]: error %.2f, energy %.2f, φ %.2f, ψ %.2f"):format(ge, gE, gp, gs) }
end)

item("midpoint", "Section 7: the implicit midpoint rule and RATTLE", { short = true, minutes = 1 }, function(out)
  local _, rk, rk_worst = energy_history("dirac:rk4", 0.1, 200)
  local t1, e1, w1 = energy_history("dirac:midpoint", 0.1, 200)
  local t2, e2, w2 = energy_history("dirac:midpoint", 0.05, 200)
  local t3, e3, w3 = energy_history("dirac:midpoint,solver=functional,tol=1e-5", 0.05, 200)
  local tr, er, wr = energy_history("rattle", 0.1, 200)
  out:value("midpoint.0.1", w1, "max |ΔE| on [0, 200], midpoint, h = 0.1"); out:value("midpoint.0.05", w2, "the same, h = 0.05")
  out:value("midpoint.loose", w3, "the same, h = 0.05, functional iteration to 1e-5")
  out:figure { title = "Energy error on [0, 200].", x = { label = "t", min = 0, max = 200 }, y = { label = "H − H(0)" },
    series = { { name = "RK4, h = 0.1", x = { table.unpack(t1) }, y = rk }, { name = "midpoint, h = 0.1", x = t1, y = e1 }, { name = "midpoint, h = 0.05", x = t2, y = e2 },
               { name = "midpoint, h = 0.05, loose iteration", x = t3, y = e3 }, { name = "RATTLE, h = 0.1", x = tr, y = er } } }
  local worst_phi = 0
  run("dirac:midpoint", 0.1, 2000, 10, function(_, z) local a, b = z:get("constraint", "velocity_constraint") worst_phi = math.max(worst_phi, a, b) end)
  out:value("midpoint.residual", worst_phi, "largest residual on [0, 200], midpoint")
  out:claim { id = "midpoint energy", text = "The implicit midpoint rule conserved the energy for the same step size better by almost an order of magnitude.", where = "7", verdict = w1 < rk_worst/5 and true or w1 < rk_worst and "qualified" or false,
    measured = ("largest error on [0, 200], h = 0.1, equations solved to round-off: midpoint %.3e, RK4 %.3e: %.1f times"):format(w1, rk_worst, rk_worst/w1) }
  out:claim { id = "midpoint halved", text = "If the step size is halved, the energy error becomes smaller by more than an order of magnitude and remains almost constant about 10⁻⁴.", where = "7", verdict = w1/w2 > 10,
    measured = ("h = 0.05: %.3e, %.2f times smaller: plain h². The paper's loose iteration (tolerance 1e-5) gives %.3e at h = 0.05, an accident of unsolved equations"):format(w2, w1/w2, w3) }
  out:claim { id = "midpoint residuals", text = "The implicit midpoint rule preserves quadratic first integrals; the constraints are such for the Hamilton–Dirac equations.", where = "7", verdict = worst_phi < 1e-12,
    measured = ("largest residual of φ and ψ over 2000 steps: %.1e. (The energy, which the text also counts, is not quadratic: Lennard–Jones.)"):format(worst_phi) }
  local half = 0
  for k = 1, #er do if tr[k] <= 100 then half = math.max(half, abs(er[k])) end end
  out:claim { id = "rattle", text = "With RATTLE the energy error remains more or less constant over the full interval [0, 200].", where = "7 (Leimkuhler and Skeel)", verdict = wr < 1.5*half,
    measured = ("largest on [0, 100] %.3e, on [0, 200] %.3e"):format(half, wr) }
  -- Means over quarters of [0, 2000].
  local means = { 0, 0, 0, 0 }
  local z = simulate(model, { method = "dirac:midpoint" })
  local H0, per = z:get("energy"), out.brief and 2500 or 5000
  for part = 1, 4 do
    for _ = 1, per do
      z:step(0.1)
      means[part] = means[part] + (z:get("energy") - H0)/per
    end
  end
  z:close()
  local drifts = means[1] > means[2] and means[2] > means[3] and means[3] > means[4]
  out:claim { id = "midpoint symplectic", text = "The higher the precision with which the equations are solved, the more the implicit midpoint rule behaves like a true symplectic integrator for the Dirac bracket.", where = "7", verdict = not drifts,
    measured = ("solved to round-off, the mean energy error of the quarters of [0, %d] is %.2e, %.2e, %.2e, %.2e: a steady drift. The Dirac bracket is not constant in these coordinates; a canonical method is not symplectic for it"):format(4*per/10, table.unpack(means)) }
end)
