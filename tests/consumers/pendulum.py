"""The same program in Python."""
import math

import taut

simulation = taut.loads("""
local a = point('a', 2)
lagrangian(norm2(a.dot)/2 - 9.81*a.y)
constraint('rod', norm2(a) - 1)
start { a = {1, 0} }
""", "pendulum").simulation()
run = simulation.run(1, 0.01)
x, y = run["a"][-1]
assert run["a"].shape == (101, 2)
assert abs(run.energy[-1]) < 1e-3 and abs(math.hypot(x, y) - 1) < 1e-12
print(f"x = {x:.6f}  y = {y:.6f}")
