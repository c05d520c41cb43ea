#include "cli/cli.h"

volatile sig_atomic_t told_to_stop;

static void on_signal(int number) { told_to_stop = number; }

void stop_listen(void)
{
    /* a second signal ends the program at once */
    struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART | SA_RESETHAND };
    told_to_stop = 0;
    for (int i = 0; i < 2; i++) {
        struct sigaction before;
        int number = i ? SIGTERM : SIGINT;
        if (sigaction(number, NULL, &before) == 0 && before.sa_handler != SIG_IGN) sigaction(number, &action, NULL);
    }
}

void signals_begin(void)
{
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow makes the write fail, which is reported */
}

void stop_reading(taut_context *context)
{
    stop_listen();
    taut_context_interrupt(context, &told_to_stop);
}
