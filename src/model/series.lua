-- Several turns and slides one after another between two bodies, as between the links of a robot that have no mass: the
-- first is about (or along) an axis of the first body, the last about one of the second. Each has a coordinate of its
-- own, and six constraints say that the second frame is where they put it.

local X, Y, Z = vector{1, 0, 0}, vector{0, 1, 0}, vector{0, 0, 1}
local letters = {"x", "y", "z"}
local keys_of_part = set_of "at axis angle slide"
keys_of_part[1] = true                         -- its name
local nothing = vector{0, 0, 0}

local function about(axis, phi)
  local s = sin(phi/2)
  return vector{cos(phi/2), s*axis[1], s*axis[2], s*axis[3]}
end

-- The turns and slides in order: name, axis and place in the axes of the first frame.
local function read_parts(j, o, who)
  local parts, seen = {}, {}
  for i, given in ipairs(o) do
    if type(given) ~= "table" then
      refuse(who .. ": turn or slide " .. i .. " is " .. show(given) ..
             "; write {\"name\", axis = {x, y, z}, angle = 0}")
    end
    check_keys(given, "turn or slide " .. i .. " of " .. who, keys_of_part)
    local name = given[1]
    inside.name(name, "series")
    local what = "'" .. name .. "' of " .. who
    if seen[name] or j[name] ~= nil or is_field_of_joint(name) then
      refuse(what .. " has a name that is taken; give another")
    end
    seen[name] = true
    if (given.angle == nil) == (given.slide == nil) then
      refuse(what .. " turns or slides; give angle = 0 (or its options), or slide = 0")
    end
    if given.axis == nil then refuse(what .. " has no axis; give axis = {x, y, z}") end
    local at = given.at ~= nil and given.at or o.at
    if at == nil then refuse(what .. " has no place; give at = {x, y, z} to it or to the joint") end
    parts[i] = { name = name, axis = unit(get_place(given.axis, 3, "the axis of " .. what), "the axis of " .. what),
                 at = get_place(at, 3, "at of " .. what), turns = given.angle ~= nil,
                 given = given.angle ~= nil and given.angle or given.slide }
  end
  if #parts == 0 then refuse(who .. " has no turn or slide; a fixed joint does that") end
  return parts
end

-- Displacement and quaternion of the second frame in the first, for these values.
local function place_of(parts)
  return function(f)
    local d, r = nothing, One
    for _, p in ipairs(parts) do
      if p.turns then
        local q = about(p.axis, f[p.name])
        if p.is_away then d = d + turn(r, p.at - turn(q, p.at)) end
        r = multiply(r, q)
      else
        d = d + turn(r, f[p.name]*p.axis)
      end
    end
    return d, r
  end
end

-- Its velocity and angular velocity: x -> d + r x, followed by x -> c + q x.
local function motion_of(parts)
  return function(f, rates)
    local r, v, w = One, nothing, nothing
    for _, p in ipairs(parts) do
      local x, rate = f[p.name], rates[p.name]
      if p.turns then
        local q = about(p.axis, x)
        local moved = turn(q, p.at)
        v = v + cross(w, turn(r, p.at - moved)) - turn(r, cross(rate*p.axis, moved))
        w = w + turn(r, rate*p.axis)
        r = multiply(r, q)
      else
        v = v + cross(w, turn(r, x*p.axis)) + turn(r, rate*p.axis)
      end
    end
    return v, w
  end
end

local function kind_of(parts)
  local kind = { freedoms = {}, angles = {}, declare = {}, place = place_of(parts), motion = motion_of(parts) }
  for i, p in ipairs(parts) do
    kind.freedoms[i], kind.angles[p.name] = p.name, p.turns
    kind.declare[p.name] = function(j, name) return coordinate(j.name .. "_" .. name) end
  end
  return kind
end

local allowed = set_of "at reactions"
for i = 1, 6 do allowed[i] = true end

function series(name, a, b, options, ...)
  if select("#", ...) > 0 then refuse("series has too many arguments; give a name, two bodies and one table") end
  local j, o, who = begin_joint("series", name, a, b, options, allowed)
  if j.dimension == 2 then refuse(who .. " joins bodies in space; in the plane one joint follows another") end
  local parts = read_parts(j, o, who)
  check_placed(a, who)
  check_placed(b, who)
  local at = o.at ~= nil and get_place(o.at, 3, "at of " .. who) or parts[1].at
  for _, p in ipairs(parts) do
    p.at = clean(p.at - at)
    p.is_away = not (inside.value(norm2(p.at)) == 0)
  end
  j.kind = kind_of(parts)
  local frames = {}
  for i, body in ipairs{a, b} do
    local back = conjugate(body.pose.q)
    frames[i] = { at = clean(turn(back, at - body.pose.c)), q = back }
  end
  j.first, j.second = frames[1], frames[2]
  j.place = b:point(j.second.at)
  j.gap = j.place - a:point(j.first.at)
  j = seal(Joint, j)
  local f, of_parts = {}, {}
  for _, p in ipairs(parts) do f[p.name], of_parts[p.name] = freedom(j, p.name), p.given end
  local d, r = j.kind.place(f)
  local is_moved = false
  for _, p in ipairs(parts) do is_moved = is_moved or p.is_away or not p.turns end
  for i, e in ipairs{X, Y, Z} do
    add_constraint(j, letters[i], is_moved and dot(j.gap, axis_in_space(j, e)) - d[i] or j.gap[i])
  end
  local p = multiply(conjugate(r), vector{relative(j, 1), relative(j, 2), relative(j, 3), relative(j, 4)})
  for i = 1, 3 do add_constraint(j, "r" .. letters[i], 2*p[i + 1]) end
  of_parts.reactions = o.reactions
  return end_joint(j, of_parts, who)
end
