-- Distances, rolling, and what couples the freedoms of two joints: gears and belts.

Couplings = {}

-- ---- distance ----

local options_of_distance = set_of "from to first second length reactions"

-- A place in each body: given in space, in the declared position, or in the axes of the bodies.
local function ends_of(j, o, who)
  local size = j.dimension
  if o.first ~= nil and o.second ~= nil and o.from == nil and o.to == nil then
    return get_place(o.first, size, "first of " .. who), get_place(o.second, size, "second of " .. who)
  end
  if o.from == nil or o.to == nil or o.first ~= nil or o.second ~= nil then
    refuse(who .. " has two ends; give from = {...} and to = {...}, places in space, or first = {...} and " ..
           "second = {...}, places in the axes of its bodies")
  end
  local list = {}
  for i, b in ipairs{j.a, j.b} do
    check_placed(b, who)
    local at = get_place(i == 1 and o.from or o.to, size, (i == 1 and "from of " or "to of ") .. who)
    if size == 2 then
      local pose = pose_in_plane(b)
      list[i] = clean(Turn2(-pose.q, at - pose.c))
    else
      list[i] = clean(turn(conjugate(b.pose.q), at - b.pose.c))
    end
  end
  return list[1], list[2]
end

local kind_of_distance = {
  freedoms = {}, declare = { tension = function(j) return -j.constraints[1].lambda end,
                             length = function(j) return norm(j.gap) end },
}

function distance(name, a, b, options)
  local j, o, who = begin_joint("distance", name, a, b, options, options_of_distance)
  local first, second = ends_of(j, o, who)
  j.kind, j.first, j.second = kind_of_distance, { at = first, q = One }, { at = second, q = One }
  if j.dimension == 2 then j.first.q, j.second.q = symbol(0), symbol(0) end
  local place = j.dimension == 2 and point_in_plane or function(body, at) return body:point(at) end
  j.place = place(b, second)
  j.gap = j.place - place(a, first)
  local length
  if o.length ~= nil then length = get_positive(o.length, "the length of " .. who)
  elseif o.from ~= nil then
    length = norm(vector(o.to) - vector(o.from))
    if not (inside.value(length) > 0) then refuse(who .. " has two ends at one place; a spherical joint does that") end
  else refuse(who .. " has no length; give length = l") end
  j = seal(Joint, j)
  add_constraint(j, "length", norm(j.gap) - length)
  return end_joint(j, o, who)
end

-- ---- rolling: a wheel on a straight line, or a wheel or a ball on a plane, fixed in the first body ----

local options_of_rolling = set_of "at along slide normal axis reactions"

-- x along the line, y from the line to the centre of the wheel, z = x cross y; forwards the wheel turns about -z.
local function about_minus_z(f, j)
  local half = f.slide/j.radius/2
  return vector{f.slide, j.radius, 0}, vector{cos(half), 0, 0, -sin(half)}
end

local X, Y, Z = vector{1, 0, 0}, vector{0, 1, 0}, vector{0, 0, 1}
local kind_in_space = {
  freedoms = {"slide"},
  declare = { slide = function(j, name)
                observe(j.name .. "_" .. name, j.way)
                return j.way
              end, angle = Kinds.revolute.declare.angle },
  place = about_minus_z,
  motion = function(f, r, j) return vector{r.slide, 0, 0}, vector{0, 0, -r.slide/j.radius} end,
}
local kind_in_plane = {
  freedoms = {"slide"}, declare = { slide = kind_in_space.declare.slide, angle = Kinds2.revolute.declare.angle },
  place = function(f, j) return vector{f.slide, j.side*j.radius}, -j.side*f.slide/j.radius end,
  motion = function(f, r, j) return vector{r.slide, 0}, -j.side*r.slide/j.radius end,
}

local function roll_in_plane(j, who, at, along)
  local pose, ground = j.b.pose, pose_in_plane(j.a)
  local e = unit(along, "along of " .. who)
  local radius = cross(e, pose.c - at)
  j.side = inside.value(radius) < 0 and -1 or 1
  j.kind, j.radius = kind_in_plane, j.side*radius
  local foot = at + dot(pose.c - at, e)*e
  local angle = atan2(e[2], e[1])
  j.first = { at = clean(Turn2(-ground.q, foot - ground.c)), q = angle - ground.q }
  j.second = { at = vector{0, 0}, q = angle - pose.q }
  j.place = j.b.centre
  j.gap = j.place - point_in_plane(j.a, j.first.at)
  j.way = dot(j.gap, direction_in_plane(j.a, Turn2(j.first.q, vector{1, 0})))
  j = seal(Joint, j)
  add_constraint(j, "height", dot(j.gap, direction_in_plane(j.a, Turn2(j.first.q, vector{0, 1}))) - j.side*j.radius)
  local turned = angle_of(j.b) - angle_of(j.a) + (j.second.q - j.first.q)
  add_constraint(j, "roll", j.way + j.side*j.radius*turned)
  return j
