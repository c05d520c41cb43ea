/* Files that appear under their name when they are complete: written as PATH.part, which is created there and then (no
   file or link that lies in wait is written to), on the disk before it gets its name. */
#ifndef TAUT_BASE_NEW_FILE_H
#define TAUT_BASE_NEW_FILE_H

#include <stdio.h>

/* Removes what has this name, if anything has, and creates the file; NULL, with errno. */
FILE *taut_new_file(const char *part);
/* Writes the file to the disk and gives it its name, in place of what has it; other than 0: errno. */
int taut_new_file_settle(const char *part, const char *path);

#endif
