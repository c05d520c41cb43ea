-- Bodies: their shapes, places, points and kinetic energy, and the torques and forces on them.
-- What begins with a capital letter or is listed in mechanism.c is used by the other files, or by models.

refuse = inside.refuse
Bodies, Joints, Weight = {}, {}, nil           -- of the model, in the order of their declaration

-- ---- objects: what a script holds has no fields of its own, so that none can be set ----

local Real = {}                                         -- the fields

function seal(metatable, fields)
  local object = inside.set_metatable({}, metatable)
  Real[object] = fields
  return object
end

function get_field(object, key) return Real[object][key] end
function set_field(object, key, value) Real[object][key] = value end
function is_object(x, metatable) return type(x) == "table" and getmetatable(x) == metatable end

-- ---- arguments ----

symbol = inside.symbol                         -- a number as a symbol: arithmetic is then that of the widest precision

function show(x) return inside.describe(x) end

-- Refuses keys of a table of options that nothing uses.
function check_keys(options, who, allowed)
  if not inside.has_other_keys(options, allowed) then return end
  for key in pairs(options) do
    if not allowed[key] then
      local list = {}
      for name in pairs(allowed) do list[#list + 1] = name end
      refuse(who .. " has no option '" .. tostring(key) .. "'; it has " .. table.concat(list, ", "))
    end
  end
end

function set_of(text)
  local set = {}
  for name in string.gmatch(text, "%S+") do set[name] = true end
  return set
end

function get_options(options, who, allowed)
  if options == nil then options = {} end
  if type(options) ~= "table" then
    refuse(who .. " needs a table of options, got " .. show(options) .. "; write { ... } last")
  end
  check_keys(options, who, allowed)
  return options
end

-- A vector of that many components; `what` is its name in messages.
function get_vector(v, size, what)
  local found = inside.vector(v, size)
  if not found then
    refuse(what .. " needs a vector of " .. size .. ", got " .. show(v) .. "; write {" ..
           (size == 2 and "x, y" or "x, y, z") .. "}")
  end
  return found
end

is_scalar = inside.is_scalar                   -- is it a number, or a symbol?

function get_constant(x, what)
  local e = inside.constant(x)
  if not e then
    refuse(what .. " needs a number or a constant expression, got " .. show(x) .. "; check what was passed")
  end
  return e
end

function get_positive(x, what)
  local e = get_constant(x, what)
  if not (inside.value(e) > 0) then refuse(what .. " must be positive; check its value") end
  return e
end

-- Components of a constant vector as numbers, for decisions; nil when one is not constant.
function numbers(v)
  local list = {}
  for i = 1, #v do
    list[i] = inside.value(v[i])
    if list[i] == nil then return nil end
  end
  return list
end

function get_place(v, size, what)
  local place = get_vector(v, size, what)
  if not inside.is_constant(place) then
    refuse(what .. " contains coordinates or time; give numbers and parameters")
  end
  return place
end

-- ---- quaternions: vectors of 4, body to space ----

One = vector{1, 0, 0, 0}
multiply, turn, conjugate, clean = inside.product, inside.turn, inside.conjugate, inside.clean

function unit(v, what)
  local length = norm(v)
  if not (inside.value(length) > 0) then refuse(what .. " is zero; give a direction") end
  return v/length
end

local keys_of_turn = set_of "axis angle"

-- turned = {w, x, y, z} or {axis = {x, y, z}, angle = phi}
function get_turn(given, what)
  if given == nil then return One end
  if type(given) == "table" and (given.axis ~= nil or given.angle ~= nil) then
    check_keys(given, what, keys_of_turn)
    local n, half = unit(get_place(given.axis, 3, what), what), get_constant(given.angle, "the angle of " .. what)/2
    local s = sin(half)
    return vector{cos(half), s*n[1], s*n[2], s*n[3]}
  end
  local ok = (type(given) == "table" and getmetatable(given) == nil and rawlen(given) == 4) or
             (type(given) == "userdata" and show(given) == "a vector of 4")
  if not ok then
    refuse(what .. " needs a rotation, got " .. show(given) ..
           "; write {w, x, y, z}, a quaternion, or {axis = {x, y, z}, angle = phi}")
  end
  local q = vector(given)
  if not inside.is_constant(q) then refuse(what .. " contains coordinates or time; give numbers and parameters") end
  return unit(q, what)
end

-- ---- shapes ----

local Solid = {}                               -- the metatable of shapes

local sizes_of = {
  box = set_of "1 2 3", cylinder = set_of "radius length along", capsule = set_of "radius length along",
  sphere = set_of "radius", rod = set_of "length along",
}

-- A shape: the table of its sizes as symbols.
function solid(kind, given)
  if type(given) ~= "table" then
    refuse(kind .. " needs its sizes, got " .. show(given) .. "; put them in a table: " .. kind .. "{...}")
  end
  local s = inside.set_metatable({ kind = kind }, Solid)
  if kind == "box" then
    if rawlen(given) ~= 2 and rawlen(given) ~= 3 then
      refuse("box needs its sides, got " .. show(given) .. "; write box{a, b, c}, or box{a, b} in the plane")
    end
    for key in pairs(given) do
      if type(key) ~= "number" then refuse("box takes its sides as a list; write box{a, b, c}") end
    end
    for i = 1, rawlen(given) do s[i] = get_positive(given[i], "the side of a box") end
    return s
  end
  check_keys(given, kind, sizes_of[kind])
  s.along = given.along
  if s.along ~= nil and s.along ~= "x" and s.along ~= "y" and s.along ~= "z" then
    refuse("along of " .. kind .. " is none of the axes of a body; give \"x\", \"y\" or \"z\"")
  end
  for _, size in ipairs{"radius", "length"} do
    if sizes_of[kind][size] and not (size == "length" and kind == "cylinder" and given.length == nil) then
      s[size] = get_positive(given[size], "the " .. size .. " of " .. kind)
    end
  end
  return s
end
function sphere(given) return solid("sphere", given) end
function rod(given) return solid("rod", given) end

-- Volume (length of a rod), and the moments of inertia divided by the mass, in the axes of the body.
local function measure(s)
  local r, l = s.radius, s.length
  if s.kind == "box" then
    if not s[3] then refuse("a box in space has three sides; write box{a, b, c}") end
    local a, b, c = s[1]^2, s[2]^2, s[3]^2
    return s[1]*s[2]*s[3], {(b + c)/12, (a + c)/12, (a + b)/12}
  end
  if s.kind == "sphere" then return 4*pi/3*r^3, {2*r^2/5, 2*r^2/5, 2*r^2/5} end
  local volume, across, along
  if s.kind == "rod" then
    volume, across, along = l, l^2/12, symbol(0)
  elseif s.kind == "cylinder" then
    if not l then refuse("a cylinder in space needs a length; write cylinder{radius = r, length = l}") end
    volume, across, along = pi*r^2*l, (3*r^2 + l^2)/12, r^2/2
  else                                         -- a cylinder between two half spheres
    local middle, ends = pi*r^2*l, 4*pi/3*r^3
    volume = middle + ends
    across = (middle*(3*r^2 + l^2)/12 + ends*(2*r^2/5 + l^2/4 + 3*r*l/8))/volume
    along = (middle*r^2/2 + ends*2*r^2/5)/volume
  end
  local axis = s.along or "z"
  return volume, {axis == "x" and along or across, axis == "y" and along or across, axis == "z" and along or across}
end

local axis_of = { x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1} }