end

local function roll_in_space(j, who, at, along)
  local pose, ground = j.b.pose, j.a.pose
  local e = unit(along, "along of " .. who)
  local foot = at + dot(pose.c - at, e)*e
  local up = pose.c - foot
  j.kind, j.radius = kind_in_space, norm(up)
  local q = axes_of(cross(e, up), e, who)
  local back, turned = conjugate(ground.q), conjugate(pose.q)
  j.first = { at = clean(turn(back, foot - ground.c)), q = clean(multiply(back, q)) }
  j.second = { at = vector{0, 0, 0}, q = clean(multiply(turned, q)) }
  j.place = j.b.centre
  j.gap = j.place - j.a:point(j.first.at)
  j.way = dot(j.gap, axis_in_space(j, X))
  j = seal(Joint, j)
  add_constraint(j, "height", dot(j.gap, axis_in_space(j, Y)) - j.radius)
  add_constraint(j, "side", dot(j.gap, axis_in_space(j, Z)))
  add_constraint(j, "rx", 2*relative(j, 2))
  add_constraint(j, "ry", 2*relative(j, 3))
  add_constraint(j, "roll", j.way + j.radius*freedom(j, "angle"), j.way + j.radius*angle_between(j))
  return j
end

-- On a plane: its normal is z of the first frame; x is, in the declared position, where a wheel rolls to. The place of
-- contact is the lowest of the wheel's edge, or of the ball, and is at rest against the first body: two constraints on
-- velocities.
local kind_of_ball = { freedoms = {}, declare = {} }
local kind_of_wheel = {
  freedoms = {},
  declare = { lean = function(j) return asin(dot(j.axle, axis_in_space(j, Z))) end,
              spin = function(j) return dot(j.b.omega_space - j.a.omega_space, j.axle) end },
}

local function roll_on_plane(j, who, at, o)
  local pose, ground = j.b.pose, j.a.pose
  local n = unit(get_place(o.normal, 3, "normal of " .. who), "normal of " .. who)
  local height, axle, tilt = dot(pose.c - at, n), nil, symbol(0)
  if not (inside.value(height) > 0) then
    refuse(who .. ": the centre of '" .. j.b.name .. "' is not above the plane; turn the normal round, or move the " ..
           "body")
  end
  if o.axis ~= nil then
    axle = unit(get_place(o.axis, 3, "axis of " .. who), "axis of " .. who)
    tilt = dot(axle, n)
    if not (inside.value(tilt)^2 < 1 - 1e-12) then
      refuse(who .. ": the wheel lies on the plane; give an axis that is not along the normal")
    end
  end
  local radius = height/sqrt(1 - tilt^2)
  local foot = pose.c - height*n
  if axle then foot = pose.c - radius*(n - tilt*axle)/sqrt(1 - tilt^2) end
  local q = axes_of(n, axle and cross(axle, n), who)
  local back, turned = conjugate(ground.q), conjugate(pose.q)
  j.first = { at = clean(turn(back, foot - ground.c)), q = clean(multiply(back, q)) }
  j.second = { at = clean(turn(turned, foot - pose.c)), q = clean(multiply(turned, q)) }
  j.kind = axle and kind_of_wheel or kind_of_ball
  local up = axis_in_space(j, Z)
  local arm, above = -radius*up, radius
  if axle then
    j.axle = j.b:direction(clean(turn(turned, axle)))
    local sine = dot(j.axle, up)
    local cosine = sqrt(1 - sine^2)
    arm, above = -radius*(up - sine*j.axle)/cosine, radius*cosine
  end
  j.place = j.b.centre + arm
  j.gap = j.place - j.a:point(j.first.at)
  local slip = j.b.centre.dot + cross(j.b.omega_space, arm)
  if not j.a.is_world then slip = slip - j.a.centre.dot - cross(j.a.omega_space, j.place - j.a.centre) end
  local away = j.b.centre - j.a:point(j.first.at)
  j = seal(Joint, j)
  add_constraint(j, "height", dot(away, up) - above)
  add_grip(j, "slip_x", slip, axis_in_space(j, X))
  add_grip(j, "slip_y", slip, axis_in_space(j, Y))
  return j
end

