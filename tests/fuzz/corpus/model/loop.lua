local s = 0
for i = 1, 3 do local x = coordinate('x' .. i) lagrangian(x.dot^2/2 - i*x^2) s = s + x end
observe('s', s)
start { x1 = 1, x2 = 0.5, x3 = 0 }
