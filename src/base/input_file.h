/* Files that a model or another file names. Opening a pipe may wait for ever, and a device may have no end: only
   regular files are opened. */
#ifndef TAUT_BASE_INPUT_FILE_H
#define TAUT_BASE_INPUT_FILE_H

#include <stdio.h>

/* Opens a regular file for reading. NULL: *why is what prevents it, to go into a message; it is valid until the next
   call of the C library that changes the text of an error. */
FILE *taut_input_file(const char *path, const char **why);

#endif
