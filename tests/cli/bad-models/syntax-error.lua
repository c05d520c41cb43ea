local a = point("a", 2
lagrangian(norm2(a.dot)/2)
