#!/usr/bin/env python3
"""peer_gromacs.py - GROMACS 2022.5 (gmx_d, double) on chains: LINCS or SHAKE, pin of mass 1e20, gravity as a
uniform electric field on charges equal to the masses (this version has no constant-acceleration groups).
Usage: peer_gromacs.py j1 lincs|shake h tend | j2 lincs|shake h n tend      (times in ps, lengths in nm)"""
import math, os, re, shutil, struct, subprocess, sys, tempfile

REF = [float(x) for x in open(os.path.join(os.path.dirname(os.path.realpath(__file__)), "ref30.inc")).read().split(",")]
G = 9.81


def dsp():
    m, l, q, v = [2, 3.5], [4, 3], [[0, 0, 0]], [[0, 0, 0]]
    for i, ((x, y), (u, w)) in enumerate((((2.820, 0.025), (3.381, 2.506)), ((5.085, 0.105), (2.497, 10.495)))):
        dx, dy = x - q[i][0], y - q[i][1]
        dz = -math.sqrt(l[i] ** 2 - dx * dx - dy * dy)
        q.append([x, y, q[i][2] + dz])
        v.append([u, w, v[i][2] - (dx * (u - v[i][0]) + dy * (w - v[i][1])) / dz])
    return m, l, q, v


def energy(m, q, v):
    return sum(m[i] * (sum(a * a for a in v[i + 1]) / 2 + G * q[i + 1][2]) for i in range(len(m)))


def gmx(*args, **kw):
    r = subprocess.run(["gmx_d", "-nobackup", *args], capture_output=True, text=True, **kw)
    if r.returncode:
        sys.exit(r.stderr[-1500:])
    return r.stderr


job, alg, h = sys.argv[1], sys.argv[2], float(sys.argv[3])
tend = float(sys.argv[-1])
if job == "j1":
    m, l, q, v = dsp()
else:
    n = int(sys.argv[4])
    m, l, q, v = [1.0] * n, [1.0] * n, [[i, 0, 0] for i in range(n + 1)], [[0, 0, 0] for i in range(n + 1)]
n, steps = len(m), round(tend / h)
box = max(40, 4 * n)  # periodic box (required), pin at its centre
folder = tempfile.mkdtemp(prefix="gmx")
os.chdir(folder)
with open("c.gro", "w") as f:
    f.write(f"chain\n{n + 1}\n")
    for i in range(n + 1):
        f.write("%5d%-5s%5s%5d" % (1, "CHN", "P" if i == 0 else "M", (i + 1) % 100000))
        f.write("".join("%20.15f" % (a + box / 2) for a in q[i]) + "".join("%20.16f" % a for a in v[i]) + "\n")
    f.write(f"{box} {box} {box}\n")
with open("c.top", "w") as f:
    f.write("[ defaults ]\n1 1 no\n[ atomtypes ]\nX 1 1 0 A 0 0\n[ moleculetype ]\nCHN 3\n[ atoms ]\n")
    for i in range(n + 1):
        name, charge, mass = ("M", m[i - 1], m[i - 1]) if i else ("P", 0, 1e20)
        f.write(f"{i + 1} X 1 CHN {name} {i + 1} {charge!r} {mass!r}\n")
    f.write("[ constraints ]\n" + "".join(f"{i + 1} {i + 2} 1 {l[i]!r}\n" for i in range(n)))
    f.write("[ system ]\nchain\n[ molecules ]\nCHN 1\n")
with open("c.mdp", "w") as f:
    f.write(f"""integrator = md-vv
dt = {h!r}
nsteps = {steps}
pbc = xyz
comm-mode = None
nstlist = 1000000
verlet-buffer-tolerance = -1
rlist = 0.1
coulombtype = Cut-off
rcoulomb = 0.1
rvdw = 0.1
electric-field-z = {-G / 96.48533212331!r} 0 0 0
constraint-algorithm = {alg}
continuation = no
lincs-order = 8
lincs-iter = 8
lincs-warnangle = 90
shake-tol = 1e-10
nstxout = {steps if job == "j2" else max(1, round(0.1 / h))}
nstvout = {steps if job == "j2" else max(1, round(0.1 / h))}
nstenergy = 0
nstcalcenergy = 1000000
nstlog = 0
""")
gmx("grompp", "-f", "c.mdp", "-c", "c.gro", "-p", "c.top", "-o", "c.tpr", "-maxwarn", "20")
gmx("mdrun", "-s", "c.tpr", "-deffnm", "c", "-ntmpi", "1", "-ntomp", "1", "-nb", "cpu", "-pin", "off")
cpu = float(re.search(r"Time:\s+([0-9.]+)", open("c.log").read()).group(1))
data, at, frames = open("c.trr", "rb").read(), 0, []
while at < len(data):  # TRR in double precision: header of 13 sizes, then time, lambda, box, x, v
    size = struct.unpack_from(">13i", data, at + 24)
    at += 24 + 52 + 16 + sum(size[:7])
    x = struct.unpack_from(">%dd" % (3 * n + 3), data, at)
    v1 = struct.unpack_from(">%dd" % (3 * n + 3), data, at + size[7])
    at += size[7] + size[8] + size[9]
    frames.append(([[a - box / 2 for a in x[3 * i : 3 * i + 3]] for i in range(n + 1)],
                   [v1[3 * i : 3 * i + 3] for i in range(n + 1)]))
e0, dev, gap = energy(m, q, v), [], 0
for fq, fv in frames[1:]:
    dev.append((energy(m, fq, fv) - e0) / (abs(e0) if job == "j1" else G * n * n / 2))
    gap = max(gap, max(abs(math.dist(fq[i], fq[i + 1]) / l[i] - 1) for i in range(n)))
fq = frames[-1][0]
if job == "j1":
    w = max(1, len(dev) // 10)
    err = max(abs(a - b) for a, b in zip(fq[1] + fq[2], REF)) if tend == 30 else math.nan
    print(f"j1 gromacs  {alg:12} set={h:<8g} T={tend:g} steps={steps} us/sim_s={1e6 * cpu / tend:.4g} "
          f"ns/step={1e9 * cpu / steps:.4g} err30={err:.2e} dEmax={max(map(abs, dev)):.2e} "
          f"drift={sum(dev[-w:]) / w - sum(dev[:w]) / w:.2e} gap={gap:.2e}")
else:
    print(f"j2 gromacs  {alg:12} set={h:<8g} N={n} T={tend:g} steps={steps} us/step={1e6 * cpu / steps:.4g} "
          f"ns/mass/step={1e9 * cpu / steps / n:.4g} dE={dev[-1]:.2e} gap={gap:.2e} "
          f"tip=({fq[n][0]:.9f} {fq[n][2]:.9f})")
os.chdir("/")
shutil.rmtree(folder)
