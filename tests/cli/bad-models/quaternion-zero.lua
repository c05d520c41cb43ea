-- A quaternion that starts at zero is no rotation.
local r = rotation "r"
lagrangian(norm2(r.omega)/2)
start { r = {0, 0, 0, 0} }