local function shape_in_space(b, s)
  if s.kind == "box" then return box(b.centre, {s[1], s[2], s[3]}, b.rotation) end
  if s.kind == "sphere" then return ball(b.centre, s.radius) end
  local half = vector(axis_of[s.along or "z"])*(s.length/2)
  local from, to = b:point(-half), b:point(half)
  if s.kind == "rod" then return bar(from, to) end
  return (s.kind == "cylinder" and cylinder or capsule)(from, to, s.radius)
end

-- Without a shape: the box with these moments of inertia.
local function box_of(b, m, I)
  local sides, half = {}, (I[1] + I[2] + I[3])/2
  for i = 1, 3 do sides[i] = math.sqrt(math.max(12*(half - I[i])/m, 0)) end
  return box(b.centre, sides, b.rotation)
end

-- ---- mass and inertia ----

function get_mass(o, who, volume)
  if o.density ~= nil then
    if o.mass ~= nil then refuse(who .. " has a mass and a density; give one of them") end
    if not volume then refuse(who .. " has a density, but no shape; give mass, or shape = box{...}") end
    return get_positive(o.density, "the density of " .. who)*volume
  end
  if o.mass == nil then refuse(who .. " has no mass; give mass = m, or a shape and density = rho") end
  return get_positive(o.mass, "the mass of " .. who)
end

