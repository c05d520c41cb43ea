gravity{0, 0, -9.81}
local b = body('b', { mass = 1, inertia = {1, 1, 1}, at = {0, 0, -1} })
revolute('h', world, b, { at = {0, 0, 0}, axis = {0, 1, 0}, angle = { start = 0.3 } })
