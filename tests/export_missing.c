/* Export to HDF5 where its library is not installed: compiled with src/record/export_hdf5.c and a name that no library
   has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "record/export.h"

#include <cmocka.h>

static void it_says_so(void **state)
{
    (void)state;
    taut_context *context = taut_context_create(NULL);
    assert_non_null(context);
    assert_int_equal(taut_export_hdf5(context, NULL, "missing.h5", &(export_options){ NULL, 0, 1 }), TAUT_UNSUPPORTED);
    assert_non_null(strstr(taut_error_text(context), "HDF5 is not available: 'libtaut-no-such.so' cannot be loaded"));
    assert_int_not_equal(access("missing.h5", F_OK), 0);
    taut_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(it_says_so) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