-- Six entries xx yy zz xy xz yz (the matrix with those off the diagonal: -sum m x y) from 3, 6 or 9 numbers.
local function get_inertia(given, who)
  local what = "the inertia of " .. who
  local count = type(given) == "table" and rawlen(given) or type(given) == "userdata" and #vector(given) or 0
  if count ~= 3 and count ~= 6 and count ~= 9 then
    refuse(what .. " is three principal moments, six entries {xx, yy, zz, xy, xz, yz} or nine, row by row; got " ..
           show(given))
  end
  local e = {}
  for i = 1, count do e[i] = get_constant(given[i], what) end
  if count == 9 then
    for _, pair in ipairs{{2, 4}, {3, 7}, {6, 8}} do
      if inside.value(e[pair[1]]) ~= inside.value(e[pair[2]]) then
        refuse(what .. " is not symmetric; check the nine entries")
      end
    end
    e = {e[1], e[5], e[9], e[2], e[3], e[6]}
  end
  for i = count + 1, 6 do e[i] = e[i] or symbol(0) end
  local xx, yy, zz, xy, xz, yz = table.unpack(numbers(e))
  local size = math.max(xx, yy, zz, 0)
  local minors = {xx, yy, zz, xx*yy - xy^2, xx*zz - xz^2, yy*zz - yz^2,
                  xx*(yy*zz - yz^2) - xy*(xy*zz - yz*xz) + xz*(xy*yz - yy*xz)}
  for i, minor in ipairs(minors) do
    if minor < -1e-12*size^(i < 4 and 1 or i < 7 and 2 or 3) then
      refuse(what .. " has a negative principal moment; check the entries")
    end
  end
  for i = 1, 3 do
    if minors[i] > (xx + yy + zz - minors[i])*(1 + 1e-9) then
      refuse(what .. " is that of no body, where no moment is larger than the sum of the other two; check the entries")
    end
  end
  return e
end

-- The axis about which there is no inertia: that of a rod. False where there is some about all.
local function thin_axis(I)
  for i = 1, 3 do
    if inside.value(I[i]) == 0 then return vector{i == 1 and 1 or 0, i == 2 and 1 or 0, i == 3 and 1 or 0} end
  end
  return false
end

-- ---- bodies in space ----

local Body = {}

function is_body(x) return is_object(x, Body) or is_object(x, Body2) end

local methods = {}
function methods.point(b, at) return b.centre + turn(b.rotation, get_vector(at, 3, "point of '" .. b.name .. "'")) end
function methods.direction(b, v) return turn(b.rotation, get_vector(v, 3, "direction of '" .. b.name .. "'")) end
function methods.velocity(b, at) return b:point(at).dot end

