-- Theorem 1, SHAKE, and the orders of the two discrete Lagrangians.
local names = { "a.x", "a.y", "a.z", "b.x", "b.y", "b.z" }
local function position(z) return { z:get(table.unpack(names)) } end

item("theory", "Theorem 1, SHAKE, (4.1) and (4.16)", { short = true }, function(out)
  local h, worst = 0.1, {}
  local chart = simulate("models/papers/double-spherical-pendulum-chart.lua", { method = "del" })
  local points = simulate("models/double-spherical-pendulum.lua", { method = "del" })
  local most = 0
  for k = 1, 100 do
    chart:step(h); points:step(h)
    most = math.max(most, norm(position(chart), position(points)))
    if k == 10 or k == 100 then worst[k] = most end
  end
  chart:close(); points:close()
  out:value("theorem1.10", worst[10], "chart against constraints, 10 steps of 0.1")
  out:value("theorem1.100", worst[100], "chart against constraints, 100 steps of 0.1")
  out:claim { id = "theorem 1", text = "The discrete Euler–Lagrange equations in generalised coordinates and the constrained ones give the same trajectory (Theorem 1).", where = "4.2",
    verdict = worst[100] < 1e-11, measured = ("double spherical pendulum, spherical angles against constrained coordinates, h = 0.1: positions differ by %.1e after 10 steps, %.1e after 100"):format(worst[10], worst[100]) }

  local del = simulate("models/double-spherical-pendulum.lua", { method = "del" })
  local shake = simulate("models/double-spherical-pendulum.lua", { method = "shake" })
  most = 0
  for _ = 1, 300 do
    del:step(h); shake:step(h)
    most = math.max(most, norm(position(del), position(shake)))
  end
  del:close(); shake:close()
  out:value("shake", most, "DVP against SHAKE, 300 steps of 0.1")
  out:claim { id = "shake", text = "The DVP algorithm for the double spherical pendulum is the SHAKE algorithm.", where = "5.2", verdict = most < 1e-9,
    measured = ("positions differ by %.1e after 300 steps of 0.1 s, which is round-off grown by the motion. (Gravity is linear in z, so the midpoint and the trapezoidal rule coincide.)"):format(most) }

  local exact = simulate("models/papers/variable-mass-oscillator.lua", { precision = host.has("quad") and "quad" or "double" })
  exact:flow(1, 1e-14)
  local q = number(exact:get("q"))
  exact:close()
  local steps, series, orders = { 0.1, 0.05, 0.025, 0.0125, 0.00625 }, {}, {}
  for i, method in ipairs { "del", "del:left" } do
    local e = {}
    for k, h in ipairs(steps) do
      local z = simulate("models/papers/variable-mass-oscillator.lua", { method = method })
      z:run(h, 1)
      e[k] = abs(z:get("q") - q)
      z:close()
    end
    orders[i] = order(e[4], e[5], 2, 1)
    series[i] = { name = i == 1 and "(4.1), midpoint" or "(4.16), left", x = { table.unpack(steps) }, y = e, style = "both", dash = i }
  end
  out:value("order.midpoint", orders[1], "order of (4.1)"); out:value("order.left", orders[2], "order of (4.16)")
  out:figure { title = "Orders of the two discrete Lagrangians.", note = "Error in q at t = 1 for L = (1 + q²) q'²/2 − q²/2, q(0) = 1.",
    x = { label = "time step", log = true }, y = { label = "error", log = true }, series = series }
  out:claim { id = "orders", text = "(4.1) is second order accurate, (4.16) first order.", where = "4", verdict = abs(orders[1] - 2) < 0.05 and abs(orders[2] - 1) < 0.05,
    measured = ("%.3f and %.3f between the last two steps"):format(orders[1], orders[2]) }
end)
