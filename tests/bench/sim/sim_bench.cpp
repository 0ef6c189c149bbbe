// SPDX-License-Identifier: Apache-2.0
#include "json_lines.h"

#include "experiment/run.h"
#include "recipes/recipe_info.h"
#include "runtime/virtual_runtime.h"
#include "scenario/scenario_file.h"
#include "sim/fitting_recipes.h"
#include "sim/redis/engine.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QFile>
#include <unistd.h>

using namespace lockscope;

namespace {

scenario::Scenario builtin(const char* id) {
    return scenario::loadScenario(QString::fromLatin1(id)).value();
}

/// Whole runs, judged and digested, as `simulate --seeds` does them.
void wholeRun(benchmark::State& state, const char* id, const char* recipe) {
    auto scenario = builtin(id);
    scenario.recipe = QString::fromLatin1(recipe);
    std::uint64_t seed = 0, events = 0;
    for (auto _ : state)
        events += experiment::run(scenario, ++seed).trace->size();
    state.counters["events_per_second"] = benchmark::Counter(double(events), benchmark::Counter::kIsRate);
    const double seconds = std::chrono::duration<double>(scenario.until).count() * double(state.iterations());
    state.counters["times_real_time"] = benchmark::Counter(seconds, benchmark::Counter::kIsRate);
}
BENCHMARK_CAPTURE(wholeRun, contention_redis_set, "contention", "redis-set");
BENCHMARK_CAPTURE(wholeRun, contention_redis_reentrant, "contention", "redis-reentrant");
BENCHMARK_CAPTURE(wholeRun, gc_pause_redis_set, "gc-pause", "redis-set");

/// Two hundred clients on one lock: the most that a person can ask for.
void crowd(benchmark::State& state) {
    auto scenario = builtin("contention");
    scenario.workload.clients = 200;
    scenario.until = 10s;
    std::uint64_t seed = 0, events = 0;
    for (auto _ : state)
        events += experiment::run(scenario, ++seed).trace->size();
    state.counters["events_per_second"] = benchmark::Counter(double(events), benchmark::Counter::kIsRate);
}
BENCHMARK(crowd)->Unit(benchmark::kMillisecond);

void resumptions(benchmark::State& state) {
    VirtualScheduler scheduler;
    VirtualRuntime runtime(scheduler, 1);
    std::int64_t turns = 0;
    runtime.spawn([&]() -> QCoro::Task<> {
        for (;;) {
            co_await runtime.sleep(1us);
            ++turns;
        }
    });
    for (auto _ : state)
        scheduler.runUntil(scheduler.now() + 1ms);
    state.counters["resumptions_per_second"] = benchmark::Counter(double(turns), benchmark::Counter::kIsRate);
}
BENCHMARK(resumptions);

void engineCommands(benchmark::State& state) {
    sim::RedisEngine engine([] { return std::int64_t(1'767'225'600'000'000); });
    const auto session = engine.connect();
    const redis::Args set{"SET", "orders", "value", "PX", "30000"};
    for (auto _ : state)
        benchmark::DoNotOptimize(engine.execute(session, set));
}
BENCHMARK(engineCommands);

/// The memory that the process uses now, in MB.
double residentMb() {
    QFile file(QStringLiteral("/proc/self/statm"));
    if (!file.open(QIODevice::ReadOnly)) return 0;
    constexpr double kMb = 1e6;
    return file.readAll().split(' ').value(1).toDouble() * double(sysconf(_SC_PAGESIZE)) / kMb;
}

/// One JSON object a line for every simulated recipe with 10, 50 and 200 clients: computed, judged and digested.
void printCrowds() {
    for (const auto& recipe : sim::recipesFor({})) {
        for (const int clients : {10, 50, 200}) {
            auto scenario = builtin("contention");
            scenario.recipe = QString::fromUtf8(recipe.id);
            scenario.workload.clients = clients;
            QElapsedTimer timer;
            timer.start();
            const experiment::RunReport report = experiment::run(scenario, 1);
            const double secs = double(timer.nsecsElapsed()) / 1e9;
            const auto events = double(report.trace->size());
            const QJsonObject line{{QStringLiteral("scenario"), scenario.id},
                                   {QStringLiteral("recipe"), scenario.recipe},
                                   {QStringLiteral("clients"), clients},
                                   {QStringLiteral("events"), events},
                                   {QStringLiteral("secs"), secs},
                                   {QStringLiteral("events_per_s"), std::round(events / secs)},
                                   {QStringLiteral("rss_mb"), std::round(residentMb())}};
            std::puts(QJsonDocument(line).toJson(QJsonDocument::Compact).constData());
        }
    }
}

} // namespace

int main(int argc, char** argv) {
    const QCoreApplication application(argc, argv);
    if (QCoreApplication::arguments().contains(QLatin1String("--json"))) {
        printCrowds();
        return 0;
    }
    return lockscope::runBenchmarks(argc, argv);
}
