/* What the tests of single run files share: a folder of their own with two names in it, and numbers by SQL. */
#ifndef TAUT_TESTS_SUPPORT_RUN_FILE_H
#define TAUT_TESTS_SUPPORT_RUN_FILE_H

#include <sqlite3.h>
#include <unistd.h>

#include "support_record.h"

static char folder[] = "taut-record-XXXXXX";
static char path[300], other[300];

static inline int fresh(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "%s/run.taut", folder);
    snprintf(other, sizeof other, "%s/other.taut", folder);
    unlink(path);
    unlink(other);
    rmdir(path); /* of a test that failed */
    return 0;
}

static inline void assert_same_number(double found, double expected)
{
    if (!(found == expected || (found != found && expected != expected))) fail_msg("%.17g, not %.17g", found, expected);
}

static inline double sql_number(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *s;
    if (sqlite3_prepare_v2(db, sql, -1, &s, NULL)) fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    if (sqlite3_step(s) != SQLITE_ROW) fail_msg("%s: no row", sql);
    double value = sqlite3_column_type(s, 0) == SQLITE_NULL ? NAN : sqlite3_column_double(s, 0);
    sqlite3_finalize(s);
    return value;
}

#endif
