// A C++ program that throws out of an event callback: the exception arrives, destructors on the way run, and the
// simulation is whole.
#include "support_library.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace {

// falls from 1 with g = 2: impacts at t = 1, 2, 2.5, ...
const char ball[] = "local y = coordinate 'y'\n"
                    "lagrangian(3/2*y.dot^2 - 3*2*y)\n"
                    "contact('ground', y, {restitution = 0.5})\n"
                    "start { y = 1 }\n";

struct Refusal : std::runtime_error {
    double time;
    explicit Refusal(double t) : std::runtime_error("an event"), time(t) {}
};

struct Guard {
    int &count;
    ~Guard() { ++count; }
};

struct Listener {
    int calls = 0, destroyed = 0;
    bool throws = true;
};

int listen(void *user, const taut_event *event)
{
    Listener *l = static_cast<Listener *>(user);
    Guard guard{l->destroyed};
    ++l->calls;
    if (l->throws) throw Refusal(event->time);
    return TAUT_OK;
}

int failures = 0;
void expect(bool holds, const char *what)
{
    if (holds) return;
    std::fprintf(stderr, "exception.cpp: %s\n", what);
    ++failures;
}

taut_simulation *create(taut_context *context)
{
    taut_model *model = nullptr;
    taut_simulation *simulation = nullptr;
    int status = taut_model_load_text(context, "ball", ball, std::strlen(ball), nullptr, 0, &model);
    if (!status) status = taut_simulation_create(context, model, nullptr, &simulation);
    if (status) throw std::runtime_error(taut_error_text(context));
    taut_model_release(model); // the simulation keeps it
    return simulation;
}

std::vector<double> frame(taut_simulation *simulation)
{
    std::vector<double> values(columns_of(simulation));
    expect(frame_of(simulation, values.data()) == TAUT_OK, "no frame");
    return values;
}

} // namespace

int main()
{
    taut_context *context = taut_context_create(nullptr);
    taut_simulation *simulation = create(context), *undisturbed = create(context);
    Listener listener;
    bool caught = false;
    taut_events(simulation, listen, &listener);
    try {
        run_to(simulation, 0.3, 3);
    } catch (const Refusal &refusal) {
        caught = true;
        expect(std::fabs(refusal.time - 1) < 1e-14,
            "the exception is not that of the impact at t = 1"); // some ulps of 1
    }
    expect(caught, "the exception did not arrive");
    expect(listener.calls == 1 && listener.destroyed == 1, "the destructor in the callback did not run once");

    // four whole steps, as without a callback
    for (int i = 0; i < 4; i++) expect(taut_step(undisturbed, 0.3) == TAUT_OK, "a step fails");
    expect(frame(simulation) == frame(undisturbed), "the state is not that of whole steps");
    listener.throws = false;
    for (int i = 0; i < 4; i++) {
        expect(taut_step(simulation, 0.3) == TAUT_OK, "the simulation does not go on after the exception");
        expect(taut_step(undisturbed, 0.3) == TAUT_OK, "a step fails");
    }
    expect(listener.calls == 2, "the impact at t = 2 was not reported");
    expect(frame(simulation) == frame(undisturbed), "it goes on to another state");

    taut_simulation_release(simulation);
    taut_simulation_release(undisturbed);
    taut_context_destroy(context);
    return failures != 0;
}