function rolling(name, a, b, options)
  local j, o, who = begin_joint("rolling", name, a, b, options, options_of_rolling)
  if b.is_world then
    refuse(who .. ": the wheel is the second body; write rolling(\"" .. name .. "\", world, wheel, {...})")
  end
  if o.at == nil or (o.along == nil) == (o.normal == nil) then
    refuse(who .. " has no line or plane; give at = {...}, a place on it, and along = {...}, the direction of a " ..
           "line, or normal = {...} of a plane")
  end
  check_placed(a, who)
  check_placed(b, who)
  if o.normal ~= nil then
    if j.dimension == 2 then refuse(who .. " is in the plane, where a body rolls along a line; give along = {x, y}") end
    if o.slide ~= nil then refuse(who .. ": on a plane nothing slides; start with velocity and omega of the body") end
    return end_joint(roll_on_plane(j, who, get_place(o.at, 3, "at of " .. who), o), o, who)
  elseif o.axis ~= nil then
    refuse(who .. ": along a line the axle lies across it; leave axis out")
  end
  local at, along = get_place(o.at, j.dimension, "at of " .. who), get_place(o.along, j.dimension, "along of " .. who)
  local away = b.pose.c - at
  local square = norm2(away) - dot(away, along)^2/norm2(along)
  if not (inside.value(square) > 1e-20*inside.value(norm2(away))) then
    refuse(who .. ": the centre of '" .. b.name .. "' lies on the line; its distance is the radius of the wheel")
  end
  return end_joint((j.dimension == 2 and roll_in_plane or roll_in_space)(j, who, at, along), o, who)
end

-- ---- gears and belts: x2 = ratio x1 + offset ----

local Coupling = {}
Coupling.__index = function(c, key)
  local value = get_field(c, key)
  if value ~= nil then return value end
  refuse("'" .. c.name .. "' has no field '" .. tostring(key) .. "'; it has effort" ..
         (c.has_pull and " and pull" or ""))
end
Coupling.__newindex = function() refuse("fields of gears and belts cannot be set; give all when they are made") end

local function couple(type_name, name, j1, j2, ratio, o, who, radius)
  local list = {}
  for i, j in ipairs{j1 or false, j2 or false} do
    if not is_object(j, Joint) or not j.kind.freedoms[1] then
      refuse(who .. " couples two joints that turn or slide, got " .. show(j or nil) .. "; write " .. type_name ..
             "(\"" .. name .. "\", joint1, joint2, {...})")
    end
    list[i] = freedom(j, j.kind.freedoms[1])
  end
  if rawequal(j1, j2) then refuse(who .. " couples a joint with itself; name two joints") end
  local offset = get_constant(o.offset or 0, "offset of " .. who)
  local lambda = constraint(name, list[2] - ratio*list[1] - offset)
  local c = { name = name, first = j1, second = j2, ratio = ratio, offset = offset, effort = lambda,
              has_pull = radius ~= nil, line = inside.line() }
  if radius then c.pull = lambda/radius end
  Couplings[#Couplings + 1] = c
  return seal(Coupling, c)
end

local function get_pair(list, what)
  if type(list) ~= "table" or rawlen(list) ~= 2 then refuse(what .. " are two numbers; write {first, second}") end
  return get_positive(list[1], what), get_positive(list[2], what)
end

local options_of_gear, options_of_belt = set_of "ratio teeth internal radius offset", set_of "radii crossed offset"

function gear(name, j1, j2, options)
  inside.name(name, "gear")
  local who = "gear '" .. name .. "'"
  local o = get_options(options, who, options_of_gear)
  local given = (o.ratio ~= nil and 1 or 0) + (o.teeth ~= nil and 1 or 0) + (o.radius ~= nil and 1 or 0)
  if given ~= 1 then
    refuse(who .. " has no ratio, or several; give ratio = x2/x1, teeth = {z1, z2}, or radius = r of a wheel on a rack")
  end
  local ratio
  if o.teeth ~= nil then
    local z1, z2 = get_pair(o.teeth, "teeth of " .. who)
    ratio = (o.internal and 1 or -1)*z1/z2
  else
    ratio = get_constant(o.ratio ~= nil and o.ratio or o.radius, who)
  end
  return couple("gear", name, j1, j2, ratio, o, who)
end

function belt(name, j1, j2, options)
  inside.name(name, "belt")
  local who = "belt '" .. name .. "'"
  local o = get_options(options, who, options_of_belt)
  local r1, r2 = get_pair(o.radii, "radii of " .. who)
  return couple("belt", name, j1, j2, (o.crossed and -1 or 1)*r1/r2, o, who, r2)
end
