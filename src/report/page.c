#include "report/page.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "report/frame_table.h"
#include "report/moving.h"
#include "report/pack.h"

/* Largest number of events in a page. */
#define PAGE_EVENTS 5000

typedef struct {
    taut_context *context;
    record *r;
    moving scene;
    const model *m;           /* of the scene */
    const picture *shown;
    frame_selection frames;
    table numbers;
    packed packed, whole;     /* the numbers */
    moving_choice choice;     /* frames of the animation */
    float *still, *motion;    /* all places in the first frame; the moving ones in all frames of the animation */
    const record_event *events;
    size_t event_count;
    int energy_conserved;
} page;

/* ---- reading ---- */

static int read_motion(page *z, float *places)
{
    const picture *p = z->shown;
    int status = TAUT_OK;
    for (long i = 0; !status && i < z->choice.frames; i++) {
        double t;
        long at = z->frames.first + moving_frame(&z->choice, i) * z->frames.every;
        status = taut_moving_places(&z->scene, at, &t, places);
        if (status) break;
        if (i == 0) memcpy(z->still, places, 3 * p->place_count * sizeof *places);
        for (size_t k = 0; k < p->moving_count; k++)
            memcpy(z->motion + 3 * ((size_t)i * p->moving_count + k), places + 3 * p->moving[k], 3 * sizeof *places);
    }
    return status;
}

static int make_motion(page *z)
{
    const picture *p = z->shown;
    z->choice = taut_moving_choose(&z->scene, z->numbers.frames);
    if (!p->place_count || !z->numbers.frames) return TAUT_OK;
    z->still = taut_mem_new(z->context, 3 * p->place_count, sizeof *z->still);
    z->motion = taut_mem_new(z->context, 3 * (size_t)z->choice.frames * p->moving_count, sizeof *z->motion);
    float *places = taut_mem_new(z->context, 3 * p->place_count, sizeof *places);
    int status = z->still && z->motion && places ? read_motion(z, places) : TAUT_OUT_OF_MEMORY;
    taut_mem_free(z->context, places);
    return status;
}

/* ---- writing ---- */

/* What the run says. One of an older Taut does not: then the energy is a constant of the motion unless a force or a
   contact acts or the equations depend on time. */
static int find_energy_conserved(page *z)
{
    const model *m = z->m;
    const char *said = taut_record_property(z->r, "energy");
    if (said) {
        z->energy_conserved = strcmp(said, "conserved") == 0;
        return TAUT_OK;
    }
    z->energy_conserved = !m->force_count && !m->contact_count && m->form != FORM_RATES;
    for (size_t i = 0; z->energy_conserved && i < m->summand_count + m->constraint_count; i++) {
        unsigned kinds = taut_expr_kinds(m->graph, i < m->summand_count ? m->summands[i].value
                                                                   : m->constraints[i - m->summand_count].value);
        if (kinds == ~0u) return TAUT_OUT_OF_MEMORY;
        if (kinds & 1u << KIND_T) z->energy_conserved = 0;
    }
    return TAUT_OK;
}

static void write_properties(page *z, json *j)
{
    static const char *const names[] = { "taut",  "model",     "method", "precision", "step",    "until",   "every",
                                         "tolerance", "start", "contacts", "status",  "message", "created",
                                         "redundancy" };
    taut_json_text(j, "title", z->m->title);
    taut_json_text_of(j, "source", z->m->source, z->m->source_size);
    taut_json_open(j, "run", '{');
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *text = taut_record_property(z->r, names[i]);
        if (text) taut_json_text(j, names[i], text);
    }
    taut_json_close(j, '}');
    taut_json_open(j, "parameters", '[');
    for (size_t i = 0; i < z->m->parameter_count; i++) {
        char text[64];
        for (int digits = 6; digits <= 17; digits++) { /* the shortest string that reads back the same */
            wide again;
            taut_wide_format(text, sizeof text, z->m->parameters[i].value, digits);
            if (!taut_wide_parse(text, &again) && (double)again == (double)z->m->parameters[i].value) break;
        }
        taut_json_open(j, NULL, '[');
        taut_json_text(j, NULL, z->m->parameters[i].name);
        taut_json_text(j, NULL, text);
        taut_json_close(j, ']');
    }
    taut_json_close(j, ']');
    taut_json_open(j, "settings", '[');
    for (size_t i = 0; i < taut_record_setting_count(z->r); i++) {
        const char *name, *value;
        taut_record_setting(z->r, i, &name, &value);
        taut_json_open(j, NULL, '[');
        taut_json_text(j, NULL, name);
        taut_json_text(j, NULL, value);
        taut_json_close(j, ']');
    }
    taut_json_close(j, ']');
    static const char *const units[UNITS] = { "length", "time", "mass" };
    taut_json_open(j, "units", '{');
    for (int k = 0; k < UNITS; k++)
        if (z->m->units[k]) taut_json_text(j, units[k], z->m->units[k]);
    taut_json_close(j, '}');
    taut_json_integer(j, "coordinates", z->m->coordinate_count);
    taut_json_integer(j, "constraints", (long long)z->m->constraint_count);
    taut_json_flag(j, "energyConserved", z->energy_conserved);
}

