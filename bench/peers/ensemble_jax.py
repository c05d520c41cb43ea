#!/usr/bin/env python3
"""J4 in JAX: the hand-written RATTLE and energy-momentum steps of dsp_kernel.h, vmap over members, a loop over steps.
Usage: ensemble_jax.py rattle|energy H COPIES STEPS"""
import sys
import time

import jax

jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp  # noqa: E402

M1, M2, LA, LB, GR = 2.0, 3.5, 16.0, 9.0, 9.81
KAP = 1 + M1 / M2


def rattle(s, h):
    a, b, u, w, s1, s2 = s
    c, hg = 0.5 * h * h / M1, 0.5 * h * GR
    x, y = c * s1, c * s2
    ez = jnp.array([0.0, 0.0, 1.0])
    p, r = a + h * u - h * hg * ez, b + h * w
    ab, pp, rr = a @ b, p @ p - LA, r @ r - LB
    pa, pb, ra, rb = p @ a, p @ b, r @ a, KAP * (r @ b)
    for _ in range(2):
        f1x, f1y = pa + x * LA - y * ab, y * LB - pb - x * ab
        f2x, f2y = x * LA - ra - KAP * y * ab, rb - KAP * x * ab + KAP * KAP * y * LB
        f1, f2 = 0.5 * (pp + x * (pa + f1x) + y * (f1y - pb)), 0.5 * (rr + x * (f2x - ra) + y * (f2y + rb))
        d = 1 / (f1x * f2y - f1y * f2x)
        x, y = x - (f1 * f2y - f2 * f1y) * d, y - (f1x * f2 - f2x * f1) * d
    da, db = x * a - y * b, KAP * y * b - x * a
    u, w = u + da / h - 2 * hg * ez, w + db / h
    a, b = p + da, r + db
    ab = a @ b
    r1, r2, d = a @ u, b @ w, 1 / (KAP * LA * LB - ab * ab)
    xi, et = -(KAP * LB * r1 + ab * r2) * d, -(ab * r1 + LA * r2) * d
    return a, b, u + xi * a - et * b, w - xi * a + KAP * et * b, x / c, y / c


def main():
    method, h, copies, steps = sys.argv[1], float(sys.argv[2]), int(float(sys.argv[3])), int(float(sys.argv[4]))
    if method != "rattle":
        sys.exit("rattle alone")
    f = 1 - 0.25 * jnp.arange(copies) / copies
    a, b = jnp.array([2.820, 0.025, -2.8366864]), jnp.array([2.265, 0.08, -1.9674421])
    u, w = jnp.array([3.381, 2.506, 3.3832]), jnp.array([-0.884, 7.989, -1.1603])
    start = (jnp.tile(a, (copies, 1)), jnp.tile(b, (copies, 1)), f[:, None] * u, f[:, None] * w,
             jnp.zeros(copies), jnp.zeros(copies))
    many = jax.jit(jax.vmap(lambda s: jax.lax.scan(lambda x, _: (rattle(x, h), None), s, None, length=steps)[0]))
    jax.block_until_ready(many(start))
    best = 1e30
    for _ in range(3):
        begin = time.perf_counter()
        jax.block_until_ready(many(start))
        best = min(best, time.perf_counter() - begin)
    print(f"jax {method} on {jax.devices()[0]} copies={copies} steps={steps} ps/member/step={1e12 * best / copies / steps:.5g}")


main()
