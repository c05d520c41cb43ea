-- The number of passes of a loop is a param.
local n = param("n", 3)
for i = 1, n do coordinate("x" .. i) end