/* What the run watched, over all steps that were looked at (docs/run-file.md): name, first, last, lowest, highest,
   slope. Changes are formed before rounding to double. A run of an older Taut has none. */
static void write_watched(page *z, json *j)
{
    char key[32];
    taut_json_open(j, "watched", '[');
    for (int i = 0;; i++) {
        snprintf(key, sizeof key, "watched.%d", i);
        const char *text = taut_record_property(z->r, key), *tab = text ? strchr(text, '\t') : NULL;
        if (!tab) break;
        wide v[5];
        int count = 0;
        for (const char *at = tab; count < 5 && at; at = strchr(at + 1, '\t'), count++) {
            char number[WIDE_TEXT + 8];
            snprintf(number, sizeof number, "%.*s", (int)strcspn(at + 1, "\t"), at + 1);
            if (taut_wide_parse(number, &v[count])) break;
        }
        if (count < 5) break;
        taut_json_open(j, NULL, '{');
        taut_json_text_of(j, "name", text, (size_t)(tab - text));
        taut_json_number(j, "first", (double)v[0]);
        taut_json_number(j, "last", (double)v[1]);
        taut_json_number(j, "lowest", (double)v[2]);
        taut_json_number(j, "highest", (double)v[3]);
        taut_json_number(j, "down", (double)(v[2] - v[0]));
        taut_json_number(j, "up", (double)(v[3] - v[0]));
        taut_json_number(j, "change", (double)(v[1] - v[0]));
        taut_json_number(j, "slope", (double)v[4]);
        taut_json_close(j, '}');
    }
    taut_json_close(j, ']');
}

/* How the parts of a column are predicted: an order, or what they are like. */
static void write_codes(json *j, const pack_code *codes, size_t count)
{
    taut_json_open(j, "code", '[');
    for (size_t i = 0; i < count; i++) {
        if (codes[i].order >= 0) {
            taut_json_integer(j, NULL, codes[i].order);
            continue;
        }
        taut_json_open(j, NULL, '[');
        taut_json_integer(j, NULL, (long long)codes[i].like);
        taut_json_number(j, NULL, codes[i].times);
        taut_json_number(j, NULL, codes[i].plus);
        taut_json_close(j, ']');
    }
    taut_json_close(j, ']');
}

static void write_columns(page *z, json *j)
{
    const record_column *columns = taut_record_columns(z->r);
    taut_json_integer(j, "frames", z->numbers.frames);
    taut_json_integer(j, "framesOfRun", taut_record_frame_count(z->r));
    taut_json_integer(j, "firstFrame", z->frames.first);
    taut_json_integer(j, "frameStride", z->frames.every);
    taut_json_integer(j, "dense", z->numbers.dense);
    taut_json_integer(j, "bucket", z->numbers.bucket);
    taut_json_integer(j, "rows", (long long)z->numbers.rows);
    taut_json_integer(j, "columnsOmitted", (long long)z->numbers.omitted);
    taut_json_open(j, "columns", '[');
    for (size_t k = 0; k < z->numbers.column_count; k++) {
        const table_column *c = &z->numbers.columns[k];
        taut_json_open(j, NULL, '{');
        taut_json_text(j, "name", columns[c->source].name);
        taut_json_text(j, "kind", columns[c->source].kind);
        if (c->deviation) taut_json_flag(j, "deviation", 1);
        taut_json_number(j, "first", c->first);
        taut_json_number(j, "last", c->last);
        taut_json_number(j, "lowest", c->lowest);
        taut_json_number(j, "highest", c->highest);
        taut_json_number(j, "slope", c->slope);
        if (c->not_finite) taut_json_integer(j, "notFinite", (long long)c->not_finite);
        write_codes(j, z->packed.codes + k * z->packed.parts, z->packed.parts);
        taut_json_close(j, '}');
    }
    taut_json_close(j, ']');
    if (!z->numbers.whole_count) return;
    taut_json_open(j, "whole", '{');
    taut_json_integer(j, "rows", z->numbers.whole_rows);
    taut_json_open(j, "columns", '[');
    for (size_t k = 0; k < z->numbers.whole_count; k++) taut_json_integer(j, NULL, (long long)z->numbers.whole[k]);
    taut_json_close(j, ']');
    write_codes(j, z->whole.codes, z->whole.channel_count);
    taut_json_close(j, '}');
}

