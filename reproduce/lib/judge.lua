-- What was computed against what was published and what was settled since. An expectation is a table of texts and a band:
--   published   as printed in the paper          reference   settled by an independent program
--   digits = n  one unit of the n-th digit of the reference (of the published value, where there is no reference)
--   within = x  relative; near = x: absolute; most = x: an upper limit; least = x: a lower one
--   timing      shown, never judged
local judge = {}

-- Significant digits of a number as printed.
function judge.digits(s)
  local mantissa = s:match("^[-+]?([%d%.]*)"):gsub("%.", "")
  mantissa = mantissa:gsub("^0+", "")
  return math.max(#mantissa, 1)
end

local function exponent(x) return math.floor(math.log(number(abs(x)), 10) + 1e-12) end

-- To how many digits of the printed text the computed value agrees, when rounded.
function judge.agreement(computed, printed)
  local r = wide(printed)
  local n = judge.digits(printed)
  if r == wide(0) then return number(computed) == 0 and n or 0, n end
  local difference = number(abs(computed - r))
  for k = n, 1, -1 do
    if difference <= 0.5000001*10.0^(exponent(r) + 1 - k) then return k, n end
  end
  return 0, n
end

local function band(e, computed)
  local target = e.reference or e.published
  local r = target and wide(target)
  if e.most then return computed <= wide(e.most), ("at most %g"):format(e.most) end
  if e.least then return computed >= wide(e.least), ("at least %g"):format(e.least) end
  if e.near then return abs(computed - r) <= wide(e.near), ("± %g"):format(e.near) end
  if e.within then return abs(computed - r) <= abs(r)*wide(e.within), ("± %g %%"):format(100*e.within) end
  local n = e.digits or judge.digits(target)
  return number(abs(computed - r)) <= 1.0001*10.0^(exponent(r) + 1 - n), ("%d digits"):format(n)
end

-- value: { text, id }; e: the expectation or nil. Returns what is shown.
function judge.value(value, e)
  local out = { id = value.id, note = value.note, computed = value.text, verdict = "shown", ok = true }
  if not e then return out end
  out.published, out.reference, out.why, out.where = e.published, e.reference, e.why, e.where
  local c = wide(value.text)
  if e.timing then
    out.timing, out.verdict = true, "timing"
    return out
  end
  out.ok, out.band = band(e, c)
  if c ~= c then out.ok = false end
  local limit = e.most or e.least                                  -- digits of a round-off mean nothing
  if e.reference and not limit then out.reference_digits, out.reference_of = judge.agreement(c, e.reference) end
  if e.published and not limit and e.published:match("^[-+]?%d") then out.published_digits, out.published_of = judge.agreement(c, e.published) end
  if not out.ok then out.verdict = "LEAVES ITS BAND (" .. out.band .. ")"
  elseif out.reference_of then out.verdict = ("%d/%d digits"):format(out.reference_digits, out.reference_of)
  elseif out.published_of then out.verdict = ("%d/%d digits"):format(out.published_digits, out.published_of)
  else out.verdict = out.band end
  return out
end

-- A computed value with as many digits as what it stands beside.
function judge.shown(row)
  local n = 4
  if row.reference then n = math.max(n, judge.digits(row.reference)) end
  if row.published and row.published:match("^[-+]?%d") then n = math.max(n, judge.digits(row.published)) end
  if (row.band or ""):match("^at most") then n = 2 end
  local x = number(wide(row.computed))
  local template = row.reference or row.published or ""
  if x == math.floor(x) and abs(x) < 1e6 and not template:match("[%.e]") then return ("%d"):format(x) end
  if template:match("e") or (x ~= 0 and (abs(x) < 1e-3 or abs(x) >= 1e7)) then
    local s = n > 16 and text(wide(row.computed), n) or ("%." .. (n - 1) .. "e"):format(x)
    return (s:gsub("e([-+])0*(%d)", function(sign, d) return "e" .. (sign == "-" and "-" or "") .. d end))
  end
  return text(wide(row.computed), n)
end

return judge
