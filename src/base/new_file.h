/* Files that appear under their name when they are complete: written as PATH.part, which is created there and then (no
   file or link that lies in wait is written to), on the disk before it gets its name.
 *
 * Nothing takes the place of a terminal or another character device, a pipe or a socket: what has such a name is
 * written to directly. */
#ifndef TAUT_BASE_NEW_FILE_H
#define TAUT_BASE_NEW_FILE_H

#include <stdio.h>

#define NEW_FILE_ENDING ".part"

/* Whether something has this name that is neither a regular file nor a folder, nor a link to one of these. */
int taut_new_file_is_special(const char *path);
/* Where to write what shall be PATH: PATH.part, or PATH itself where that is special. `part` has room for
   strlen(path) + sizeof NEW_FILE_ENDING. */
void taut_new_file_name(const char *path, char *part);
/* Removes what has the name `part`, if anything has, and creates the file; or opens what is special. NULL: errno. */
FILE *taut_new_file(const char *path, const char *part);
/* Writes the file to the disk and gives it its name, in place of what has it; other than 0: errno. */
int taut_new_file_settle(const char *path, const char *part);
/* After a failure: removes what was written. */
void taut_new_file_discard(const char *path, const char *part);

#endif
