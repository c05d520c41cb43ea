"""overhead.py N: N steps of a pendulum into an array of all columns, as overhead.c does."""
import sys

import taut

sim = taut.loads("""
local g = param('g', 9.81)
local a = point('a', 2)
lagrangian(norm2(a.dot)/2 - g*a.y)
constraint('rod', norm2(a) - 1)
start { a = {1, 0} }
""", "pendulum").simulation()
sim.run(0.01 * int(sys.argv[1]))