-- 2 vec(r' conj(r)): the angular velocity in the axes of space
local function omega_space(r)
  local w = multiply(r.dot, conjugate(r))
  return vector{2*w[2], 2*w[3], 2*w[4]}
end

Body.__index = function(b, key)
  local value = Real[b][key]
  if value ~= nil then return value end
  if methods[key] then return methods[key] end
  if key == "omega" then return b.is_world and vector{0, 0, 0} or b.rotation.omega end
  if key == "omega_space" then return b.is_world and vector{0, 0, 0} or omega_space(b.rotation) end
  refuse("a body has no field '" .. tostring(key) .. "'; it has centre, rotation, mass, omega, omega_space, " ..
         "kinetic, point, direction and velocity")
end
Body.__newindex = function(b)
  refuse("fields of bodies cannot be set; give all in body(\"" .. b.name .. "\", {...})")
end
Body.__tostring = function(b) return "body " .. b.name end

world = seal(Body, { name = "world", is_world = true, dimension = 0, centre = vector{0, 0, 0}, rotation = One,
                     is_placed = true, pose = { c = vector{0, 0, 0}, q = One } })

local options_of_body = set_of "mass inertia shape density at turned velocity omega draw colour"

-- What both kinds of bodies have in common, before their coordinates are declared.
function begin_body(name, options, who, allowed)
  inside.name(name, who)
  who = who .. " '" .. name .. "'"
  local o = get_options(options, who, allowed)
  if o.shape ~= nil and getmetatable(o.shape) ~= Solid then
    refuse("the shape of " .. who .. " is " .. show(o.shape) ..
           "; give box{...}, cylinder{...}, sphere{...}, rod{...} or capsule{...}")
  end
  return o, { name = name, line = inside.line(), is_world = false }, who
end

function end_body(b, o, shape)
  Bodies[#Bodies + 1] = b
  if o.draw ~= false and shape then
    draw{ o.colour and shape:colour(o.colour) or shape }
  end
  return b
end

function body(name, options)
  local o, b, who = begin_body(name, options, "body", options_of_body)
  local volume, ratio
  if o.shape then volume, ratio = measure(o.shape) end
  local m = get_mass(o, who, volume)
  if o.inertia == nil and not ratio then refuse(who .. " has no inertia; give inertia = {x, y, z}, or a shape") end
  local I = o.inertia ~= nil and get_inertia(o.inertia, who) or get_inertia({m*ratio[1], m*ratio[2], m*ratio[3]}, who)
  b.mass, b.inertia, b.dimension = m, I, 3
  b.thin = thin_axis(I)
  b.pose = { c = o.at ~= nil and get_place(o.at, 3, "at of " .. who) or vector{0, 0, 0},
             q = get_turn(o.turned, "turned of " .. who) }
  b.is_placed = o.at ~= nil
  b.start_velocity = o.velocity ~= nil and get_place(o.velocity, 3, "velocity of " .. who)
  b.start_omega = o.omega ~= nil and get_place(o.omega, 3, "omega of " .. who)
  b.centre, b.rotation = point(name), rotation(name .. "_r")
  b = seal(Body, b)
  local w = b.rotation.omega
  local spin = (I[1]*w.x^2 + I[2]*w.y^2 + I[3]*w.z^2)/2 + I[4]*w.x*w.y + I[5]*w.x*w.z + I[6]*w.y*w.z
  set_field(b, "kinetic", m/2*norm2(b.centre.dot) + spin)
  lagrangian(b.kinetic)
  return end_body(b, o, o.draw ~= false and (o.shape and shape_in_space(b, o.shape) or
                                             box_of(b, inside.value(m), numbers{I[1], I[2], I[3]})))
end

-- ---- forces ----

function gravity(g)
  if Weight then refuse("gravity is given already (line " .. Weight.line .. "); give it once") end
  local is_vector = (type(g) == "table" and getmetatable(g) == nil) or type(g) == "userdata"
  local size = is_vector and #vector(g) or 0
  if size ~= 2 and size ~= 3 then
    refuse("gravity needs a vector, got " .. show(g) ..
           "; write gravity{0, 0, -9.81}, or gravity{0, -9.81} in the plane")
  end
  Weight = { g = vector(g), line = inside.line() }
end

local function is_in_body(axes, who)
  if axes ~= nil and axes ~= "body" and axes ~= "space" then
    refuse("the axes of " .. who .. " are " .. show(axes) .. "; give \"space\" (the default) or \"body\"")
  end
  return axes == "body"
end

local function refuse_more(who, ...)
  if select("#", ...) > 0 then refuse(who .. " has too many arguments; put the components in one table") end
end

-- torque(b, {x, y, z}, "body"); in the plane torque(b, t)
function torque(b, v, axes, ...)
  refuse_more("torque", ...)
  if is_body(b) and b.is_world then refuse("torque on the world does nothing; name a body") end
  if is_body(b) and b.dimension == 2 then
    if not is_scalar(v) then
      refuse("torque on a body in the plane is a scalar, got " .. show(v) .. "; write torque(b, t)")
    end
    return force(b.angle, v)
  end
  if not is_body(b) and not inside.is_rotation(b) then
    refuse("torque needs a body or a rotation first, got " .. show(b) .. "; write torque(b, {x, y, z})")
  end
  inside.twist(is_body(b) and b.rotation or b, get_vector(v, 3, "torque"), is_in_body(axes, "torque"))
end

-- force_at(b, place, {x, y, z}, "body"): a constant place is fixed in the body, an expression of coordinates in space
function force_at(b, place, f, axes, ...)
  refuse_more("force_at", ...)
  if not is_body(b) then
    refuse("force_at needs a body first, got " .. show(b) .. "; write force_at(b, {x, y, z}, {fx, fy, fz})")
  end
  if b.is_world then refuse("force_at on the world does nothing; name a body") end
  local at, along = get_vector(place, b.dimension, "the place of force_at"), get_vector(f, b.dimension, "force_at")
  if is_in_body(axes, "force_at") then along = b:direction(along) end
  if numbers(at) then return force(b:point(at), along) end
  force(b.centre, along)
  torque(b, cross(at - b.centre, along))
end
