-- A panel of a figure as SVG. Colours are classes c1..c8 of the page's style, so that light and dark are its matter.
local plot = {}

local W, H, LEFT, RIGHT, TOP, BOTTOM = 460, 310, 64, 22, 14, 46

local function escape(s) return (tostring(s):gsub("&", "&amp;"):gsub("<", "&lt;"):gsub(">", "&gt;")) end
plot.escape = escape

-- ---- ranges and ticks ----

local function usable(v, axis) return v == v and v ~= math.huge and v ~= -math.huge and (not axis.log or v > 0) end

local function range(axis, series, key)
  local lo, hi = axis.min, axis.max
  local least, most = math.huge, -math.huge
  for _, s in ipairs(series) do
    for _, v in ipairs(s[key]) do if usable(v, axis) then least, most = math.min(least, v), math.max(most, v) end end
  end
  if least > most then least, most = axis.log and 0.1 or 0, 1 end
  if axis.log then
    lo = lo or 10.0^(math.floor(math.log(least, 10) + 1e-9))
    hi = hi or 10.0^(math.ceil(math.log(most, 10) - 1e-9))
    if hi <= lo then hi = lo*10 end
  else
    local room = most > least and 0.04*(most - least) or math.max(abs(most)*0.1, 1e-300)
    lo, hi = lo or least - room, hi or most + room
  end
  return lo, hi
end

local function nice_step(span)
  local raw = span/5
  local power = 10.0^math.floor(math.log(raw, 10))
  for _, f in ipairs { 1, 2, 5, 10 } do if raw <= f*power*1.0001 then return f*power end end
end

