-- Section 2: Dirac's algorithm on the two examples, by `taut check`.
local function check(model)
  local function quoted(s) return "'" .. s:gsub("'", "'\\''") .. "'" end
  local pipe = assert(io.popen(quoted(host.program) .. " check " .. quoted(host.root .. "/" .. model) .. " 2>/dev/null"))
  local text = pipe:read("a")
  pipe:close()
  return text
end

item("algorithm", "Section 2: Dirac's algorithm", { short = true }, function(out)
  local second, first = check("models/papers/dirac-second-class.lua"), check("models/papers/dirac-first-class.lua")
  local function constraints(text)
    local list = {}
    for level, chi, class in text:gmatch("(%a+)%s+chi%d+ = ([^\n]-)%s+(%a+) class") do list[#list + 1] = ("%s %s, %s class"):format(level, chi, class) end
    return table.concat(list, "; ")
  end
  local a, b = constraints(second), constraints(first)
  local u = second:match("u1 = ([^\n]+)") or "?"
  out:claim { id = "second class", text = "For L = ½ q₁'² − V(q₁, q₂): p₂ is a primary constraint, −∂V/∂q₂ a secondary one, both second class, and the multiplier is determined.", where = "2",
    verdict = a == "primary p.q2, second class; secondary q1^2 - q2, second class" and u == "2*q1*p.q1",
    measured = ("with V = q₁²/2 + (q₂ − q₁²)²/2, taut check finds: %s; u = %s, which is −p₁ V_{q₁q₂}/V_{q₂q₂}"):format(a, u) }
  out:claim { id = "first class", text = "For (12): p₃ is a primary, q₂p₁ − q₁p₂ a secondary constraint, both first class.", where = "2",
    verdict = b == "primary p.q3, first class; secondary p.q2*q1 - p.q1*q2, first class", measured = ("with the lost dots put back, taut check finds: %s; one arbitrary function of time"):format(b) }
end)
