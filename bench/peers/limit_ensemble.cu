/* limit_ensemble.cu - J4 on a GPU: independent double spherical pendula, a hand-written step, one per thread, all of its
   numbers in registers for all its steps. Built with nvcc -arch=native [-fmad=false].
   Usage: limit_ensemble_gpu rattle|energy|peak h copies steps */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#define inline __device__ __forceinline__
#define V double
#define NAME(x) v##x
#include "dsp_kernel.h"
#undef inline

template <int method> __global__ void __launch_bounds__(128) run(double *x, double h, int steps, long count)
{
    const long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    vstate s;
    double *y = (double *)&s;
    for (int k = 0; k < 14; k++) y[k] = x[k * count + i];
    for (int k = 0; k < steps; k++) {
        if (method) venergy(&s, h);
        else vrattle(&s, h);
    }
    for (int k = 0; k < 14; k++) x[k * count + i] = y[k];
}

/* Products and sums without end: what the processor can do at most. fused: one instruction for both. */
template <bool fused> __global__ void peak(double *x, int rounds)
{
    double a[16], b = 1 + 1e-9 * threadIdx.x, c = 1e-9 * blockIdx.x;
    for (int k = 0; k < 16; k++) a[k] = k;
    for (int r = 0; r < rounds; r++)
        for (int k = 0; k < 16; k++) a[k] = fused ? __fma_rn(a[k], b, c) : __dadd_rn(a[k], b);
    for (int k = 1; k < 16; k++) a[0] += a[k];
    x[(long)blockIdx.x * blockDim.x + threadIdx.x] = a[0];
}

static void check(cudaError_t e)
{
    if (e != cudaSuccess) {
        fprintf(stderr, "limit_ensemble_gpu: %s\n", cudaGetErrorString(e));
        exit(1);
    }
}

int main(int argc, char **argv)
{
    if (argc < 5) return fprintf(stderr, "usage: %s rattle|energy|peak h copies steps\n", argv[0]), 1;
    const double h = atof(argv[2]);
    const long count = (long)atof(argv[3]);
    const int steps = (int)atof(argv[4]), threads = 128, blocks = (int)((count + threads - 1) / threads);
    double *x, *y = (double *)calloc(14 * count, sizeof *y);
    const double q[] = { 2.820, 0.025, -2.8366864, 5.085, 0.105, -4.8041285 }, v[] = { 3.381, 2.506, 3.3832, 2.497, 10.495, 2.2229 };
    for (long i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) { /* close to the constraints: the first steps project */
            const double f = 1 - 0.25 * i / count;
            y[k * count + i] = q[k], y[(3 + k) * count + i] = q[3 + k] - q[k];
            y[(6 + k) * count + i] = f * v[k], y[(9 + k) * count + i] = f * (v[3 + k] - v[k]);
        }
    cudaEvent_t begin, end;
    check(cudaMalloc(&x, 14 * count * sizeof *x)), check(cudaEventCreate(&begin)), check(cudaEventCreate(&end));
    float best = 1e30f;
    for (int r = 0; r < 4; r++) {
        float ms;
        check(cudaMemcpy(x, y, 14 * count * sizeof *x, cudaMemcpyHostToDevice));
        check(cudaEventRecord(begin));
        if (!strcmp(argv[1], "rattle")) run<0><<<blocks, threads>>>(x, h, steps, count);
        else if (!strcmp(argv[1], "energy")) run<1><<<blocks, threads>>>(x, h, steps, count);
        else if (h > 0) peak<true><<<blocks, threads>>>(x, steps);
        else peak<false><<<blocks, threads>>>(x, steps);
        check(cudaEventRecord(end)), check(cudaEventSynchronize(end)), check(cudaEventElapsedTime(&ms, begin, end));
        if (r) best = ms < best ? ms : best;
    }
    if (!strcmp(argv[1], "peak"))
        printf("peak: %.4g instructions/s (%s in double)\n", 16e3 * steps * count / best, h > 0 ? "fused multiply-add" : "add");
    else
        printf("hand-written %s copies=%ld steps=%d ps/member/step=%.5g\n", argv[1], count, steps, 1e9 * best / count / steps);
    return 0;
}
