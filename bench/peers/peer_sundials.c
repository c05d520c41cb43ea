/* peer_sundials.c - SUNDIALS 6.4.1 on chains (J1, J2).
   Usage: peer_sundials j1 VARIANT tol tend | j2 VARIANT tol n tend [hmax]
   ida-dense|ida-band|ida-klu : IDA, index-2 stabilised (GGL) DAE in q, v, lambda, mu, analytic Jacobian
   cvode-proj : CVODE BDF on the index-1 ODE with a projection function (dense difference Jacobian)
   cvode-adams: CVODE Adams on the index-1 ODE, fixed-point iteration, no projection
   erk5, erk8 : ARKODE explicit Runge-Kutta of order 5 or 8 on the index-1 ODE, no projection */
#include "problem.h"
#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <cvode/cvode_proj.h>
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_band.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_band.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

enum { DENSE, BAND, KLU };
typedef struct {
    chain c;
    double *work;
    int solver, nnz;
    sunindextype *row, *col, *slot, *colptr, *rowidx; /* Jacobian entries in the order entries() makes them */
    double *val;
} problem;

#define P(y) N_VGetArrayPointer(y)
#define CK(x) check(x, #x)
static void check(int e, const char *what)
{
    if (e < 0) fprintf(stderr, "%s: %d\n", what, e), exit(1);
}

/* ---- IDA: node i owns y[8i..8i+7] = q(3), v(3), lambda, mu ---- */
static int residual(double t, N_Vector Y, N_Vector Yp, N_Vector F, void *user)
{
    const chain *c = &((problem *)user)->c;
    const double *y = P(Y), *yp = P(Yp);
    double *f = P(F), d[3], u[3], e[3];
    (void)t;
    for (int k = 0; k < 3; k++) d[k] = y[k], u[k] = y[3 + k];
    for (int i = 0; i < c->n; i++, y += 8, yp += 8, f += 8) {
        int last = i + 1 == c->n;
        double lam = y[6], mu = y[7], lamn = last ? 0 : y[14], mun = last ? 0 : y[15];
        for (int k = 0; k < 3; k++) {
            e[k] = last ? 0 : y[8 + k] - y[k];
            f[k] = yp[k] - y[3 + k] - mu * d[k] + mun * e[k];
            f[3 + k] = c->m[i] * (yp[3 + k] + (k == 2) * c->g) - lam * d[k] + lamn * e[k];
        }
        f[6] = 0.5 * (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] - c->l[i] * c->l[i]);
        f[7] = d[0] * u[0] + d[1] * u[1] + d[2] * u[2];
        for (int k = 0; k < 3; k++) d[k] = e[k], u[k] = last ? 0 : y[11 + k] - y[3 + k];
    }
    return 0;
}

/* All Jacobian entries in a fixed order; row and col are filled only when wanted. Returns their number. */
static int entries(problem *p, double cj, const double *y, int pattern)
{
    const chain *c = &p->c;
    int z = 0;
#define PUT(r, s, x) (pattern ? (void)(p->row[z] = (r), p->col[z] = (s)) : (void)0, (void)(p->val[z++] = (x)))
    for (int i = 0; i < c->n; i++) {
        const double *yi = y + 8 * i;
        int b = 8 * i, last = i + 1 == c->n;
        double lam = yi[6], mu = yi[7], lamn = last ? 0 : yi[14], mun = last ? 0 : yi[15];
        for (int k = 0; k < 3; k++) {
            double d = yi[k] - (i ? yi[k - 8] : 0), u = yi[3 + k] - (i ? yi[k - 5] : 0);
            PUT(b + k, b + k, cj - mu - mun), PUT(b + k, b + 3 + k, -1), PUT(b + k, b + 7, -d);
            PUT(b + 3 + k, b + 3 + k, cj * c->m[i]), PUT(b + 3 + k, b + k, -lam - lamn), PUT(b + 3 + k, b + 6, -d);
            PUT(b + 6, b + k, d), PUT(b + 7, b + k, u), PUT(b + 7, b + 3 + k, d);
            if (i) {
                PUT(b + k, b - 8 + k, mu), PUT(b + 3 + k, b - 8 + k, lam);
                PUT(b + 6, b - 8 + k, -d), PUT(b + 7, b - 8 + k, -u), PUT(b + 7, b - 5 + k, -d);
            }
            if (!last) {
                double e = yi[8 + k] - yi[k];
                PUT(b + k, b + 8 + k, mun), PUT(b + 3 + k, b + 8 + k, lamn);
                PUT(b + k, b + 15, e), PUT(b + 3 + k, b + 14, e);
            }
        }
    }
    return z;
}

