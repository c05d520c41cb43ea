/* A lowered step as a module of WebAssembly: bytes that browsers and others translate and run at once. The operations
 * of the flow in its order, so with the same bits.
 *
 * The module exports set_up and step, functions of two addresses: of the program's registers and of the state's block.
 * They return what program_code does. It imports from "taut": the memory `memory`; the elementary functions that it
 * uses, by the names of base/elementary.h (sin, powi, ..); and fma, which it calls where the product of two numbers
 * over- or underflows: WebAssembly has no fused multiply-add. */
#ifndef TAUT_LOWER_WASM_H
#define TAUT_LOWER_WASM_H

#include "base/builder.h"
#include "lower/program.h"

/* step: the program's flow, or a straight one (expect.h). Adds the bytes. */
int X(program_wasm)(const program *p, const step_flow *step, builder *out);

#endif
