// peer_simbody.cpp - Simbody 3.7.
// Usage: peer_simbody j1 VARIANT set tend | j2 VARIANT h n tend | j3 INTEGRATOR h | j5 INTEGRATOR h n tend
// VARIANT = MODEL-INTEGRATOR[-fixed]; MODEL tree: LineOrientation joints (O(n), no constraints), rod: Cartesian masses
// with Constraint::Rod; INTEGRATOR rkm|rkf|verlet|cpodes|see. set: accuracy, or the step for -fixed (j2, j3: always
// fixed).
#include "problem.h"
#include <Simbody.h>
#include <memory>
#include <string>
using namespace SimTK;

static Integrator *make_integrator(const std::string &v, const System &s)
{
    auto has = [&](const char *w) { return v.find(w) != std::string::npos; };
    if (has("rkm")) return new RungeKuttaMersonIntegrator(s);
    if (has("rkf")) return new RungeKuttaFeldbergIntegrator(s);
    if (has("verlet")) return new VerletIntegrator(s);
    if (has("cpodes")) return new CPodesIntegrator(s, CPodes::Adams, CPodes::Functional);
    return new SemiExplicitEulerIntegrator(s, 1e-3);
}

struct Model {
    MultibodySystem sys;
    SimbodyMatterSubsystem matter{ sys };
    GeneralForceSubsystem forces{ sys };
    std::vector<MobilizedBody> body;
    bool tree;
    const chain &c;

    Model(const chain &ch, const std::string &v) : tree(v.find("tree") == 0), c(ch)
    {
        Force::UniformGravity(forces, matter, Vec3(0, 0, -c.g));
        for (int i = 0; i < c.n; i++)
            if (tree) { // bar along the body z axis, mass at its end
                Vec3 tip(0, 0, c.l[i]);
                // 1e-12: keeps the library's inertia checks (on in Debian's build) from tripping over rounding
                Body::Rigid b(
                    MassProperties(c.m[i], tip, c.m[i] * (UnitInertia::pointMassAt(tip) + UnitInertia(1e-12))));
                MobilizedBody &up = i ? body[i - 1] : (MobilizedBody &)matter.updGround();
                body.push_back(
                    MobilizedBody::LineOrientation(up, Transform(Vec3(0, 0, i ? c.l[i - 1] : 0)), b, Transform()));
            } else {
                Body::Rigid b(MassProperties(c.m[i], Vec3(0), Inertia(1)));
                body.push_back(MobilizedBody::Translation(matter.updGround(), Transform(), b, Transform()));
                Constraint::Rod(i ? body[i - 1] : (MobilizedBody &)matter.updGround(), body[i], c.l[i]);
            }
    }
    State start()
    {
        State s = sys.realizeTopology();
        Rotation up;
        Vec3 wp(0);
        for (int i = 0; i < c.n; i++) {
            Vec3 q = Vec3::getAs(c.q + 3 * i), v = Vec3::getAs(c.v + 3 * i), z(0);
            if (!tree) {
                body[i].setQToFitTranslation(s, q), body[i].setUToFitLinearVelocity(s, v);
                continue;
            }
            Vec3 r = q - (i ? Vec3::getAs(c.q + 3 * i - 3) : z), u = v - (i ? Vec3::getAs(c.v + 3 * i - 3) : z);
            Rotation R(UnitVec3(r), ZAxis);
            Vec3 w = cross(r, u - cross(wp, r)) / dot(r, r);
            body[i].setQToFitRotation(s, ~up * R), body[i].setUToFitAngularVelocity(s, ~up * w);
            up = R, wp += w;
        }
        return s;
    }
    void sample(const State &s, double *q, double *v) const
    {
        sys.realize(s, Stage::Velocity);
        for (int i = 0; i < c.n; i++) {
            Vec3 tip(0, 0, tree ? c.l[i] : 0);
            Vec3::updAs(q + 3 * i) = body[i].findStationLocationInGround(s, tip);
            Vec3::updAs(v + 3 * i) = body[i].findStationVelocityInGround(s, tip);
        }
    }
};

