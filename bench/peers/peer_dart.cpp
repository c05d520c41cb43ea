// peer_dart.cpp - DART 6.12.1, minimal coordinates (Featherstone), semi-implicit Euler (its only integrator).
// Usage: peer_dart j1 ball|universal h tend | j2 ball|universal h n tend | j3 ball h
#include "problem.h"
#include <dart/dynamics/BallJoint.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/dynamics/UniversalJoint.hpp>
#include <dart/simulation/World.hpp>
#include <string>
using namespace dart::dynamics;
using Eigen::Vector3d;

struct Sim {
    dart::simulation::WorldPtr world = dart::simulation::World::create();
    SkeletonPtr skel = Skeleton::create();
    const chain &c;

    Sim(const chain &ch, const std::string &kind, double h) : c(ch)
    {
        bool ball = kind == "ball";
        BodyNode *up = nullptr;
        Vector3d wp(0, 0, 0), z(0, 0, 0);
        Eigen::VectorXd u(c.n * (ball ? 3 : 2));
        for (int i = 0; i < c.n; i++) { // all body frames parallel to the world at t=0, origin at the joint
            Eigen::Map<const Vector3d> q(c.q + 3 * i), v(c.v + 3 * i);
            Vector3d qp = i ? Vector3d(q[-3], q[-2], q[-1]) : z, vp = i ? Vector3d(v[-3], v[-2], v[-1]) : z;
            Vector3d qpp = i > 1 ? Vector3d(q[-6], q[-5], q[-4]) : z, r = q - qp,
                     w = r.cross(v - vp) / r.squaredNorm() - wp;
            Eigen::Isometry3d T = Eigen::Isometry3d::Identity();
            T.translation() = qp - qpp;
            BodyNode::Properties b;
            b.mName = "b" + std::to_string(i); // unique names: DART logs every duplicate
            b.mInertia = Inertia(c.m[i], r, (ball ? 1e-4 : 1e-12) * Eigen::Matrix3d::Identity());
            if (ball) {
                BallJoint::Properties p;
                p.mT_ParentBodyToJoint = T, p.mName = "j" + b.mName;
                up = skel->createJointAndBodyNodePair<BallJoint>(up, p, b).second;
                u.segment<3>(3 * i) = w;
            } else {
                UniversalJoint::Properties p;
                p.mT_ParentBodyToJoint = T, p.mName = "j" + b.mName;
                p.mAxis[0] = r.cross(Vector3d::UnitZ()).normalized(), p.mAxis[1] = r.cross(p.mAxis[0]).normalized();
                up = skel->createJointAndBodyNodePair<UniversalJoint>(up, p, b).second;
                u[2 * i] = w.dot(p.mAxis[0]), u[2 * i + 1] = w.dot(p.mAxis[1]);
                w = u[2 * i] * p.mAxis[0] + u[2 * i + 1] * p.mAxis[1];
            }
            wp += w;
        }
        world->setGravity(Vector3d(0, 0, -c.g)), world->setTimeStep(h), world->addSkeleton(skel);
        skel->setVelocities(u);
    }
    void sample(double *q, double *v) const
    {
        for (int i = 0; i < c.n; i++) {
            const BodyNode *b = skel->getBodyNode(i);
            Eigen::Map<Vector3d>(q + 3 * i) = b->getCOM(), Eigen::Map<Vector3d>(v + 3 * i) = b->getCOMLinearVelocity();
        }
    }
};

int main(int argc, char **argv)
{
    if (argc < 4) return fprintf(stderr, "usage: see the head of %s.cpp\n", argv[0]), 1;
    std::string job = argv[1], kind = argv[2];
    double h = atof(argv[3]), best = INFINITY;
    if (job == "j1") {
        chain c = chain_dsp();
        double tend = atof(argv[4]), q[6], v[6];
        int per = (int)fmax(1, rint(0.1 / h)), total = (int)rint(tend / 0.1);
        monitor mon;
        for (int r = 0; r < reps(); r++) {
            Sim s(c, kind, 0.1 / per);
            monitor_start(&mon, chain_energy(&c, c.q, c.v), total);
            double t0 = now();
            for (int i = 0; i < total; i++) {
                for (int k = 0; k < per; k++) s.world->step();
                s.sample(q, v);
                monitor_chain(&mon, &c, q, v);
            }
            best = fmin(best, now() - t0);
        }
        report_j1("dart", kind.c_str(), 0.1 / per, tend, (double)per * total, best, &mon, q);
    } else if (job == "j2") {
        int n = atoi(argv[4]);
        double tend = atof(argv[5]);
        chain c = chain_horizontal(n);
        std::vector<double> q(3 * n), v(3 * n);
        long steps = lrint(tend / h);
        for (int r = 0; r < reps(); r++) {
            Sim s(c, kind, h);
            double t0 = now();
            for (long k = 0; k < steps; k++) s.world->step();
            best = fmin(best, now() - t0);
            s.sample(q.data(), v.data());
        }
        report_j2("dart", kind.c_str(), h, n, tend, steps, best, &c, q.data(), v.data());
    } else {
        int steps = (int)rint(30 / h);
        rb_monitor mon;
        for (int r = 0; r < reps(); r++) {
            auto world = dart::simulation::World::create();
            auto skel = Skeleton::create();
            BodyNode::Properties b;
            b.mInertia =
                Inertia(1, Vector3d::Zero(), Vector3d(rb_inertia[0], rb_inertia[1], rb_inertia[2]).asDiagonal());
            BodyNode *body = skel->createJointAndBodyNodePair<BallJoint>(nullptr, BallJoint::Properties(), b).second;
            world->setGravity(Vector3d::Zero()), world->setTimeStep(h), world->addSkeleton(skel);
            skel->setVelocities(Vector3d(rb_omega[0], rb_omega[1], rb_omega[2]));
            memset(&mon, 0, sizeof mon);
            double t0 = now();
            for (int k = 0; k < steps; k++) {
                world->step();
                Eigen::Matrix<double, 3, 3, Eigen::RowMajor> R = body->getTransform().linear();
                Vector3d w = body->getAngularVelocity();
                rb_sample(&mon, R.data(), w.data());
            }
            best = fmin(best, now() - t0);
        }
        report_j3("dart", "euler", h, steps, best, &mon);
    }
}