local function ticks(axis, lo, hi)
  local major, minor = {}, {}
  if axis.log then
    local a, b = math.ceil(math.log(lo, 10) - 1e-9), math.floor(math.log(hi, 10) + 1e-9)
    local stride = math.max(1, math.ceil((b - a)/7))
    for k = a, b do
      local list = (k - a) % stride == 0 and major or minor
      list[#list + 1] = 10.0^k
    end
    if b - a <= 2 then
      for k = a - 1, b do for f = 2, 9 do
        local v = f*10.0^k
        if v > lo and v < hi then minor[#minor + 1] = v end
      end end
    end
    if #major < 2 then -- less than a decade: 1, 2, 5, or the ends
      major, minor = {}, {}
      for k = a - 1, b do for _, f in ipairs { 1, 2, 5 } do
        local v = f*10.0^k
        if v >= lo*0.9999 and v <= hi*1.0001 then major[#major + 1] = v end
      end end
      if #major < 2 then major = { lo, hi } end
    end
  else
    local step = nice_step(hi - lo)
    for k = math.ceil(lo/step - 1e-9), math.floor(hi/step + 1e-9) do major[#major + 1] = k*step end
  end
  return major, minor
end

local function tick_label(v, axis)
  local k = math.log(abs(v), 10)
  if axis.log and abs(k - math.floor(k + 0.5)) < 1e-9 then
    k = math.floor(k + 0.5)
    if k >= -1 and k <= 2 then return ("%g"):format(10.0^k) end
    return ('10<tspan dy="-5" class="up">%s</tspan>'):format((("%d"):format(k):gsub("-", "−")))
  end
  if abs(v) < 1e-300 then return "0" end
  local s = ("%.6g"):format(v)
  if abs(v) < 1e-3 or abs(v) >= 1e5 then
    local m, e = ("%.3e"):format(v):match("^([^e]+)e(.+)$")
    m = m:gsub("%.?0+$", "")
    return ('%s·10<tspan dy="-5" class="up">%s</tspan>'):format((m:gsub("-", "−")), (("%d"):format(tonumber(e)):gsub("-", "−")))
  end
  return (s:gsub("-", "−"))
end

-- ---- series ----

-- A long line keeps its envelope: first, least, most, last of every stretch.
local function thin(xs, ys)
  local most = 1600
  if #xs <= most then return xs, ys end
  local px, py, size = {}, {}, math.ceil(#xs/(most/4))
  for from = 1, #xs, size do
    local to, low, high = math.min(from + size - 1, #xs), from, from
    for i = from, to do
      if ys[i] < ys[low] then low = i end
      if ys[i] > ys[high] then high = i end
    end
    local keep = { from, low, high, to }
    table.sort(keep)
    for n, i in ipairs(keep) do
      if n == 1 or i ~= keep[n - 1] then px[#px + 1], py[#py + 1] = xs[i], ys[i] end
    end
  end
  return px, py
end

local dashes = { "", "7 3", "2 3", "8 3 2 3", "4 2", "10 4", "1 3", "6 2 1 2" }

local function mark(k, x, y)
  local r = 3.4
  local shape = (k - 1) % 4
  if shape == 0 then return ('<circle cx="%.1f" cy="%.1f" r="%.1f"/>'):format(x, y, r) end
  if shape == 1 then return ('<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>'):format(x - r, y - r, 2*r, 2*r) end
  if shape == 2 then return ('<path d="M%.1f %.1fl%.1f %.1fh%.1fz"/>'):format(x, y - r - 1, r + 1, 2*r + 1, -2*(r + 1)) end
  return ('<path d="M%.1f %.1fl%.1f %.1fl%.1f %.1fl%.1f %.1fz"/>'):format(x, y - r - 1.2, r + 1, r + 1.2, -(r + 1), r + 1.2, -(r + 1), -(r + 1.2))
end

local function colour(s, k) return s.colour or (k - 1) % 8 + 1 end

local function draw(out, s, k, axes, X, Y)
  local style = s.style or "line"
  local xs, ys = s.x, s.y
  if style == "line" and not s.curve then xs, ys = thin(xs, ys) end
  local c = colour(s, k)
  if style ~= "points" then
    local path, pen = {}, false
    for i = 1, #xs do
      if usable(xs[i], axes.x) and usable(ys[i], axes.y) then
        path[#path + 1] = ("%s%.1f %.1f"):format(pen and "L" or "M", X(xs[i]), Y(ys[i]))
        pen = true
      else
        pen = false
      end
    end
    local dash = dashes[s.dash or (style == "both" and 1 or 1)]
    out[#out + 1] = ('<path class="line c%d" d="%s"%s/>'):format(c, table.concat(path), dash ~= "" and (' stroke-dasharray="%s"'):format(dash) or "")
  end
  if style ~= "line" then
    out[#out + 1] = ('<g class="mark c%d">'):format(c)
    for i = 1, #xs do
      if usable(xs[i], axes.x) and usable(ys[i], axes.y) then out[#out + 1] = mark(k, X(xs[i]), Y(ys[i])) end
    end
    out[#out + 1] = "</g>"
  end
end

-- ---- a panel ----

local function frame(out, panel, x0, x1, y0, y1, X, Y)
  local xm, xn = ticks(panel.x, x0, x1)
  local ym, yn = ticks(panel.y, y0, y1)
  local lines, texts = {}, {}
  for _, v in ipairs(xn) do lines[#lines + 1] = ('<path class="minor" d="M%.1f %dV%d"/>'):format(X(v), TOP, H - BOTTOM) end
  for _, v in ipairs(yn) do lines[#lines + 1] = ('<path class="minor" d="M%d %.1fH%d"/>'):format(LEFT, Y(v), W - RIGHT) end
  for _, v in ipairs(xm) do
    lines[#lines + 1] = ('<path class="grid" d="M%.1f %dV%d"/>'):format(X(v), TOP, H - BOTTOM)
    texts[#texts + 1] = ('<text x="%.1f" y="%d" text-anchor="middle">%s</text>'):format(X(v), H - BOTTOM + 17, tick_label(v, panel.x))
  end
  for _, v in ipairs(ym) do
    lines[#lines + 1] = ('<path class="grid" d="M%d %.1fH%d"/>'):format(LEFT, Y(v), W - RIGHT)
    texts[#texts + 1] = ('<text x="%d" y="%.1f" text-anchor="end">%s</text>'):format(LEFT - 7, Y(v) + 4, tick_label(v, panel.y))
  end
  out[#out + 1] = table.concat(lines) .. ('<rect class="frame" x="%d" y="%d" width="%d" height="%d"/>'):format(LEFT, TOP, W - LEFT - RIGHT, H - TOP - BOTTOM)
  out[#out + 1] = table.concat(texts)
  out[#out + 1] = ('<text class="label" x="%.0f" y="%d" text-anchor="middle">%s</text>'):format((LEFT + W - RIGHT)/2, H - 8, escape(panel.x.label or ""))
  out[#out + 1] = ('<text class="label" transform="translate(14 %.0f) rotate(-90)" text-anchor="middle">%s</text>'):format((TOP + H - BOTTOM)/2, escape(panel.y.label or ""))
end

local clips = 0

function plot.panel(panel)
  local x0, x1 = range(panel.x, panel.series, "x")
  local y0, y1 = range(panel.y, panel.series, "y")
  if panel.equal then                                            -- the same scale both ways
    local w, h = W - LEFT - RIGHT, H - TOP - BOTTOM
    local scale = math.max((x1 - x0)/w, (y1 - y0)/h)
    local cx, cy = (x0 + x1)/2, (y0 + y1)/2
    x0, x1, y0, y1 = cx - scale*w/2, cx + scale*w/2, cy - scale*h/2, cy + scale*h/2
  end
  local function map(axis, lo, hi, a, b)
    if axis.log then
      local l, s = math.log(lo), math.log(hi/lo)
      return function(v) return a + (b - a)*(math.log(v) - l)/s end
    end
    return function(v) return a + (b - a)*(v - lo)/(hi - lo) end
  end
  local X, Y = map(panel.x, x0, x1, LEFT, W - RIGHT), map(panel.y, y0, y1, H - BOTTOM, TOP)
  clips = clips + 1
  local out = { ('<svg viewBox="0 0 %d %d" role="img" aria-label="%s">'):format(W, H, escape(panel.title or panel.y.label or "")) }
  frame(out, panel, x0, x1, y0, y1, X, Y)
  out[#out + 1] = ('<clipPath id="clip%d"><rect x="%d" y="%d" width="%d" height="%d"/></clipPath><g clip-path="url(#clip%d)">'):format(
    clips, LEFT - 4, TOP - 4, W - LEFT - RIGHT + 8, H - TOP - BOTTOM + 8, clips)
  for k, s in ipairs(panel.series) do draw(out, s, k, panel, X, Y) end
  out[#out + 1] = "</g></svg>"
  return table.concat(out)
end

-- The legend as a list beside the drawing.
function plot.legend(panel)
  local out = {}
  for k, s in ipairs(panel.series) do
    if s.name then
      local style, c = s.style or "line", colour(s, k)
      local dash = dashes[s.dash or 1]
      local swatch = style == "points" and "" or ('<path class="line c%d" d="M1 7H27"%s/>'):format(c, dash ~= "" and (' stroke-dasharray="%s"'):format(dash) or "")
      if style ~= "line" then swatch = swatch .. ('<g class="mark c%d">%s</g>'):format(c, mark(k, 14, 7)) end
      out[#out + 1] = ('<li><svg viewBox="0 0 28 14" width="28" height="14" aria-hidden="true">%s</svg>%s</li>'):format(swatch, escape(s.name))
    end
  end
  return #out > 0 and '<ul class="legend">' .. table.concat(out) .. "</ul>" or ""
end

return plot