static void job12(bool two, const std::string &var, double set, int n, double tend)
{
    chain c = two ? chain_horizontal(n) : chain_dsp();
    bool fixed = two || var.find("fixed") != std::string::npos;
    std::vector<double> q(3 * c.n), v(3 * c.n);
    double best = INFINITY, steps = 0;
    monitor mon;
    Model m(c, var);
    for (int r = two; r <= reps(); r++) { // run 0 of J1 samples every 0.1 s and is not timed
        int total = r ? 1 : (int)rint(tend / 0.1);
        std::unique_ptr<Integrator> in(make_integrator(var, m.sys));
        if (fixed)
            in->setFixedStepSize(set);
        else
            in->setAccuracy(set);
        in->initialize(m.start());
        if (!r) monitor_start(&mon, chain_energy(&c, c.q, c.v), total);
        double t0 = now();
        for (int i = 1; i <= total; i++) {
            for (double t = tend * i / total; in->stepTo(t) != Integrator::ReachedReportTime;)
                ;
            if (r) best = fmin(best, now() - t0);
            m.sample(in->getState(), q.data(), v.data());
            if (!r) monitor_chain(&mon, &c, q.data(), v.data());
        }
        steps = in->getNumStepsTaken();
    }
    if (two)
        report_j2("simbody", var.c_str(), set, n, tend, steps, best, &c, q.data(), v.data());
    else
        report_j1("simbody", var.c_str(), set, tend, steps, best, &mon, q.data());
}

static void job3(const std::string &var, double h)
{
    MultibodySystem sys;
    SimbodyMatterSubsystem matter(sys);
    Body::Rigid b(MassProperties(1, Vec3(0), Inertia(rb_inertia[0], rb_inertia[1], rb_inertia[2])));
    MobilizedBody::Ball body(matter.updGround(), Transform(), b, Transform());
    double best = INFINITY;
    int steps = (int)rint(30 / h);
    rb_monitor mon;
    for (int r = 0; r < reps(); r++) {
        State s = sys.realizeTopology();
        body.setUToFitAngularVelocity(s, Vec3::getAs(rb_omega));
        std::unique_ptr<Integrator> in(make_integrator(var, sys));
        in->setFixedStepSize(h);
        in->initialize(s);
        memset(&mon, 0, sizeof mon);
        double t0 = now();
        for (int k = 1; k <= steps; k++) {
            while (in->stepTo(k * h) != Integrator::ReachedReportTime)
                ;
            const State &t = in->getState();
            sys.realize(t, Stage::Velocity);
            Mat33 R = body.getBodyRotation(t).asMat33();
            Vec3 w = body.getBodyAngularVelocity(t);
            double a[9];
            for (int i = 0; i < 9; i++) a[i] = R(i / 3, i % 3);
            rb_sample(&mon, a, &w[0]);
        }
        best = fmin(best, now() - t0);
    }
    report_j3("simbody", var.c_str(), h, steps, best, &mon);
}

// Hinges as joint angles.
static void job5(const std::string &var, double h, int n, double tend)
{
    MultibodySystem sys;
    SimbodyMatterSubsystem matter(sys);
    GeneralForceSubsystem forces(sys);
    Force::UniformGravity(forces, matter, Vec3(0, 0, -link_gravity));
    const Vec3 half(link_size[0] / 2, link_size[1] / 2, link_size[2] / 2), com(half[0], 0, 0);
    const Inertia about = (link_mass * UnitInertia::brick(half)).shiftFromMassCenter(com, link_mass);
    const Rotation along_y(-Pi / 2, XAxis); // of the z axis, about which pins turn
    std::vector<MobilizedBody> body;
    for (int i = 0; i < n; i++) {
        MobilizedBody &up = i ? body[i - 1] : (MobilizedBody &)matter.updGround();
        body.push_back(MobilizedBody::Pin(up, Transform(along_y, Vec3(i ? link_size[0] : 0, 0, 0)),
                                          Body::Rigid(MassProperties(link_mass, com, about)), Transform(along_y)));
    }
    double best = INFINITY, end = 0, steps = 0;
    for (int r = 0; r < reps(); r++) {
        State s = sys.realizeTopology();
        body[0].setOneQ(s, 0, link_slope);
        std::unique_ptr<Integrator> in(make_integrator(var, sys));
        in->setFixedStepSize(h);
        in->initialize(s);
        double begun = now();
        while (in->stepTo(tend) != Integrator::ReachedReportTime)
            ;
        best = fmin(best, now() - begun);
        sys.realize(in->getState(), Stage::Position);
        end = body[n - 1].findStationLocationInGround(in->getState(), com)[2];
        steps = in->getNumStepsTaken();
    }
    report_j5("simbody", var.c_str(), h, n, tend, steps, best, end);
}

int main(int argc, char **argv)
{
    if (argc < 4) return fprintf(stderr, "usage: see the head of %s.cpp\n", argv[0]), 1;
    std::string job = argv[1], var = argv[2];
    double set = atof(argv[3]);
    if (job == "j1")
        job12(false, var, set, 2, atof(argv[4]));
    else if (job == "j2")
        job12(true, var, set, atoi(argv[4]), atof(argv[5]));
    else if (job == "j5")
        job5(var, set, atoi(argv[4]), atof(argv[5]));
    else
        job3(var, set);
}
