/* Steps that targets must make to the bit: files that cases.c writes on this machine, and arm.c and wasm.mjs read. A
 * case is a program and a flow of it, and what the interpreter makes of some steps. All numbers are little-endian.
 *
 *     uint32_t [CASE_WORDS]         counts and places, in the order of the enum
 *     char [CASE_NAME]              what it is
 *     program_instruction []        of the setup, then of the flow; both end with PROGRAM_END
 *     double [CASE_VALUES]          registers before the setup
 *     for each step:
 *         double [4]                t0, its low part, t1, t1 - t0
 *         double [CASE_STATE]       the state's block before the step
 *         double                    what the step returns
 *         double [CASE_STATE]       the block behind it
 *         double [CASE_REPORTS]
 *         double [FLOW_COUNTS]
 *
 * What comes before the registers has a length that is a multiple of 8 bytes. */
#ifndef TAUT_TESTS_TARGETS_CASES_H
#define TAUT_TESTS_TARGETS_CASES_H

enum {
    CASE_MAGIC, CASE_VALUES, CASE_REGISTERS, CASE_STATE_FIRST, CASE_STATE, CASE_REPORT_FIRST, CASE_REPORTS,
    CASE_COUNT_FIRST, CASE_LITERAL_FIRST, CASE_SETUP, CASE_FLOW, CASE_STEPS, CASE_WORDS = 16
};
enum { CASE_NAME = 80, CASE_IS_ONE = 0x74756174 };

#endif
