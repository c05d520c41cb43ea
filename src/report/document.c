#include "report/document.h"

#include <errno.h>
#include <string.h>

#include "report/page.h"

int document_begin(document *d, taut_context *context, FILE *file, const char *template_text, size_t template_size,
                   const char *title, const char *summary)
{
    *d = (document){ .context = context, .j = { .file = file } };
    const char *mark = page_mark(template_text, template_size);
    if (!mark) return fail(context, TAUT_BAD_USAGE, "the page's template has no place for data (%s)", PAGE_MARK);
    fwrite(template_text, 1, (size_t)(mark - template_text), file);
    d->rest = mark + strlen(PAGE_MARK);
    d->rest_size = (size_t)(template_text + template_size - d->rest);
    fputs("<script type=\"application/json\" id=\"data\">", file);
    json_open(&d->j, NULL, '{');
    json_integer(&d->j, "format", 1);
    json_text(&d->j, "title", title);
    json_text(&d->j, "summary", summary);
    json_open(&d->j, "parts", '[');
    return TAUT_OK;
}

int document_end(document *d)
{
    FILE *file = d->j.file;
    json_close(&d->j, ']');
    json_close(&d->j, '}');
    fputs("</script>\n", file);
    fwrite(d->rest, 1, d->rest_size, file);
    if (fflush(file) == EOF || ferror(file))
        return fail(d->context, TAUT_CANNOT_WRITE, "cannot write the page: %s", strerror(errno));
    return TAUT_OK;
}

static void begin_part(document *d, const char *type)
{
    json_open(&d->j, NULL, '{');
    json_text(&d->j, "type", type);
}

static void text_part(document *d, const char *type, const char *text)
{
    begin_part(d, type);
    json_text(&d->j, "text", text);
    json_close(&d->j, '}');
}

void document_text(document *d, const char *text) { text_part(d, "text", text); }
void document_source(document *d, const char *text) { text_part(d, "source", text); }

void document_heading(document *d, int level, const char *text)
{
    begin_part(d, "heading");
    json_integer(&d->j, "level", level);
    json_text(&d->j, "text", text);
    json_close(&d->j, '}');
}

static void end_list(document *d)
{
    json_close(&d->j, ']');
    json_close(&d->j, '}');
}

void document_table(document *d, const char *caption, const document_column *columns, size_t count)
{
    d->columns = count;
    begin_part(d, "table");
    json_text(&d->j, "caption", caption);
    json_open(&d->j, "columns", '[');
    for (size_t i = 0; i < count; i++) {
        json_open(&d->j, NULL, '{');
        json_text(&d->j, "name", columns[i].name);
        json_text(&d->j, "align", columns[i].right ? "right" : "left");
        json_close(&d->j, '}');
    }
    json_close(&d->j, ']');
    json_open(&d->j, "rows", '[');
}

void document_row(document *d, const char *const *cells)
{
    json_open(&d->j, NULL, '[');
    for (size_t i = 0; i < d->columns; i++) json_text(&d->j, NULL, cells[i] ? cells[i] : "");
    json_close(&d->j, ']');
}

void document_end_table(document *d) { end_list(d); }

static void write_axis(json *j, const char *key, const char *label, int log)
{
    json_open(j, key, '{');
    json_text(j, "label", label);
    json_flag(j, "log", log);
    json_close(j, '}');
}

void document_plot(document *d, const char *title, const char *x_label, int x_log, const char *y_label, int y_log)
{
    begin_part(d, "plot");
    json_text(&d->j, "title", title);
    write_axis(&d->j, "x", x_label, x_log);
    write_axis(&d->j, "y", y_label, y_log);
    json_open(&d->j, "series", '[');
}

static void write_numbers(json *j, const char *key, const double *values, size_t count)
{
    json_open(j, key, '[');
    for (size_t i = 0; i < count; i++) json_number(j, NULL, values[i]);
    json_close(j, ']');
}

void document_series(document *d, const char *label, series_style style, const double *x, const double *y, size_t count)
{
    static const char *const styles[] = { "line", "points", "both", "dashed" };
    json_open(&d->j, NULL, '{');
    json_text(&d->j, "label", label);
    json_text(&d->j, "style", styles[style]);
    write_numbers(&d->j, "x", x, count);
    write_numbers(&d->j, "y", y, count);
    json_close(&d->j, '}');
}

void document_end_plot(document *d) { end_list(d); }

void document_verdicts(document *d)
{
    begin_part(d, "verdicts");
    json_open(&d->j, "items", '[');
}

void document_verdict(document *d, verdict v, const char *claim, const char *remark)
{
    static const char *const words[] = { "holds", "qualified", "fails" };
    json_open(&d->j, NULL, '{');
    json_text(&d->j, "verdict", words[v]);
    json_text(&d->j, "claim", claim);
    json_text(&d->j, "remark", remark);
    json_close(&d->j, '}');
}

void document_end_verdicts(document *d) { end_list(d); }
