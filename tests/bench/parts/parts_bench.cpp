// SPDX-License-Identifier: Apache-2.0
#include "json_lines.h"

#include "ports/redis/resp.h"
#include "runtime/event_loop_runtime.h"
#include "runtime/signal_count.h"

#include <QCoreApplication>
#include <QEventLoop>

using namespace lockscope;

namespace {

// --- what each request and reply costs besides the network ---

void formatCommand(benchmark::State& state) {
    const redis::Args set{"SET", "orders", "5a0e1fb5-4a9e-4c50-9fd4-dca2a9c2a7bd:1:0123456789abcdef",
                          "NX",  "PX",     "30000"};
    QByteArray out;
    for (auto _ : state) {
        out.resize(0);
        redis::appendCommand(out, set);
        benchmark::DoNotOptimize(out.constData());
    }
}
BENCHMARK(formatCommand);

void parseReplies(benchmark::State& state) {
    const QByteArray replies("+OK\r\n:1\r\n*3\r\n:1\r\n:1\r\n:0\r\n$5\r\nhello\r\n");
    redis::ReplyReader reader;
    for (auto _ : state) {
        reader.feed({replies.constData(), std::size_t(replies.size())});
        for (auto reply = reader.next(); reply && *reply; reply = reader.next())
            benchmark::DoNotOptimize(reply);
    }
    state.SetItemsProcessed(state.iterations() * 4);
}
BENCHMARK(parseReplies);

// --- what a program's coroutines cost in real time ---

/// Runs a coroutine to its end on an event loop of its own.
template <typename F>
void runOn(EventLoopRuntime& runtime, F body) {
    QEventLoop loop;
    bool done = false;
    runtime.spawn([&]() -> QCoro::Task<> {
        co_await body();
        done = true;
        loop.quit();
    });
    if (!done) loop.exec();
}

/// Two coroutines that wake each other in turn.
void wakeUps(benchmark::State& state) {
    EventLoopRuntime runtime;
    SignalCount there, back;
    runtime.spawn([&]() -> QCoro::Task<> {
        for (;;) {
            co_await there.acquire(runtime, kNever);
            back.release();
        }
    });
    constexpr int kRounds = 1000;
    for (auto _ : state) {
        runOn(runtime, [&]() -> QCoro::Task<> {
            for (int i = 0; i < kRounds; ++i) {
                there.release();
                co_await back.acquire(runtime, kNever);
            }
        });
    }
    state.SetItemsProcessed(state.iterations() * kRounds * 2);
}
BENCHMARK(wakeUps);

class Silent final : public Alarm {
public:
    using Alarm::Alarm;

private:
    void ring() override {}
};

/// Set and called off, as the alarms of most holds are, while thousands of others are set.
void alarms(benchmark::State& state) {
    EventLoopRuntime runtime;
    std::vector<std::unique_ptr<Silent>> others;
    for (std::int64_t i = 0; i < state.range(0); ++i) {
        others.push_back(std::make_unique<Silent>(runtime));
        others.back()->set(runtime.monotonic() + 1h + Nanos(i));
    }
    Silent one(runtime);
    for (auto _ : state) {
        one.set(runtime.monotonic() + 10s);
        one.cancel();
    }
}
BENCHMARK(alarms)->Arg(0)->Arg(10'000);

void stoppedSleep(benchmark::State& state) {
    EventLoopRuntime runtime;
    for (auto _ : state) {
        std::stop_source source;
        runtime.spawn([&runtime, stop = source.get_token()] { return runtime.sleep(10s, stop); });
        source.request_stop();
        runOn(runtime, [&] { return runtime.sleep(Nanos(0)); });
    }
}
BENCHMARK(stoppedSleep);

} // namespace

int main(int argc, char** argv) {
    const QCoreApplication application(argc, argv);
    return runBenchmarks(argc, argv);
}
