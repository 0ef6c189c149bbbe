// SPDX-License-Identifier: Apache-2.0
#include "inspect/redis/key_events.h"

namespace lockscope::inspect {

namespace {
constexpr int kMostEventsPerSecond = 2000;
} // namespace

QCoro::Task<> hearKeyEvents(redis::ReadingPort& client, KeyReader& reader, std::function<void()> changed,
                            std::stop_token stop) {
    Runtime& runtime = client.runtime();
    std::vector<redis::Args> ask;
    ask.push_back(redis::argsOf("CONFIG", "GET", "notify-keyspace-events"));
    const std::vector<redis::Result> results = co_await reader.callAll(std::move(ask), stop);
    if (!results[0] || results[0]->items.size() != 2 || !results[0]->items[1].text.contains('E')) co_return;
    auto events = co_await client.subscribePattern("__keyevent@*__:*", stop);
    if (!events) co_return;
    Nanos secondBegan = runtime.monotonic();
    int eventsInSecond = 0;
    for (;;) {
        const auto message = co_await (*events)->next(kNever, stop);
        if (!message) co_return;
        const Nanos now = runtime.monotonic();
        if (now - secondBegan > 1s) {
            secondBegan = now;
            eventsInSecond = 0;
        }
        if (++eventsInSecond > kMostEventsPerSecond) co_return;
        changed();
    }
}

} // namespace lockscope::inspect
