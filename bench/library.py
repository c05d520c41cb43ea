"""N steps of 0.001 by the Python package, as library.c takes them. usage: library.py MODE N MODEL

MODE: rows (all columns of every step in an array), columns (t and the positions), step, or positions (read after it).
"""
import sys

import taut

mode, steps, model = sys.argv[1], int(sys.argv[2]), sys.argv[3]
simulation = taut.load(model).simulation()
if mode == "rows":
    simulation.run(0.001*steps, 0.001)
elif mode == "columns":
    simulation.run(0.001*steps, 0.001, columns=["a", "b"])
else:
    for _ in range(steps):
        simulation.step(0.001)
        if mode == "positions":
            simulation.q