void taut_page_picture(json *j, const picture *p, long frames, long dense, long every, const mesh *meshes)
{
    static const char *const names[] = { "bar",  "spring",  "ball",     "box",     "disc",  "path",  "surface",
                                         "cylinder", "capsule", "plane", "ground", "arrow", "mesh" };
    char *const *texts = p->m->texts;
    taut_json_open(j, "picture", '{');
    taut_json_integer(j, "frames", p->place_count ? frames : 0);
    taut_json_integer(j, "dense", dense);
    taut_json_integer(j, "every", every);
    taut_json_flag(j, "guessed", p->guessed);
    taut_json_flag(j, "flat", p->flat);
    taut_json_integer(j, "places", (long long)p->place_count);
    taut_json_integer(j, "omitted", (long long)p->omitted);
    taut_json_open(j, "moving", '[');
    for (size_t i = 0; i < p->moving_count; i++) taut_json_integer(j, NULL, p->moving[i]);
    taut_json_close(j, ']');
    taut_json_open(j, "shapes", '[');
    for (size_t i = 0; i < p->shape_count; i++) {
        const shape *s = &p->shapes[i];
        taut_json_open(j, NULL, '{');
        taut_json_text(j, "type", names[s->type]);
        if (s->rows > 1) taut_json_integer(j, "columns", s->columns);
        if (s->type == SHAPE_GROUND) taut_json_number(j, "height", s->radius);
        else if (s->radius > 0) taut_json_number(j, "radius", s->radius);
        if (s->scale > 0) taut_json_number(j, "scale", s->scale);
        if (s->colour) taut_json_text(j, "colour", texts[s->colour - 1]);
        if (s->label) taut_json_text(j, "label", texts[s->label - 1]);
        if (s->file) taut_json_text(j, "file", texts[s->file - 1]);
        if (meshes && meshes[i].count) taut_json_integer(j, "mesh", (long long)i);
        taut_json_open(j, "at", '[');
        for (size_t k = 0; k < (size_t)s->rows * s->columns; k++) taut_json_integer(j, NULL, p->index[s->first + k]);
        taut_json_close(j, ']');
        taut_json_close(j, '}');
    }
    taut_json_close(j, ']');
    taut_json_close(j, '}');
}

static void write_events(page *z, json *j)
{
    size_t count = z->event_count < PAGE_EVENTS ? z->event_count : PAGE_EVENTS;
    taut_json_integer(j, "eventsOmitted", (long long)(z->event_count - count));
    taut_json_open(j, "events", '[');
    for (size_t i = 0; i < count; i++) {
        taut_json_open(j, NULL, '{');
        taut_json_number(j, "t", z->events[i].t);
        taut_json_text(j, "name", z->events[i].name);
        taut_json_text(j, "kind", z->events[i].kind);
        taut_json_number(j, "impulse", z->events[i].impulse);
        taut_json_close(j, '}');
    }
    taut_json_close(j, ']');
}

