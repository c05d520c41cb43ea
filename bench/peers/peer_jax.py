"""J4 in JAX: independent double spherical pendula, the RATTLE and energy-momentum steps of dsp_kernel.h written for
`vmap` and `scan`, in double precision on whatever device JAX finds.

Usage: peer_jax.py rattle|energy H MEMBERS STEPS [ROUNDS]

Two Newton iterations and the multipliers of the last step as first guess, as in dsp_kernel.h. Prints picoseconds per
member and step (the best of the rounds, compilation left out), the seconds that compilation took, and the worst error
of a bar's length and of the energy."""
import sys
import time

import jax

jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp  # noqa: E402  (after the setting of the precision)

M1, M2, LA, LB, GRAVITY = 2.0, 3.5, 16.0, 9.0, 9.81
K = 1 + M1 / M2
EZ = jnp.array([0.0, 0.0, 1.0])


def rattle(state, h):
    a, b, u, w, s1, s2 = state
    c = 0.5 * h * h / M1
    p, r = a + h * u - 0.5 * h * h * GRAVITY * EZ, b + h * w
    x, y = c * s1, c * s2
    ab, pp, rr = a @ b, p @ p - LA, r @ r - LB
    pa, pb, ra, rb = p @ a, p @ b, r @ a, K * (r @ b)
    for _ in range(2):
        f1x, f1y = pa + x * LA - y * ab, y * LB - pb - x * ab
        f2x, f2y = x * LA - ra - K * y * ab, rb - K * x * ab + K * K * y * LB
        f1 = 0.5 * (pp + x * (pa + f1x) + y * (f1y - pb))
        f2 = 0.5 * (rr + x * (f2x - ra) + y * (f2y + rb))
        over = 1 / (f1x * f2y - f1y * f2x)
        x, y = x - (f1 * f2y - f2 * f1y) * over, y - (f1x * f2 - f2x * f1) * over
    da, db = x * a - y * b, K * y * b - x * a
    u, w = u + da / h - h * GRAVITY * EZ, w + db / h
    a, b = p + da, r + db
    ab, r1, r2 = a @ b, a @ u, b @ w
    over = 1 / (K * LA * LB - ab * ab)
    xi, eta = -(K * LB * r1 + ab * r2) * over, -(ab * r1 + LA * r2) * over
    return a, b, u + xi * a - eta * b, w - xi * a + K * eta * b, x / c, y / c


def energy_momentum(state, h):
    a, b, u, w, s1, s2 = state
    c = 0.25 * h * h / M1
    A, B = a + 0.5 * h * u - 0.25 * h * h * GRAVITY * EZ, b + 0.5 * h * w
    x, y = c * s1, c * s2
    AA, AB, BB, Aa, Ba, Ab, Bb = A @ A, A @ B, B @ B, A @ a, B @ a, A @ b, B @ b
    c1, c2 = 0.25 * (a @ a - LA), 0.25 * (b @ b - LB)
    for _ in range(2):
        P, S = 1 - K * y, 1 - x
        D = P * S - x * y
        Dx, Dy, a1, b1 = -P - y, -K * S - x, P * Aa - y * Ba, S * Bb - x * Ab
        PA, PB, SB, SA = P * AA - y * AB, P * AB - y * BB, S * BB - x * AB, S * AB - x * AA
        f1 = P * PA - y * PB - D * a1 + D * D * c1
        f2 = S * SB - x * SA - D * b1 + D * D * c2
        f1x = -Dx * a1 + 2 * D * Dx * c1
        f1y = -2 * (K * PA + PB) - Dy * a1 + D * (K * Aa + Ba) + 2 * D * Dy * c1
        f2x = -2 * (SB + SA) - Dx * b1 + D * (Bb + Ab) + 2 * D * Dx * c2
        f2y = -Dy * b1 + 2 * D * Dy * c2
        over = 1 / (f1x * f2y - f1y * f2x)
        x, y = x - (f1 * f2y - f2 * f1y) * over, y - (f1x * f2 - f2x * f1) * over
    P, S = 1 - K * y, 1 - x
    D = 1 / (P * S - x * y)
    am, bm = (P * A - y * B) * D, (S * B - x * A) * D
    u, w = u + 4 / h * (x * am - y * bm) - h * GRAVITY * EZ, w + 4 / h * (K * y * bm - x * am)
    return 2 * am - a, 2 * bm - b, u, w, x / c, y / c


def energy(state):
    a, b, u, w, _, _ = state
    v2 = u + w
    return 0.5 * M1 * (u @ u) + 0.5 * M2 * (v2 @ v2) + GRAVITY * (M1 * a[2] + M2 * (a[2] + b[2]))


def start(member, members):
    """The start of problem.h, with velocities scaled by 1 - k / (4 members)."""
    f = 1 - 0.25 * member / members
    bars, speeds = [], []
    before, speed_before = (0.0, 0.0), (0.0, 0.0, 0.0)
    for (px, py), (vx, vy), length2 in (((2.820, 0.025), (3.381, 2.506), LA), ((5.085, 0.105), (2.497, 10.495), LB)):
        dx, dy = px - before[0], py - before[1]
        dz = -((length2 - dx * dx - dy * dy) ** 0.5)
        du = (vx - speed_before[0], vy - speed_before[1])
        dw = -(dx * du[0] + dy * du[1]) / dz
        bars.append(jnp.array([dx, dy, dz]))
        speeds.append(f * jnp.array([du[0], du[1], dw]))
        before, speed_before = (px, py), (vx, vy, speed_before[2] + dw)
    return bars[0], bars[1], speeds[0], speeds[1], 0.0 * f, 0.0 * f


def main(arguments):
    if len(arguments) < 4:
        sys.exit("usage: peer_jax.py rattle|energy H MEMBERS STEPS [ROUNDS]")
    step = {"rattle": rattle, "energy": energy_momentum}[arguments[0]]
    h, members, steps = float(arguments[1]), int(arguments[2]), int(arguments[3])
    rounds = int(arguments[4]) if len(arguments) > 4 else 3

    def one(state):
        return jax.lax.scan(lambda z, _: (step(z, h), None), state, None, length=steps)[0]

    first = jax.vmap(start, in_axes=(0, None))(jnp.arange(members, dtype=jnp.float64), members)
    began = time.perf_counter()
    run = jax.jit(jax.vmap(one)).lower(first).compile()
    compiled = time.perf_counter() - began
    best = float("inf")
    for _ in range(rounds + 1):
        began = time.perf_counter()
        last = jax.block_until_ready(run(first))
        best = min(best, time.perf_counter() - began)
    drift = jnp.max(jnp.abs(jax.vmap(energy)(last) - jax.vmap(energy)(first)))
    a, b = last[0], last[1]
    gap = jnp.maximum(jnp.max(jnp.abs(jnp.sqrt(jnp.sum(a * a, 1)) - LA**0.5)),
                      jnp.max(jnp.abs(jnp.sqrt(jnp.sum(b * b, 1)) - LB**0.5)))
    print(f"j4 jax {arguments[0]} device={jax.devices()[0].device_kind} members={members} steps={steps} "
          f"ps={1e12 * best / members / steps:.4g} compile_s={compiled:.3g} gap={float(gap):.2e} dE={float(drift):.2e}")


if __name__ == "__main__":
    main(sys.argv[1:])
