#include "cli/check_json.h"

#include <math.h>

#include "cli/answer.h"
#include "cli/cli.h"

static void put_item(json *j, int kind, const taut_found *f)
{
    if (kind == TAUT_FOUND_CONSERVED) {
        taut_json_text(j, NULL, f->name);
        return;
    }
    taut_json_open(j, NULL, '{');
    taut_json_text(j, "name", f->name);
    if (kind == TAUT_FOUND_START) {
        taut_json_wide(j, "value", wide_of(f->value), 17);
        taut_json_flag(j, "free", f->is_free);
    } else if (kind == TAUT_FOUND_DEPENDENT) {
        taut_json_integer(j, "line", f->line);
        taut_json_text(j, "depends_on", f->text);
    } else {
        taut_json_flag(j, "suits", !f->text);
        taut_json_text(j, "refusal", f->text);
    }
    taut_json_close(j, '}');
}

static void put_items(json *j, const taut_findings *findings, const char *key, int kind)
{
    taut_found f = { .size = sizeof f };
    taut_json_open(j, key, '[');
    for (size_t i = 0; taut_findings_item(findings, kind, i, &f) == TAUT_OK; i++) put_item(j, kind, &f);
    taut_json_close(j, ']');
}

static void put_structure(json *j, const taut_structure *c)
{
    static const char *const forms[] = { [TAUT_FORM_NONE] = NULL, [TAUT_FORM_LAGRANGIAN] = "lagrangian",
                                         [TAUT_FORM_HAMILTONIAN] = "hamiltonian", [TAUT_FORM_RATES] = "rates" };
    taut_json_text(j, "form", forms[c->form]);
    taut_json_flag(j, "phase_space", c->phase_space);
    taut_json_flag(j, "time_dependent", c->time_dependent);
    taut_json_flag(j, "forces", c->has_forces);
    taut_json_flag(j, "constant_mass", c->constant_mass);
    taut_json_flag(j, "diagonal_mass", c->diagonal_mass);
    taut_json_integer(j, "largest_mass_block", c->largest_mass_block);
    taut_json_flag(j, "augmented_mass", c->augmented_mass);
    taut_json_flag(j, "fast_path", c->fast_path);
    taut_json_wide(j, "fastest_frequency", c->fastest_frequency.high > 0 ? wide_of(c->fastest_frequency) : (wide)NAN, 6);
    taut_json_integer(j, "terms", (long long)c->terms);
    taut_json_integer(j, "kernels", (long long)c->kernels);
    taut_json_integer(j, "constants", (long long)c->constants);
}

static int put_dirac(json *j, taut_findings *findings)
{
    const char *line;
    const int status = taut_findings_dirac(findings, NULL, NULL);
    if (status) return status;
    taut_json_open(j, "dirac", '[');
    for (size_t i = 0; (line = taut_findings_dirac_line(findings, i)); i++) taut_json_text(j, NULL, line);
    taut_json_close(j, ']');
    return TAUT_OK;
}

static void put_known(json *j, const char *key, int known, long long value)
{
    if (known) taut_json_integer(j, key, value);
    else taut_json_text(j, key, NULL);
}

const char *check_method(const taut_findings *findings, const char *asked)
{
    taut_found f = { .size = sizeof f };
    for (size_t i = 0; !asked && taut_findings_item(findings, TAUT_FOUND_METHOD, i, &f) == TAUT_OK; i++)
        if (!f.text) return f.name;
    return asked;
}

/* null where no method suits. */
static int put_path(json *j, taut_findings *findings, const char *asked)
{
    static const char *const kinds[] = { [TAUT_PATH_STRAIGHT] = "straight-line", [TAUT_PATH_ELEMENTS] = "elements",
                                         [TAUT_PATH_FIELDS] = "fields", [TAUT_PATH_WRITTEN_OUT] = "written-out" };
    taut_path p = { .size = sizeof p };
    const char *method = check_method(findings, asked);
    const int status = method ? taut_findings_path(findings, method, &p) : TAUT_UNSUPPORTED;
    if (status) {
        taut_json_text(j, "steps", NULL);
        return asked ? status : TAUT_OK;
    }
    taut_json_open(j, "steps", '{');
    taut_json_text(j, "method", method);
    taut_json_text(j, "path", kinds[p.kind]);
    taut_json_integer(j, "shapes", p.shapes);
    taut_json_integer(j, "phases", p.phases);
    taut_json_integer(j, "condensed", p.condensed);
    taut_json_text(j, "not_straight_line", p.why[0] ? p.why : NULL);
    taut_json_text(j, "no_elements", p.why_fields[0] ? p.why_fields : NULL);
    taut_json_close(j, '}');
    return TAUT_OK;
}

int check_answer(taut_context *context, taut_findings *findings, const char *method, int dirac)
{
    json *j = answer_json();
    taut_structure c = { .size = sizeof c };
    taut_findings_about(findings, &c);
    taut_json_integer(j, "coordinates", (long long)c.coordinates);
    taut_json_integer(j, "constraints", (long long)c.constraints);
    put_known(j, "rank", c.rank_known, (long long)c.rank);
    put_known(j, "degrees_of_freedom", c.rank_known, c.degrees_of_freedom);
    taut_json_integer(j, "contacts", (long long)c.contacts);
    taut_json_integer(j, "closed_contacts", (long long)c.closed);
    put_items(j, findings, "redundant", TAUT_FOUND_DEPENDENT);
    put_structure(j, &c);
    taut_json_flag(j, "energy_conserved", c.energy_conserved);
    put_items(j, findings, "conserved", TAUT_FOUND_CONSERVED);
    put_items(j, findings, "methods", TAUT_FOUND_METHOD);
    if (put_path(j, findings, method)) return complain(EXIT_USAGE, "%s", taut_error_text(context));
    taut_json_flag(j, "start_consistent", !c.start_failure[0]);
    taut_json_open(j, "start_moved", '{');
    taut_json_wide(j, "positions", wide_of(c.start_moved_positions), 17);
    taut_json_wide(j, "velocities", wide_of(c.start_moved_velocities), 17);
    taut_json_close(j, '}');
    put_items(j, findings, "start", TAUT_FOUND_START);
    if (dirac && put_dirac(j, findings)) return complain(EXIT_FAILED, "%s", taut_error_text(context));
    return c.start_failure[0] ? complain(EXIT_USAGE, "%s", c.start_failure) : EXIT_DONE;
}