static int jacobian(double t, double cj, N_Vector Y, N_Vector Yp, N_Vector R, SUNMatrix J, void *user, N_Vector a,
                    N_Vector b, N_Vector d)
{
    problem *p = user;
    double *data = p->solver == DENSE ? SM_DATA_D(J) : p->solver == BAND ? SM_DATA_B(J) : SM_DATA_S(J);
    (void)t, (void)Yp, (void)R, (void)a, (void)b, (void)d;
    if (p->solver == KLU) {
        memcpy(SM_INDEXPTRS_S(J), p->colptr, (8 * p->c.n + 1) * sizeof *p->colptr);
        memcpy(SM_INDEXVALS_S(J), p->rowidx, p->nnz * sizeof *p->rowidx);
    }
    entries(p, cj, P(Y), 0);
    for (int z = 0; z < p->nnz; z++) data[p->slot[z]] = p->val[z];
    return 0;
}

static SUNMatrix make_matrix(problem *p, N_Vector y, SUNContext ctx)
{
    int n = 8 * p->c.n, room = 54 * p->c.n;
    p->row = malloc(room * sizeof *p->row), p->col = malloc(room * sizeof *p->col);
    p->slot = malloc(room * sizeof *p->slot), p->val = malloc(room * sizeof *p->val);
    p->colptr = calloc(n + 1, sizeof *p->colptr), p->rowidx = malloc(room * sizeof *p->rowidx);
    p->nnz = entries(p, 1, P(y), 1);
    SUNMatrix J = p->solver == DENSE  ? SUNDenseMatrix(n, n, ctx)
                  : p->solver == BAND ? SUNBandMatrix(n, 15, 15, ctx)
                                      : SUNSparseMatrix(n, n, p->nnz, CSC_MAT, ctx);
    for (int z = 0; z < p->nnz; z++) p->colptr[p->col[z] + 1]++;
    for (int j = 0; j < n; j++) p->colptr[j + 1] += p->colptr[j];
    sunindextype *next = malloc(n * sizeof *next);
    memcpy(next, p->colptr, n * sizeof *next);
    for (int z = 0; z < p->nnz; z++) {
        sunindextype r = p->row[z], j = p->col[z];
        p->slot[z] = p->solver == DENSE  ? j * n + r
                     : p->solver == BAND ? j * SM_LDIM_B(J) + SM_SUBAND_B(J) + r - j
                                         : next[j];
        p->rowidx[next[j]++] = r;
    }
    free(next);
    return J;
}

/* ---- index-1 ODE, y = (q, v) ---- */
static int rhs(double t, N_Vector Y, N_Vector F, void *user)
{
    problem *p = user;
    int m = 3 * p->c.n;
    (void)t;
    memcpy(P(F), P(Y) + m, m * sizeof(double));
    chain_accel(&p->c, P(Y), P(Y) + m, P(F) + m, p->work, p->work + p->c.n);
    return 0;
}
static int project(double t, N_Vector Y, N_Vector corr, double eps, N_Vector err, void *user)
{
    problem *p = user;
    int m = 3 * p->c.n;
    double *z = P(corr), *y = P(Y);
    (void)t, (void)eps, (void)err;
    memcpy(z, y, 2 * m * sizeof(double));
    for (int k = 0; k < 20 && chain_project(&p->c, z, z, 0, p->work) > 1e-14; k++)
        ;
    chain_project(&p->c, z, z + m, 1, p->work);
    for (int k = 0; k < 2 * m; k++) z[k] -= y[k];
    return 0;
}

