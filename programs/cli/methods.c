/* taut methods */
#include <stdio.h>
#include <string.h>

#include "base/near.h"
#include "cli/answer.h"
#include "cli/cli.h"
#include "cli/screen.h"

static int methods_main(int argc, char **argv);

static const option_definition definitions_of_methods[] = { OPTION_JSON };

const command command_methods = {
    "methods", "[NAME] [--json]", "the catalogue: order, what is kept, options, source",
    definitions_of_methods, sizeof definitions_of_methods / sizeof *definitions_of_methods, methods_main, NULL
};

static const struct {
    unsigned bit;
    const char *name, *meaning;
} properties[] = {
    { TAUT_KEEPS_SYMPLECTIC, "symplectic", "the symplectic form on the constraint manifold" },
    { TAUT_KEEPS_ENERGY, "energy", "the energy, exactly" },
    { TAUT_KEEPS_MOMENTUM, "momentum", "linear and angular momenta of the model's symmetries" },
    { TAUT_KEEPS_REVERSIBLE, "reversible", "a step back undoes a step" },
    { TAUT_KEEPS_POSITION, "position", "g(q) = 0" },
    { TAUT_KEEPS_VELOCITY, "velocity", "dg/dt = 0" },
};
#define PROPERTY_COUNT (sizeof properties / sizeof *properties)

static taut_method_info method_at(size_t index)
{
    taut_method_info info = { .size = sizeof info };
    taut_methods(index, &info);
    return info;
}

static taut_method_option option_at(size_t method, size_t index)
{
    taut_method_option option = { .size = sizeof option };
    taut_method_options(method, index, &option);
    return option;
}

static void list(void)
{
    taut_method_info info;
    for (size_t i = 0; info = method_at(i), info.name; i++) {
        printf("%s%-10s%s order %d, keeps", screen_tone(stdout, TONE_HEADING), info.name,
               screen_tone(stdout, TONE_PLAIN), info.order);
        for (size_t k = 0; k < PROPERTY_COUNT; k++)
            if (info.keeps & properties[k].bit) printf(" %s", properties[k].name);
        if (!info.keeps) printf(" nothing exactly");
        printf("\n           %s\n", info.summary);
    }
    puts("\n'taut methods NAME' shows equations, options and source.");
}

static void print_lines(const char *text)
{
    for (const char *line = text; *line;) {
        int length = (int)strcspn(line, "\n");
        printf("    %.*s\n", length, line);
        line += length + (line[length] == '\n');
    }
}

static void describe(size_t index, const taut_method_info *info)
{
    screen_put(stdout, TONE_HEADING, "%s", info->name);
    printf(": %s\n\n  order       %d", info->summary, info->order);
    if (info->momentum_order != info->order)
        printf(" (%d in momenta and velocities)", info->momentum_order);
    printf("\n  source      %s\n  keeps\n", info->source);
    for (size_t k = 0; k < PROPERTY_COUNT; k++)
        printf("    %-11s %-4s %s\n", properties[k].name, info->keeps & properties[k].bit ? "yes" : "no",
               properties[k].meaning);
    const unsigned besides = info->keeps_free;
    if (besides) fputs("    without constraints also:", stdout);
    for (size_t k = 0; k < PROPERTY_COUNT; k++)
        if (besides & properties[k].bit) printf(" %s", properties[k].name);
    if (besides) putchar('\n');
    puts(info->options ? "  options" : "  options     none");
    for (size_t i = 0; i < info->options; i++) {
        const taut_method_option o = option_at(index, i);
        printf("    %-11s %-16s %s\n", o.name, o.values, o.meaning);
    }
    puts("  equations");
    print_lines(info->equations);
    puts("  constraints on velocities, psi = A(q,t) v + b(q,t) = 0");
    if (info->slips) print_lines(info->slips);
    else puts("    refused");
    if (info->slips && info->keeps & TAUT_KEEPS_SYMPLECTIC)
        puts("    with them no method is symplectic: the motion itself keeps no such form; the rest of the list holds");
    if (info->family) puts("  members");
    if (info->family) print_lines(info->family);
}

/* ---- JSON ---- */

static void answer_method(size_t index, const taut_method_info *info)
{
    json *j = answer_json();
    taut_json_open(j, NULL, '{');
    taut_json_text(j, "name", info->name);
    taut_json_text(j, "summary", info->summary);
    taut_json_text(j, "source", info->source);
    taut_json_integer(j, "order", info->order);
    taut_json_integer(j, "momentum_order", info->momentum_order);
    taut_json_open(j, "keeps", '[');
    for (size_t k = 0; k < PROPERTY_COUNT; k++)
        if (info->keeps & properties[k].bit) taut_json_text(j, NULL, properties[k].name);
    taut_json_close(j, ']');
    taut_json_open(j, "options", '[');
    for (size_t i = 0; i < info->options; i++) {
        const taut_method_option o = option_at(index, i);
        taut_json_open(j, NULL, '{');
        taut_json_text(j, "name", o.name);
        taut_json_text(j, "values", o.values);
        taut_json_text(j, "meaning", o.meaning);
        taut_json_close(j, '}');
    }
    taut_json_close(j, ']');
    taut_json_text(j, "equations", info->equations);
    taut_json_text(j, "members", info->family);
    taut_json_close(j, '}');
}

/* All of them, or the one of this name. */
static void answer_methods(const char *name)
{
    taut_method_info info;
    taut_json_open(answer_json(), "methods", '[');
    for (size_t i = 0; info = method_at(i), info.name; i++)
        if (!name || strcmp(name, info.name) == 0) answer_method(i, &info);
    taut_json_close(answer_json(), ']');
}

static int methods_main(int argc, char **argv)
{
    options o;
    taut_method_info info;
    int parsed = options_parse(&command_methods, argc, argv, &o);
    if (parsed) return parsed > 0 ? EXIT_DONE : EXIT_USAGE;
    if (o.positional_count > 1) return complain(EXIT_USAGE, "'taut methods' takes one name");
    screen_keep_output();
    if (o.positional_count == 0) {
        if (answer_is_json()) answer_methods(NULL);
        else list();
        return EXIT_DONE;
    }
    char advice[NEAR_TEXT];
    near_word n = taut_near(o.positional[0]);
    for (size_t i = 0; info = method_at(i), info.name; i++) {
        taut_near_try(&n, info.name);
        if (strcmp(info.name, o.positional[0]) == 0) {
            if (answer_is_json()) answer_methods(info.name);
            else describe(i, &info);
            return EXIT_DONE;
        }
    }
    return complain(EXIT_USAGE, "there is no method '%s'; %s'taut methods' lists them", o.positional[0],
                    taut_near_text(&n, "", advice));
}
