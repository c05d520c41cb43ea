// peer_siconos.cpp - Siconos 4.4.0: Moreau-Jean (theta = 1/2), bilateral (equality) length constraints, Newton loop.
// Usage: peer_siconos j1 velocity h tend | j2 velocity h n tend
// velocity: constraints enforced on the velocities only (TimeStepping + Equality); the one variant so far.
#include "problem.h"
#include <SiconosKernel.hpp>
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

int main(int argc, char **argv)
{
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
