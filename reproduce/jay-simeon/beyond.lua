-- What the paper announces: "can be used for the development of higher order methods by composition".
local model = "models/papers/jay-simeon-4.1.lua"
local y, w = { math.exp(2), math.exp(-1) }, { math.exp(2), math.exp(-1) }

local function state(z) return { z:get("y1", "y2") }, { z:get("p.y1", "p.y2") } end
local function errors(method, steps)
  local z = simulate(model, { method = method })
  z:step(1/steps, steps)
  local a, b = state(z)
  z:close()
  return norm(a, y), norm(b, w)
end

-- A step of one method from a given state.
local function step(method, s, h)
  local z = simulate(model, { method = method, set = { a = s[1], b = s[2], c = s[3], d = s[4] } })
  z:step(h)
  local out = { z:get("y1", "y2", "p.y1", "p.y2") }
  z:close()
  return out
end

item("composition", "Composition: adjoint, conjugate, RATTLE", { short = true }, function(out)
  local steps = { 20, 40, 80, 160, 320 }
  local list = { { "euler", "true" }, { "compose:euler,order=2", "adjoint ∘ true" }, { "rattle", "RATTLE with r(Ψ)" }, { "compose:euler,order=4,scheme=jump", "triple jump of adjoint ∘ true" } }
  local series, orders = {}, {}
  for i, m in ipairs(list) do
    local x, e, ez = {}, {}, {}
    for k, n in ipairs(steps) do
      local ok, a, b = pcall(errors, m[1], n)
      x[k], e[k], ez[k] = 1/n, ok and a or 0/0, ok and b or 0/0
    end
    out:value(("compose.%d.y"):format(i), e[5], ("(4.1) |e_y|, %s, N = 320"):format(m[2]))
    out:value(("compose.%d.z"):format(i), ez[5], ("(4.1) |e_z|, %s, N = 320"):format(m[2]))
    orders[i] = order(e[4], e[5], 2, 1)
    series[i] = { name = m[2], x = x, y = e, style = "both", dash = i }
  end
  -- (3.8) after (3.5), each with half the step
  local x, e = {}, {}
  for k, n in ipairs(steps) do
    local s = { 1, 1, 1, 1 }
    for _ = 1, n do s = step("euler:conjugate", step("euler", s, 0.5/n), 0.5/n) end
    x[k], e[k] = 1/n, norm({ s[1], s[2] }, y)
  end
  orders[5] = order(e[4], e[5], 2, 1)
  series[5] = { name = "(3.8) ∘ (3.5)", x = x, y = e, style = "both", dash = 3 }
  out:figure { title = "Composition on (4.1): error in y at t = 1.", note = "N steps of h = 1/N; a composed step counts as one.", x = { label = "stepsize h", log = true }, y = { label = "global error in y", log = true }, series = series }
  for i, name in ipairs { "true", "adjoint o true", "rattle", "triple jump", "conjugate o true" } do out:value("order." .. i, orders[i], "order: " .. name) end

  local there = step("euler", { 1, 1, 1, 1 }, 0.01)
  local with_adjoint, with_conjugate = step("euler:adjoint", there, -0.01), step("euler:conjugate", there, -0.01)
  local start = { 1, 1, 1, 1 }
  local a, c = norm(with_adjoint, start), norm(with_conjugate, start)
  out:value("adjoint.back", a, "a step of (3.5) with h, undone by its adjoint with −h")
  out:value("conjugate.back", c, "a step of (3.5) with h, then (3.8) with −h")
  out:claim { id = "composition", text = "The ‘true’ method can be used for the development of higher order methods by composition.", where = "5",
    verdict = abs(orders[2] - 2) < 0.1 and abs(orders[4] - 4) < 0.2 and "qualified" or false,
    measured = ("with its adjoint: order %.2f, and %.2f after a triple jump. The conjugate (3.8), the only partner that the paper gives, is not the adjoint when r is nonlinear in ψ: a step of (3.5) with h = 0.01 and one of (3.8) with −h end %.1e from the start (the adjoint: %.1e), and (3.8) ∘ (3.5) has order %.2f")
      :format(orders[2], orders[4], c, a, orders[5]) }
  out:remark "The adjoint of (3.5): Z = z<sub>0</sub> − hα r(y<sub>0</sub>, z<sub>0</sub>, Ψ) + h r(y<sub>0</sub>, z<sub>0</sub>, Ψ̃), y<sub>1</sub> = y<sub>0</sub> + h v(y<sub>1</sub>, Z), z<sub>1</sub> = Z + h f(y<sub>1</sub>, Z) + hα r(y<sub>1</sub>, z<sub>1</sub>, Ψ), with g(y<sub>1</sub>) = 0 and g<sub>y</sub>v(y<sub>1</sub>, z<sub>1</sub>) = 0. RATTLE with r(Ψ<sub>0</sub>) and r(Ψ<sub>1</sub>) of weight h/2 each is consistent and of order 2 here, the cheapest such method."
end)