static void write_blocks(page *z, FILE *file)
{
    fputs("<script type=\"text/plain\" id=\"numbers\">", file);
    taut_base64_bytes(file, z->packed.bytes, z->packed.size);
    fputs("</script>\n", file);
    if (z->numbers.whole_count) {
        fputs("<script type=\"text/plain\" id=\"whole\">", file);
        taut_base64_bytes(file, z->whole.bytes, z->whole.size);
        fputs("</script>\n", file);
    }
    for (size_t i = 0; z->scene.meshes && i < z->shown->shape_count; i++) {
        if (!z->scene.meshes[i].count) continue;
        fprintf(file, "<script type=\"text/plain\" id=\"mesh-%zu\">", i);
        taut_base64_floats(file, z->scene.meshes[i].corners, 9 * z->scene.meshes[i].count);
        fputs("</script>\n", file);
    }
    if (!z->motion) return;
    fputs("<script type=\"text/plain\" id=\"still\">", file);
    taut_base64_floats(file, z->still, 3 * z->shown->place_count);
    fputs("</script>\n<script type=\"text/plain\" id=\"motion\">", file);
    taut_base64_floats(file, z->motion, 3 * (size_t)z->choice.frames * z->shown->moving_count);
    fputs("</script>\n", file);
}

static void write_data(page *z, FILE *file)
{
    json j = { .file = file, .path = taut_record_property(z->r, "model") }; /* older runs have folders */
    fputs("<script type=\"application/json\" id=\"data\">", file);
    taut_json_open(&j, NULL, '{');
    taut_json_integer(&j, "format", 2);
    write_properties(z, &j);
    write_watched(z, &j);
    write_columns(z, &j);
    taut_page_picture(&j, z->shown, z->choice.frames, z->choice.dense, z->choice.every, z->scene.meshes);
    write_events(z, &j);
    taut_json_close(&j, '}');
    fputs("</script>\n", file);
    write_blocks(z, file);
}

const char *taut_page_mark(const char *template_text, size_t template_size)
{
    return memmem(template_text, template_size, PAGE_MARK, strlen(PAGE_MARK));
}

static int put_together(page *z, const char *text, size_t size, FILE *file)
{
    const char *mark = taut_page_mark(text, size);
    if (!mark)
        return taut_fail(z->context, TAUT_BAD_USAGE, "the page's template has no place for data (%s)", PAGE_MARK);
    const char *rest = mark + strlen(PAGE_MARK);
    fwrite(text, 1, (size_t)(mark - text), file);
    write_data(z, file);
    fwrite(rest, 1, (size_t)(text + size - rest), file);
    if (fflush(file) == EOF || ferror(file))
        return taut_fail(z->context, TAUT_CANNOT_WRITE, "cannot write the page: %s", strerror(errno));
    return TAUT_OK;
}

static int select_frames(page *z, const page_part *part)
{
    long first, end;
    int status = taut_moving_find(&z->scene, part->from, 0, &first);
    if (!status) status = taut_moving_find(&z->scene, part->to, 1, &end);
    if (status) return status;
    z->frames = (frame_selection){ first, part->every, (end - first + part->every - 1) / part->every };
    if (z->frames.count > 0 || (!taut_record_frame_count(z->r) && part->from < part->to)) return TAUT_OK;
    return taut_fail(z->context, TAUT_BAD_USAGE, "the run has no frame with %.9g <= t <= %.9g", part->from, part->to);
}

int taut_page_write(taut_context *context, record *r, const char *template_text, size_t template_size, FILE *file)
{
    const page_part whole = { -INFINITY, INFINITY, 1, NULL };
    return taut_page_write_part(context, r, &whole, template_text, template_size, file);
}

int taut_page_write_part(taut_context *context, record *r, const page_part *part, const char *template_text,
                         size_t template_size, FILE *file)
{
    page z = { .context = context, .r = r };
    int status = taut_moving_open(&z.scene, context, r, part->meshes);
    z.m = z.scene.m;
    z.shown = z.scene.shown;
    if (!status) status = select_frames(&z, part);
    if (!status) status = taut_table_select(context, r, &z.frames, &z.numbers);
    if (!status) status = taut_pack(context, &z.numbers, taut_record_columns(r), &z.packed);
    if (!status && z.numbers.whole_count)
        status = taut_pack_whole(context, &z.numbers, taut_record_columns(r), &z.whole);
    if (!status) status = make_motion(&z);
    if (!status) status = find_energy_conserved(&z);
    if (!status) status = taut_record_events(r, &z.events, &z.event_count);
    if (!status) status = put_together(&z, template_text, template_size, file);
    taut_mem_free(context, z.still);
    taut_mem_free(context, z.motion);
    taut_pack_clear(context, &z.packed);
    taut_pack_clear(context, &z.whole);
    taut_table_clear(&z.numbers);
    taut_moving_close(&z.scene);
    return status;
}
