// peer_siconos.cpp - Siconos 4.4.0: Moreau-Jean (theta = 1/2), bilateral (equality) length constraints, Newton loop.
// Usage: peer_siconos j1 velocity h tend | j2 velocity h n tend
// velocity: constraints enforced on the velocities only (TimeStepping + Equality); the one variant so far.
// Usage: peer_siconos pile nsgs|lemke|cpg rows tolerance
// The contact problem of one Moreau-Jean step (h = 0.01) of models/pyramid.lua at rest: impulses P in friction cones
// with u = W P + b, solved by the numerics library alone, from P = 0, W dense and given. us: of a solution, setting up
// W not counted; left: the largest velocity that is left over h g (0: at rest); weight: relative error of what the
// floor carries.
#include "problem.h"
#include <SiconosKernel.hpp>
#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
#include <string>

struct Bar : LagrangianScleronomousR { // h = (|q_i - q_{i-1}|^2 - l^2)/2, q = (q_{i-1}, q_i) or (q_i) for the first bar
    double l2;
    explicit Bar(double l) : LagrangianScleronomousR(), l2(l * l) {}
    void computeh(const BlockVector &q, BlockVector &, SiconosVector &y) override
    {
        double s = 0;
        for (int k = 0, two = q.size() == 6; k < 3; k++) {
            double d = two ? q.getValue(3 + k) - q.getValue(k) : q.getValue(k);
            s += d * d;
        }
        y.setValue(0, 0.5 * (s - l2));
    }
    void computeJachq(const BlockVector &q, BlockVector &) override
    {
        for (int k = 0, two = q.size() == 6; k < 3; k++) {
            double d = two ? q.getValue(3 + k) - q.getValue(k) : q.getValue(k);
            if (two)
                _jachq->setValue(0, k, -d), _jachq->setValue(0, 3 + k, d);
            else
                _jachq->setValue(0, k, d);
        }
    }
};

struct Sim {
    SP::TimeStepping ts;
    std::vector<SP::LagrangianLinearTIDS> ds;

    Sim(const chain &c, double h, double tend)
    {
        auto nsds = std::make_shared<NonSmoothDynamicalSystem>(0, tend + 1);
        auto law = std::make_shared<EqualityConditionNSL>(1);
        auto osi = std::make_shared<MoreauJeanOSI>(0.5);
        for (int i = 0; i < c.n; i++) {
            auto q = std::make_shared<SiconosVector>(3), v = std::make_shared<SiconosVector>(3),
                 f = std::make_shared<SiconosVector>(3);
            auto M = std::make_shared<SimpleMatrix>(3, 3);
            for (int k = 0; k < 3; k++)
                q->setValue(k, c.q[3 * i + k]), v->setValue(k, c.v[3 * i + k]), M->setValue(k, k, c.m[i]);
            f->setValue(2, -c.m[i] * c.g);
            ds.push_back(std::make_shared<LagrangianLinearTIDS>(q, v, M));
            ds[i]->setFExtPtr(f);
            nsds->insertDynamicalSystem(ds[i]);
            auto inter = std::make_shared<Interaction>(law, std::make_shared<Bar>(c.l[i]));
            if (i)
                nsds->link(inter, ds[i - 1], ds[i]);
            else
                nsds->link(inter, ds[0]);
        }
        ts = std::make_shared<TimeStepping>(nsds, std::make_shared<TimeDiscretisation>(0, h), osi,
                                            std::make_shared<Equality>());
        ts->setNewtonTolerance(1e-12), ts->setNewtonMaxIteration(20);
    }
    void step() { ts->computeOneStep(), ts->nextStep(); }
    void sample(double *q, double *v) const
    {
        for (size_t i = 0; i < 3 * ds.size(); i++)
            q[i] = (*ds[i / 3]->q())(i % 3), v[i] = (*ds[i / 3]->velocity())(i % 3);
    }
};

struct Pile { // contacts of two bodies (the second may be the floor, -1): rows of H, normal and tangential
    std::vector<double> x, y, row;
    std::vector<int> body;
    int contacts = 0, boxes = 0;

