local x, y = coordinate 'x', coordinate 'y'
hamiltonian(momentum(x)^2/2 + x^2*y)
constraint('c', momentum(y) - x)
start { x = 1 }
