/* taut methods */
#include <stdio.h>
#include <string.h>

#include "base/near.h"
#include "cli/cli.h"
#include "method/method.h"
#include "run/engine.h"

static int methods_main(int argc, char **argv);

const command command_methods = {
    "methods", "[NAME]", "the catalogue: order, what is kept, options, source", NULL, 0, methods_main, NULL
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
        printf("%-10s order %d, keeps", info->name, info->order);
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
    printf("%s: %s\n\n  order       %d", info->name, info->summary, info->order);
    if (info->momentum_order) printf(" (%d in momenta and velocities)", info->momentum_order);
    printf("\n  source      %s\n  keeps\n", info->source);
    for (size_t k = 0; k < PROPERTY_COUNT; k++)
        printf("    %-11s %-4s %s\n", properties[k].name, info->keeps & properties[k].bit ? "yes" : "no",
               properties[k].meaning);
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

static int methods_main(int argc, char **argv)
{
    options o;
    const engine_api *api = &taut_engine_double;
    int parsed = options_parse(&command_methods, argc, argv, &o);
    if (parsed) return parsed > 0 ? EXIT_DONE : EXIT_USAGE;
    if (o.positional_count > 1) return complain(EXIT_USAGE, "'taut methods' takes one name");
    if (o.positional_count == 0) {
        list();
        return EXIT_DONE;
    }
    char advice[NEAR_TEXT];
    near_word n = taut_near(o.positional[0]);
    for (int i = 0; i < api->method_count(); i++) {
        const method_info *info = api->method_info(i);
        taut_near_try(&n, info->name);
        if (strcmp(info->name, o.positional[0]) == 0) {
            describe(info);
            return EXIT_DONE;
        }
    }
    return complain(EXIT_USAGE, "there is no method '%s'; %s'taut methods' lists them", o.positional[0],
                    taut_near_text(&n, "", advice));
}
