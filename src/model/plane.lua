-- Bodies in the plane: a point with two coordinates and an angle.

Body2 = {}

local function turn2(angle, v)
  local c, s = cos(angle), sin(angle)
  return vector{c*v[1] - s*v[2], s*v[1] + c*v[2]}
end

local methods = {}
function methods.point(b, at) return b.centre + turn2(b.angle, get_vector(at, 2, "point of '" .. b.name .. "'")) end
function methods.direction(b, v) return turn2(b.angle, get_vector(v, 2, "direction of '" .. b.name .. "'")) end
function methods.velocity(b, at) return b:point(at).dot end

Body2.__index = function(b, key)
  local value = get_field(b, key)
  if value ~= nil then return value end
  if methods[key] then return methods[key] end
  if key == "omega" then return b.angle.dot end
  refuse("a body in the plane has no field '" .. tostring(key) .. "'; it has centre, angle, mass, omega, kinetic, " ..
         "point, direction and velocity")
end
Body2.__newindex = function(b)
  refuse("fields of bodies cannot be set; give all in body2(\"" .. b.name .. "\", {...})")
end
Body2.__tostring = function(b) return "body2 " .. b.name end

-- Area (length of a rod), and the moment of inertia divided by the mass.
local function measure(s)
  local r, l = s.radius, s.length
  if s.along == "z" then refuse("a body in the plane has no z; it lies along \"x\" or \"y\"") end
  if s.kind == "box" then
    if s[3] then refuse("a box in the plane has two sides; write box{a, b}") end
    return s[1]*s[2], (s[1]^2 + s[2]^2)/12
  end
  if s.kind == "rod" then return l, l^2/12 end
  if s.kind ~= "capsule" then return pi*r^2, r^2/2 end
  local middle, ends = 2*r*l, pi*r^2           -- a rectangle between two half discs
  return middle + ends, (middle*(4*r^2 + l^2)/12 + ends*(r^2/2 + l^2/4 + 4*r*l/(3*pi)))/(middle + ends)
end

local function shape_in_plane(b, s)
  if s.kind == "box" then return box(b.centre, {s[1], s[2]}, b.angle) end
  if s.kind == "sphere" or s.kind == "cylinder" then return disc(b.centre, s.radius, b.angle) end
  local half = vector(s.along == "y" and {0, 1} or {1, 0})*(s.length/2)
  local from, to = b:point(-half), b:point(half)
  if s.kind == "rod" then return bar(from, to) end
  return capsule(from, to, s.radius)
end

local options_of_body = set_of "mass inertia shape density at turned velocity omega draw colour"

function body2(name, options)
  local o, b, who = begin_body(name, options, "body2", options_of_body)
  local area, ratio
  if o.shape then area, ratio = measure(o.shape) end
  local m = get_mass(o, who, area)
  if o.inertia == nil and not ratio then refuse(who .. " has no inertia; give inertia = I, or a shape") end
  local I = o.inertia ~= nil and get_constant(o.inertia, "the inertia of " .. who) or m*ratio
  if inside.value(I) < 0 then refuse("the inertia of " .. who .. " is negative; check its value") end
  b.mass, b.inertia, b.dimension = m, I, 2
  b.pose = { c = o.at ~= nil and get_place(o.at, 2, "at of " .. who) or vector{0, 0},
             q = o.turned ~= nil and get_constant(o.turned, "turned of " .. who) or symbol(0) }
  b.is_placed = o.at ~= nil
  b.start_velocity = o.velocity ~= nil and get_place(o.velocity, 2, "velocity of " .. who)
  b.start_omega = o.omega ~= nil and get_constant(o.omega, "omega of " .. who)
  b.centre, b.angle = point(name, 2), coordinate(name .. "_angle")
  b = seal(Body2, b)
  set_field(b, "kinetic", m/2*norm2(b.centre.dot) + I/2*b.angle.dot^2)
  lagrangian(b.kinetic)
  local side = 0
  if not o.shape then side = math.sqrt(6*inside.value(I)/inside.value(m)) end
  return end_body(b, o, o.draw ~= false and (o.shape and shape_in_plane(b, o.shape) or
                                             box(b.centre, {side, side}, b.angle)))
end

-- ---- places in the plane; the world has both kinds ----

function point_in_plane(b, at) return b.is_world and at or b:point(at) end
function direction_in_plane(b, v) return b.is_world and v or b:direction(v) end
function angle_of(b) return b.is_world and symbol(0) or b.angle end
function pose_in_plane(b) return b.is_world and { c = vector{0, 0}, q = symbol(0) } or b.pose end
Turn2 = turn2
