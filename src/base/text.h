/* Numbers as text, whatever locale the host has set: a decimal point in, a decimal point out. uselocale holds for
   the calling thread alone, and glibc and musl have the C locale ready: nothing is allocated, nothing can fail. */
#ifndef TAUT_BASE_TEXT_H
#define TAUT_BASE_TEXT_H

#include <locale.h>
#include <stdarg.h>
#include <stddef.h>

typedef struct {
    locale_t plain, host;
} text_locale;

/* From here to text_locale_leave this thread is in the C locale. Calls nest. */
static inline text_locale text_locale_enter(void)
{
    text_locale l = { newlocale(LC_ALL_MASK, "C", (locale_t)0), (locale_t)0 };
    if (l.plain) l.host = uselocale(l.plain);
    return l;
}

static inline void text_locale_leave(text_locale l)
{
    if (!l.plain) return;
    uselocale(l.host);
    freelocale(l.plain);
}

/* snprintf, vsnprintf and strtod in the C locale. */
int taut_text_format(char *buffer, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
int taut_text_format_v(char *buffer, size_t size, const char *format, va_list arguments);
double taut_text_number(const char *text, char **end);

/* Whether the character at the beginning of a text (UTF-8) is one to be seen: no control character, no formatting that
   hides or turns round what follows, no invalid byte. *bytes: those to go on after, at least 1 (0 at the end). */
int taut_text_visible(const char *text, int *bytes);
/* The name of a file without the folders before it: what goes to others, who need not know where it was. */
const char *taut_text_file_name(const char *path);
/* Replaces every mention of a path in a text by that name, which is shorter. */
void taut_text_hide_folder(char *text, const char *path);
/* Is every character of the text such a one? */
int taut_text_all_visible(const char *text);

#endif
