-- A lattice of springs: its matrices are so large and so full that MUMPS factors them.
local n = option("n", 12)
local p, first = {}, {}
for i = 1, n*n*n do p[i] = point("p" .. i) end
local function at(x, y, z) return p[1 + x + n*(y + n*z)] end
for z = 0, n - 1 do
    for y = 0, n - 1 do
        for x = 0, n - 1 do
            local q = at(x, y, z)
            lagrangian(norm2(q.dot)/2)
            first["p" .. 1 + x + n*(y + n*z)] = {x + 0.01*y, y, z}
            for k = 0, 2 do
                local u, v, w = x + (k == 0 and 1 or 0), y + (k == 1 and 1 or 0), z + (k == 2 and 1 or 0)
                if u < n and v < n and w < n then lagrangian(-50*(norm(at(u, v, w) - q) - 1)^2) end
            end
        end
    end
end
start(first)
