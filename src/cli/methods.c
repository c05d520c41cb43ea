/* taut methods */
#include <stdio.h>
#include <string.h>

#include "base/near.h"
#include "cli/answer.h"
#include "cli/cli.h"
#include "cli/screen.h"
#include "method/method.h"
#include "run/engine.h"

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
    { KEEPS_SYMPLECTIC, "symplectic", "the symplectic form on the constraint manifold" },
    { KEEPS_ENERGY, "energy", "the energy, exactly" },
    { KEEPS_MOMENTUM, "momentum", "linear and angular momenta of the model's symmetries" },
    { KEEPS_REVERSIBLE, "reversible", "a step back undoes a step" },
    { KEEPS_POSITION, "position", "g(q) = 0" },
    { KEEPS_VELOCITY, "velocity", "dg/dt = 0" },
};
#define PROPERTY_COUNT (sizeof properties / sizeof *properties)

static void list(void)
{
    const engine_api *api = &taut_engine_double;
    for (int i = 0; i < api->method_count(); i++) {
        const method_info *info = api->method_info(i);
        printf("%s%-10s%s order %d, keeps", screen_tone(stdout, TONE_HEADING), info->name,
               screen_tone(stdout, TONE_PLAIN), info->order);
        for (size_t k = 0; k < PROPERTY_COUNT; k++)
            if (info->keeps & properties[k].bit) printf(" %s", properties[k].name);
        if (!info->keeps) printf(" nothing exactly");
        printf("\n           %s\n", info->summary);
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

static void describe(const method_info *info)
{
    screen_put(stdout, TONE_HEADING, "%s", info->name);
    printf(": %s\n\n  order       %d", info->summary, info->order);
    if (info->momentum_order) printf(" (%d in momenta and velocities)", info->momentum_order);
    printf("\n  source      %s\n  keeps\n", info->source);
    for (size_t k = 0; k < PROPERTY_COUNT; k++)
        printf("    %-11s %-4s %s\n", properties[k].name, info->keeps & properties[k].bit ? "yes" : "no",
               properties[k].meaning);
    const unsigned besides = info->keeps_free & ~info->keeps;
    if (besides) fputs("    without constraints also:", stdout);
    for (size_t k = 0; k < PROPERTY_COUNT; k++)
        if (besides & properties[k].bit) printf(" %s", properties[k].name);
    if (besides) putchar('\n');
    puts(info->option_count ? "  options" : "  options     none");
    for (int i = 0; i < info->option_count; i++)
        printf("    %-11s %-16s %s\n", info->options[i].name, info->options[i].values, info->options[i].meaning);
    puts("  equations");
    print_lines(info->equations);
    puts("  constraints on velocities, psi = A(q,t) v + b(q,t) = 0");
    if (info->slips) print_lines(info->slips);
    else puts("    refused");
    if (info->slips && info->keeps & KEEPS_SYMPLECTIC)
        puts("    with them no method is symplectic: the motion itself keeps no such form; the rest of the list holds");
    if (info->table) puts("  members");
    if (info->table) print_lines(info->table);
}

/* ---- JSON ---- */

static void answer_method(const method_info *info)
{
    json *j = answer_json();
    taut_json_open(j, NULL, '{');
    taut_json_text(j, "name", info->name);
    taut_json_text(j, "summary", info->summary);
    taut_json_text(j, "source", info->source);
    taut_json_integer(j, "order", info->order);
    taut_json_integer(j, "momentum_order", info->momentum_order ? info->momentum_order : info->order);
    taut_json_open(j, "keeps", '[');
    for (size_t k = 0; k < PROPERTY_COUNT; k++)
        if (info->keeps & properties[k].bit) taut_json_text(j, NULL, properties[k].name);
    taut_json_close(j, ']');
    taut_json_open(j, "options", '[');
    for (int i = 0; i < info->option_count; i++) {
        taut_json_open(j, NULL, '{');
        taut_json_text(j, "name", info->options[i].name);
        taut_json_text(j, "values", info->options[i].values);
        taut_json_text(j, "meaning", info->options[i].meaning);
        taut_json_close(j, '}');
    }
    taut_json_close(j, ']');
    taut_json_text(j, "equations", info->equations);
    taut_json_text(j, "members", info->table);
    taut_json_close(j, '}');
}

static void answer_methods(const method_info *one)
{
    const engine_api *api = &taut_engine_double;
    taut_json_open(answer_json(), "methods", '[');
    for (int i = 0; i < api->method_count(); i++)
        if (!one || one == api->method_info(i)) answer_method(api->method_info(i));
    taut_json_close(answer_json(), ']');
}

static int methods_main(int argc, char **argv)
{
    options o;
    const engine_api *api = &taut_engine_double;
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
    for (int i = 0; i < api->method_count(); i++) {
        const method_info *info = api->method_info(i);
        taut_near_try(&n, info->name);
        if (strcmp(info->name, o.positional[0]) == 0) {
            if (answer_is_json()) answer_methods(info);
            else describe(info);
            return EXIT_DONE;
        }
    }
    return complain(EXIT_USAGE, "there is no method '%s'; %s'taut methods' lists them", o.positional[0],
                    taut_near_text(&n, "", advice));
}
