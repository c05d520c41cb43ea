/* The templates of pages (viewer/dist), as the build puts them into the command. */
#ifndef TAUT_CLI_TEMPLATE_H
#define TAUT_CLI_TEMPLATE_H

#include <stddef.h>

extern const unsigned char template_page[];
extern const size_t template_page_size;
extern const unsigned char template_document[];
extern const size_t template_document_size;

#endif
