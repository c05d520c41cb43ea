/* Lines on a terminal, see wrap.c. */
#ifndef TAUT_CLI_WRAP_H
#define TAUT_CLI_WRAP_H

/* Standard output from now on. */
void wrap_begin(void);
/* Writes what is left. Non-zero: something could not be written; errno says why. */
int wrap_end(void);

#endif
