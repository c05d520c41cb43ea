local a = coordinate 'a'
local p = embed('p', { sin(a), 0, -cos(a) })
lagrangian(norm2(p.dot)/2 - 9.81*p.z)
start { a = 1 }