/* Integrates to tend, sampling every dt; returns CPU seconds, leaves q, v and the step count. */
static double solve(problem *p, const char *var, double tol, double tend, double dt, double hmax, double *q, double *v,
                    monitor *mon, double *steps)
{
    chain *c = &p->c;
    int ida = !strncmp(var, "ida", 3), n = c->n, neq = (ida ? 8 : 6) * n;
    SUNContext ctx;
    CK(SUNContext_Create(NULL, &ctx));
    N_Vector y = N_VNew_Serial(neq, ctx), yp = N_VNew_Serial(neq, ctx), atol = N_VNew_Serial(neq, ctx),
             id = N_VNew_Serial(neq, ctx);
    double *acc = malloc(3 * n * sizeof(double)), *lam = malloc(n * sizeof(double)), t = 0;
    SUNMatrix J = NULL;
    SUNLinearSolver ls = NULL;
    SUNNonlinearSolver nls = NULL;
    void *mem = NULL;
    long count;
    chain_accel(c, c->q, c->v, acc, lam, p->work);
    if (ida) {
        N_VConst(0, y), N_VConst(0, yp), N_VConst(tol, atol), N_VConst(1, id);
        for (int i = 0; i < n; i++) {
            for (int k = 0; k < 3; k++) {
                P(y)[8 * i + k] = c->q[3 * i + k], P(yp)[8 * i + k] = P(y)[8 * i + 3 + k] = c->v[3 * i + k];
                P(yp)[8 * i + 3 + k] = acc[3 * i + k];
            }
            P(y)[8 * i + 6] = lam[i], P(id)[8 * i + 6] = P(id)[8 * i + 7] = 0;
            P(atol)[8 * i + 6] = P(atol)[8 * i + 7] = 1; /* multipliers: only Newton sees their tolerance */
        }
        p->solver = !strcmp(var, "ida-dense") ? DENSE : !strcmp(var, "ida-band") ? BAND : KLU;
        mem = IDACreate(ctx);
        CK(IDAInit(mem, residual, 0, y, yp)), CK(IDASVtolerances(mem, tol, atol)), CK(IDASetUserData(mem, p));
        J = make_matrix(p, y, ctx);
        ls = p->solver == DENSE  ? SUNLinSol_Dense(y, J, ctx)
             : p->solver == BAND ? SUNLinSol_Band(y, J, ctx)
                                 : SUNLinSol_KLU(y, J, ctx);
        CK(IDASetLinearSolver(mem, ls, J)), CK(IDASetJacFn(mem, jacobian));
        CK(IDASetId(mem, id)), CK(IDASetSuppressAlg(mem, SUNTRUE)), CK(IDASetMaxNumSteps(mem, 100000000));
        if (hmax > 0) CK(IDASetMaxStep(mem, hmax)), CK(IDASetInitStep(mem, hmax));
    } else {
        memcpy(P(y), c->q, 3 * n * sizeof(double)), memcpy(P(y) + 3 * n, c->v, 3 * n * sizeof(double));
        if (!strncmp(var, "cvode", 5)) {
            int proj = !strcmp(var, "cvode-proj");
            mem = CVodeCreate(proj ? CV_BDF : CV_ADAMS, ctx);
            CK(CVodeInit(mem, rhs, 0, y)), CK(CVodeSStolerances(mem, tol, tol)), CK(CVodeSetUserData(mem, p));
            if (proj) {
                J = SUNDenseMatrix(neq, neq, ctx), ls = SUNLinSol_Dense(y, J, ctx);
                CK(CVodeSetLinearSolver(mem, ls, J)), CK(CVodeSetProjFn(mem, project)),
                    CK(CVodeSetProjErrEst(mem, SUNFALSE));
            } else {
                nls = SUNNonlinSol_FixedPoint(y, 0, ctx);
                CK(CVodeSetNonlinearSolver(mem, nls));
            }
            CK(CVodeSetMaxNumSteps(mem, 100000000));
            if (hmax > 0) CK(CVodeSetMaxStep(mem, hmax));
        } else {
            mem = ERKStepCreate(rhs, 0, y, ctx);
            CK(ERKStepSStolerances(mem, tol, tol)), CK(ERKStepSetUserData(mem, p)),
                CK(ERKStepSetMaxNumSteps(mem, 100000000));
            CK(ERKStepSetTableNum(mem, !strcmp(var, "erk8") ? ARKODE_FEHLBERG_13_7_8 : ARKODE_DORMAND_PRINCE_7_4_5));
            if (hmax > 0) CK(ERKStepSetMaxStep(mem, hmax));
        }
    }
    double t0 = now();
    for (int i = 1, total = (int)rint(tend / dt); i <= total; i++) {
        double tout = i * dt;
        if (ida)
            CK(IDASolve(mem, tout, &t, y, yp, IDA_NORMAL));
        else if (!strncmp(var, "cvode", 5))
            CK(CVode(mem, tout, y, &t, CV_NORMAL));
        else
            CK(ERKStepEvolve(mem, tout, y, &t, ARK_NORMAL));
        if (ida)
            for (int j = 0; j < 3 * n; j++) q[j] = P(y)[j / 3 * 8 + j % 3], v[j] = P(y)[j / 3 * 8 + 3 + j % 3];
        else
            memcpy(q, P(y), 3 * n * sizeof(double)), memcpy(v, P(y) + 3 * n, 3 * n * sizeof(double));
        if (mon) monitor_chain(mon, c, q, v);
    }
    double cpu = now() - t0;
    if (ida)
        CK(IDAGetNumSteps(mem, &count)), IDAFree(&mem);
    else if (!strncmp(var, "cvode", 5))
        CK(CVodeGetNumSteps(mem, &count)), CVodeFree(&mem);
    else
        CK(ERKStepGetNumSteps(mem, &count)), ERKStepFree(&mem);
    if (ls) SUNLinSolFree(ls);
    if (nls) SUNNonlinSolFree(nls);
    if (J) SUNMatDestroy(J);
    if (ida) free(p->row), free(p->col), free(p->slot), free(p->val), free(p->colptr), free(p->rowidx);
    N_VDestroy(y), N_VDestroy(yp), N_VDestroy(atol), N_VDestroy(id), free(acc), free(lam), SUNContext_Free(&ctx);
    *steps = (double)count;
    return cpu;
}

