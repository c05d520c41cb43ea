/* The templates of pages (viewer/dist), as the build puts them into the library. */
#ifndef TAUT_REPORT_TEMPLATE_H
#define TAUT_REPORT_TEMPLATE_H

#include <stddef.h>

extern const unsigned char taut_template_page[];
extern const size_t taut_template_page_size;
extern const unsigned char taut_template_document[];
extern const size_t taut_template_document_size;
extern const unsigned char taut_template_ensemble[];
extern const size_t taut_template_ensemble_size;

#endif
