// peer_openmm.cpp - OpenMM 7.7.0, distance constraints (CCMA), pin of mass 1e20, gravity as a CustomExternalForce.
// Usage: peer_openmm j1 VARIANT h tend [tol] | j2 VARIANT h n tend [tol] | j4 VARIANT h copies steps [tol]
// VARIANT = verlet|rattle[-CPU]; verlet: VerletIntegrator (leapfrog + SHAKE); rattle: velocity Verlet as a
// CustomIntegrator.
// Platform Reference (double precision) unless -CPU (mixed precision, threads; package libopenmm-plugins).
#include "problem.h"
#include <OpenMM.h>
#include <memory>
#include <string>
using namespace OpenMM;

struct Sim {
    System sys;
    std::unique_ptr<Integrator> in;
    std::unique_ptr<Context> ctx;
    int n;

    Sim(const chain &c, const std::string &var, double h, double tol, int copies = 1) : n(c.n)
    {
        auto *ext = new CustomExternalForce("w*z");
        ext->addPerParticleParameter("w");
        std::vector<Vec3> x, v;
        for (int k = 0; k < copies; k++) {
            int base = sys.addParticle(1e20);
            x.push_back(Vec3()), v.push_back(Vec3());
            for (int i = 0; i < n; i++) {
                sys.addParticle(c.m[i]);
                sys.addConstraint(base + i, base + i + 1, c.l[i]);
                ext->addParticle(base + i + 1, { c.m[i] * c.g });
                x.push_back(Vec3(c.q[3 * i], c.q[3 * i + 1], c.q[3 * i + 2]));
                v.push_back(Vec3(c.v[3 * i], c.v[3 * i + 1], c.v[3 * i + 2]));
            }
        }
        sys.addForce(ext);
        if (var.find("rattle") == 0) {
            auto *ci = new CustomIntegrator(h);
            ci->addPerDofVariable("x1", 0);
            ci->addUpdateContextState();
            ci->addComputePerDof("v", "v+0.5*dt*f/m");
            ci->addComputePerDof("x", "x+dt*v");
            ci->addComputePerDof("x1", "x");
            ci->addConstrainPositions();
            ci->addComputePerDof("v", "v+0.5*dt*f/m+(x-x1)/dt");
            ci->addConstrainVelocities();
            in.reset(ci);
        } else { // leapfrog: OpenMM takes the velocities at t-h/2
            std::vector<double> acc(3 * n), work(3 * n);
            chain_accel(&c, c.q, c.v, acc.data(), work.data(), work.data() + n);
            for (size_t p = 0; p < v.size(); p++)
                for (int k = 0, i = (int)(p % (n + 1)) - 1; i >= 0 && k < 3; k++) v[p][k] -= 0.5 * h * acc[3 * i + k];
            in.reset(new VerletIntegrator(h));
        }
        in->setConstraintTolerance(tol);
        ctx.reset(new Context(sys, *in,
                              Platform::getPlatformByName(var.find("CPU") != std::string::npos ? "CPU" : "Reference")));
        ctx->setPositions(x), ctx->setVelocities(v);
    }
    void sample(double *q, double *v, double *energy) const
    {
        State s = ctx->getState(State::Positions | State::Velocities | State::Energy);
        for (int i = 0; i < 3 * n; i++)
            q[i] = s.getPositions()[i / 3 + 1][i % 3], v[i] = s.getVelocities()[i / 3 + 1][i % 3];
        *energy = s.getKineticEnergy() + s.getPotentialEnergy();
    }
};

int main(int argc, char **argv)
{
    if (argc < 5) return fprintf(stderr, "usage: see the head of %s.cpp\n", argv[0]), 1;
    std::string job = argv[1], var = argv[2];
    if (var.find("CPU") != std::string::npos)
        Platform::loadPluginsFromDirectory(Platform::getDefaultPluginsDirectory());
    double h = atof(argv[3]), best = INFINITY, e, gap, slip;
    int last = job == "j1" ? 5 : 6;
    double tol = argc > last ? atof(argv[last]) : 1e-10;
    if (job == "j1") {
        chain c = chain_dsp();
        double tend = atof(argv[4]), q[6], v[6];
        int per = (int)fmax(1, rint(0.1 / h)), total = (int)rint(tend / 0.1);
        monitor mon;
        for (int r = 0; r <= reps(); r++) { // run 0 samples and is not timed
            Sim s(c, var, 0.1 / per, tol);
            s.in->step(0);
            if (!r) monitor_start(&mon, chain_energy(&c, c.q, c.v), total);
            double t0 = now();
            for (int i = 0; !r && i < total; i++) {
                s.in->step(per);
                s.sample(q, v, &e);
                monitor_energy(&mon, e);
                chain_residual(&c, q, v, &gap, &slip);
                mon.gap = fmax(mon.gap, gap), mon.slip = fmax(mon.slip, slip);
            }
            if (r) s.in->step(per * total), best = fmin(best, now() - t0);
        }
        report_j1("openmm", var.c_str(), 0.1 / per, tend, (double)per * total, best, &mon, q);
    } else if (job == "j2") {
        int n = atoi(argv[4]);
        double tend = atof(argv[5]);
        chain c = chain_horizontal(n);
        std::vector<double> q(3 * n), v(3 * n);
        long steps = lrint(tend / h);
        for (int r = 0; r < reps(); r++) {
            Sim s(c, var, h, tol);
            s.in->step(1);
            double t0 = now();
            s.in->step(steps - 1);
            best = fmin(best, now() - t0);
            s.sample(q.data(), v.data(), &e);
        }
        report_j2("openmm", var.c_str(), h, n, tend, steps - 1, best, &c, q.data(), v.data());
    } else {
        int copies = atoi(argv[4]), steps = atoi(argv[5]);
        Sim s(chain_dsp(), var, h, tol, copies);
        s.in->step(1);
        double t0 = now(), w0 = now_wall();
        s.in->step(steps);
        double t = now() - t0, w = now_wall() - w0;
        printf("j4 openmm   %-12s copies=%d steps=%d cpu_s=%.4g wall_s=%.4g ns/pendulum/step(cpu)=%.4g\n", var.c_str(),
               copies, steps, t, w, 1e9 * t / copies / steps);
    }
}