    void touch(int i, int j, double px, double py)
    {
        for (int t = 0; t < 2; t++)
            for (int k : { i, j }) {
                double sign = k == i ? 1 : k < 0 ? 0 : -1, rx = k < 0 ? 0 : px - x[k], ry = k < 0 ? 0 : py - y[k];
                row.insert(row.end(), { t ? sign : 0, t ? 0 : sign, sign * (t ? -ry : rx) });
            }
        body.insert(body.end(), { i, j });
        contacts++;
    }
    explicit Pile(int rows, double a = 0.5, double b = 0.25, double between = 0.1)
    {
        for (int k = 0, first = 0; k < rows; first = boxes - (rows - k), k++)
            for (int i = 0; i < rows - k; i++) {
                int q = boxes++;
                x.push_back((i + k / 2.0) * (2 * a + between)), y.push_back(b + 2 * b * k);
                for (int s = -1; s <= 1; s += 2) {
                    int below = first + i + (s > 0);
                    touch(q, k ? below : -1, x[q] + s * a, y[q] - b);
                    if (k) touch(q, below, x[below] - s * a, y[q] - b);
                }
            }
    }
    double product(int r, int s) const // of rows r and s of H with M^-1 between
    {
        static const double inverse[3] = { 1, 1, 3 / (0.25 + 0.0625) };
        double sum = 0;
        for (int p = 0; p < 2; p++)
            for (int o = 0; o < 2; o++)
                for (int k = 0; k < 3 && body[r / 2 * 2 + p] >= 0 && body[r / 2 * 2 + p] == body[s / 2 * 2 + o]; k++)
                    sum += row[6 * r + 3 * p + k] * row[6 * s + 3 * o + k] * inverse[k];
        return sum;
    }
};

static int pile(const char *solver, int rows, double tolerance)
{
    Pile z(rows);
    const double hg = 0.01 * 9.81;
    int n = 2 * z.contacts, info = 0;
    std::vector<double> b(n), mu(z.contacts, 0.5), P(n), u(n);
    NumericsMatrix *W = NM_create(NM_DENSE, n, n);
    for (int r = 0; r < n; r++) {
        b[r] = -hg * (z.row[6 * r + 1] + z.row[6 * r + 4]);
        for (int s = 0; s < n; s++) W->matrix0[r + s * n] = z.product(r, s);
    }
    FrictionContactProblem *problem = frictionContactProblem_new_with_data(2, z.contacts, W, b.data(), mu.data());
    SolverOptions *options = solver_options_create(!strcmp(solver, "lemke") ? SICONOS_FRICTION_2D_LEMKE
                                                   : !strcmp(solver, "cpg") ? SICONOS_FRICTION_2D_CPG
                                                                            : SICONOS_FRICTION_2D_NSGS);
    options->dparam[SICONOS_DPARAM_TOL] = tolerance;
    options->iparam[SICONOS_IPARAM_MAX_ITER] = 1000000;
    double best = INFINITY, left = 0, floor = 0;
    for (int k = 0; k < reps(); k++) {
        std::fill(P.begin(), P.end(), 0), std::fill(u.begin(), u.end(), 0);
        double t0 = now();
        info = fc2d_driver(problem, P.data(), u.data(), options);
        best = fmin(best, now() - t0);
    }
    for (int r = 0; r < n; r++) {
        double sum = b[r];
        for (int s = 0; s < n; s++) sum += W->matrix0[r + s * n] * P[s];
        left = fmax(left, fabs(sum) / hg);
        if (r % 2 == 0 && z.body[r + 1] < 0) floor += P[r];
    }
    printf("siconos pile %s contacts=%d us=%.4g us/contact=%.4g iterations=%d info=%d left=%.2g weight=%.2g\n", solver,
           z.contacts, best * 1e6, best * 1e6 / z.contacts, options->iparam[SICONOS_IPARAM_ITER_DONE], info, left,
           fabs(floor / (hg * z.boxes) - 1));
    return info;
}

int main(int argc, char **argv)
{
    if (argc == 5 && !strcmp(argv[1], "pile")) return pile(argv[2], atoi(argv[3]), atof(argv[4]));
    if (argc < 5) return fprintf(stderr, "usage: see the head of %s.cpp\n", argv[0]), 1;
    bool two = !strcmp(argv[1], "j2");
    int n = two ? atoi(argv[4]) : 2;
    double h = atof(argv[3]), tend = atof(argv[4 + two]), best = INFINITY;
    chain c = two ? chain_horizontal(n) : chain_dsp();
    int per = two ? (int)lrint(tend / h) : (int)fmax(1, rint(0.1 / h)), total = two ? 1 : (int)rint(tend / 0.1);
    if (!two) h = 0.1 / per;
    std::vector<double> q(3 * n), v(3 * n);
    monitor mon;
    for (int r = 0; r < reps(); r++) {
        Sim s(c, h, tend);
        monitor_start(&mon, chain_energy(&c, c.q, c.v), total);
        double t0 = now();
        for (int i = 0; i < total; i++) {
            for (int k = 0; k < per; k++) s.step();
            s.sample(q.data(), v.data());
            monitor_chain(&mon, &c, q.data(), v.data());
        }
        best = fmin(best, now() - t0);
    }
    if (two)
        report_j2("siconos", argv[2], h, n, tend, per, best, &c, q.data(), v.data());
    else
        report_j1("siconos", argv[2], h, tend, (double)per * total, best, &mon, q.data());
}