int main(int argc, char **argv)
{
    if (argc < 5) return fprintf(stderr, "usage: %s j1 VARIANT tol tend | j2 VARIANT tol n tend [hmax]\n", argv[0]), 1;
    int j2 = !strcmp(argv[1], "j2"), n = j2 ? atoi(argv[4]) : 2;
    double tol = atof(argv[3]), tend = atof(argv[j2 ? 5 : 4]), hmax = j2 && argc > 6 ? atof(argv[6]) : 0;
    problem p = { .c = j2 ? chain_horizontal(n) : chain_dsp(), .work = malloc(4 * n * sizeof(double)) };
    double *q = malloc(3 * n * sizeof(double)), *v = malloc(3 * n * sizeof(double)), best = INFINITY, steps = 0;
    monitor mon;
    monitor_start(&mon, chain_energy(&p.c, p.c.q, p.c.v), (int)rint(tend / 0.1));
    if (!j2) solve(&p, argv[2], tol, tend, 0.1, hmax, q, v, &mon, &steps); /* sampled, not timed */
    for (int r = 0; r < reps(); r++) best = fmin(best, solve(&p, argv[2], tol, tend, tend, hmax, q, v, NULL, &steps));
    if (j2)
        report_j2("sundials", argv[2], tol, n, tend, steps, best, &p.c, q, v);
    else
        report_j1("sundials", argv[2], tol, tend, steps, best, &mon, q);
}
