#include "report/document.h"

#include <errno.h>
#include <string.h>

#include "report/page.h"

int taut_document_begin(document *d, taut_context *context, FILE *file, const char *template_text, size_t template_size,
                   const char *title, const char *summary)
{
    *d = (document){ .context = context, .j = { .file = file } };
    const char *mark = taut_page_mark(template_text, template_size);
    if (!mark) return taut_fail(context, TAUT_BAD_USAGE, "the page's template has no place for data (%s)", PAGE_MARK);
    fwrite(template_text, 1, (size_t)(mark - template_text), file);
    d->rest = mark + strlen(PAGE_MARK);
    d->rest_size = (size_t)(template_text + template_size - d->rest);
    fputs("<script type=\"application/json\" id=\"data\">", file);
    taut_json_open(&d->j, NULL, '{');
    taut_json_integer(&d->j, "format", 1);
    taut_json_text(&d->j, "title", title);
    taut_json_text(&d->j, "summary", summary);
    taut_json_open(&d->j, "parts", '[');
    return TAUT_OK;
}

int taut_document_end(document *d)
{
    FILE *file = d->j.file;
    taut_json_close(&d->j, ']');
    taut_json_close(&d->j, '}');
    fputs("</script>\n", file);
    fwrite(d->rest, 1, d->rest_size, file);
    if (fflush(file) == EOF || ferror(file))
        return taut_fail(d->context, TAUT_CANNOT_WRITE, "cannot write the page: %s", strerror(errno));
    return TAUT_OK;
}

static void begin_part(document *d, const char *type)
{
    taut_json_open(&d->j, NULL, '{');
    taut_json_text(&d->j, "type", type);
}

static void text_part(document *d, const char *type, const char *text)
{
    begin_part(d, type);
    taut_json_text(&d->j, "text", text);
    taut_json_close(&d->j, '}');
}

void taut_document_text(document *d, const char *text) { text_part(d, "text", text); }
void taut_document_source(document *d, const char *text) { text_part(d, "source", text); }

void taut_document_heading(document *d, int level, const char *text)
{
    begin_part(d, "heading");
    taut_json_integer(&d->j, "level", level);
    taut_json_text(&d->j, "text", text);
    taut_json_close(&d->j, '}');
}

static void end_list(document *d)
{
    taut_json_close(&d->j, ']');
    taut_json_close(&d->j, '}');
}

void taut_document_table(document *d, const char *caption, const document_column *columns, size_t count)
{
    d->columns = count;
    begin_part(d, "table");
    taut_json_text(&d->j, "caption", caption);
    taut_json_open(&d->j, "columns", '[');
    for (size_t i = 0; i < count; i++) {
        taut_json_open(&d->j, NULL, '{');
        taut_json_text(&d->j, "name", columns[i].name);
        taut_json_text(&d->j, "align", columns[i].right ? "right" : "left");
        taut_json_close(&d->j, '}');
    }
    taut_json_close(&d->j, ']');
    taut_json_open(&d->j, "rows", '[');
}

void taut_document_row(document *d, const char *const *cells)
{
    taut_json_open(&d->j, NULL, '[');
    for (size_t i = 0; i < d->columns; i++) taut_json_text(&d->j, NULL, cells[i] ? cells[i] : "");
    taut_json_close(&d->j, ']');
}

void taut_document_end_table(document *d) { end_list(d); }

static void write_axis(json *j, const char *key, const char *label, int log)
{
    taut_json_open(j, key, '{');
    taut_json_text(j, "label", label);
    taut_json_flag(j, "log", log);
    taut_json_close(j, '}');
}

void taut_document_plot(document *d, const char *title, const char *x_label, int x_log, const char *y_label, int y_log)
{
    begin_part(d, "plot");
    taut_json_text(&d->j, "title", title);
    write_axis(&d->j, "x", x_label, x_log);
    write_axis(&d->j, "y", y_label, y_log);
    taut_json_open(&d->j, "series", '[');
}

static void write_numbers(json *j, const char *key, const double *values, size_t count)
{
    taut_json_open(j, key, '[');
    for (size_t i = 0; i < count; i++) taut_json_number(j, NULL, values[i]);
    taut_json_close(j, ']');
}

void taut_document_series(document *d, const char *label, series_style style, const double *x, const double *y,
                          size_t count)
{
    static const char *const styles[] = { "line", "points", "both", "dashed" };
    taut_json_open(&d->j, NULL, '{');
    taut_json_text(&d->j, "label", label);
    taut_json_text(&d->j, "style", styles[style]);
    write_numbers(&d->j, "x", x, count);
    write_numbers(&d->j, "y", y, count);
    taut_json_close(&d->j, '}');
}

void taut_document_end_plot(document *d) { end_list(d); }

void taut_document_verdicts(document *d)
{
    begin_part(d, "verdicts");
    taut_json_open(&d->j, "items", '[');
}

void taut_document_verdict(document *d, verdict v, const char *claim, const char *remark)
{
    static const char *const words[] = { "holds", "qualified", "fails" };
    taut_json_open(&d->j, NULL, '{');
    taut_json_text(&d->j, "verdict", words[v]);
    taut_json_text(&d->j, "claim", claim);
    taut_json_text(&d->j, "remark", remark);
    taut_json_close(&d->j, '}');
}

void taut_document_end_verdicts(document *d) { end_list(d); }

void taut_document_motion(document *d, const char *title, const char *label)
{
    begin_part(d, "motion");
    taut_json_text(&d->j, "title", title);
    taut_json_text(&d->j, "label", label);
}

void taut_document_end_motion(document *d) { end_list(d); }
