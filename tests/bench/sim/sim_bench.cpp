// SPDX-License-Identifier: Apache-2.0
#include "json_lines.h"

#include "experiment/parallel.h"
#include "experiment/run.h"
#include "recipes/recipe_info.h"
#include "runtime/virtual_runtime.h"
#include "scenario/scenario_file.h"
#include "session/bounds.h"
#include "sim/fitting_recipes.h"
#include "sim/redis/engine.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QFile>
#include <ctime>
#include <unistd.h>

using namespace lockscope;

namespace {

scenario::Scenario builtin(const char* id) {
    return scenario::loadScenario(QString::fromLatin1(id)).value();
}

/// Whole runs, judged, as `compare` does them.
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

/// The time that this process has spent on the processor itself, in seconds: other programs do not count.
double processorSecs() {
    timespec spent{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
    return double(spent.tv_sec) + double(spent.tv_nsec) / 1e9;
}

/// Servers on which clients are measured.
struct Ground {
    QString name;
    std::vector<scenario::ServiceSpec> services; ///< empty: one of the recipe's own kind
};
std::vector<Ground> grounds() {
    using Shape = scenario::ServiceSpec::Shape;
    const auto of = [](const char* kind, Shape shape, int nodes) {
        auto service = scenario::defaultService(QString::fromLatin1(kind), shape);
        service.nodes = nodes;
        return service;
    };
    auto watched = of("redis", Shape::Sentinel, 3);
    watched.sentinels = 3;
    auto postgreSql = of("sql", Shape::Replicas, 3);
    postgreSql.dialect = scenario::ServiceSpec::Dialect::PostgreSql;
    return {{QStringLiteral("single"), {}},
            {QStringLiteral("sentinels"), {watched}},
            {QStringLiteral("ensemble-of-5"), {of("zookeeper", Shape::Ensemble, 5)}},
            {QStringLiteral("etcd-of-3"), {of("etcd", Shape::Ensemble, 3)}},
            {QStringLiteral("mariadb-of-3"), {of("sql", Shape::Replicas, 3)}},
            {QStringLiteral("postgresql-of-3"), {postgreSql}}};
}

/// One JSON object for runs with the seeds 1, 2, … that are computed, judged and digested on all cores, as `simulate
/// --seeds` does it: `seeds` of them, or, if that is 0, as many as it takes for the clock to measure them.
/// `events_per_s` is what a person waits for, `events_per_cpu_s` what one core does, whatever other programs do
/// meanwhile.
void printRuns(scenario::Scenario scenario, const Ground& ground, const QString& recipe, int clients,
               std::uint64_t seeds) {
    constexpr double kEnoughSecs = 0.5;
    const std::uint64_t cores = std::max(1u, std::thread::hardware_concurrency());
    const std::uint64_t together = seeds > 0 ? seeds : 2 * cores;
    scenario.recipe = recipe;
    scenario.workload.clients = clients;
    QElapsedTimer timer;
    timer.start();
    const double before = processorSecs();
    double cpu = 0, events = 0;
    for (std::uint64_t seed = 1; seeds > 0 ? seed == 1 : cpu < kEnoughSecs; seed += together) {
        experiment::runInParallel<double>(
            seed, seed + together - 1,
            [&scenario](std::uint64_t one) { return double(experiment::run(scenario, one).trace->size()); },
            [&events](std::uint64_t, double size) { events += size; });
        cpu = processorSecs() - before;
    }
    const double secs = double(timer.nsecsElapsed()) / 1e9;
    const QJsonObject line{{QStringLiteral("scenario"), scenario.id},
                           {QStringLiteral("recipe"), recipe},
                           {QStringLiteral("clients"), clients},
                           {QStringLiteral("servers"), ground.name},
                           {QStringLiteral("cores"), qint64(cores)},
                           {QStringLiteral("events"), events},
                           {QStringLiteral("secs"), secs},
                           {QStringLiteral("events_per_s"), std::round(events / secs)},
                           {QStringLiteral("events_per_cpu_s"), std::round(events / cpu)},
                           {QStringLiteral("rss_mb"), std::round(residentMb())}};
    std::puts(QJsonDocument(line).toJson(QJsonDocument::Compact).constData());
}

/// The word after `option`; empty: it is not there.
QString valueOf(const char* option) {
    const QStringList words = QCoreApplication::arguments();
    const qsizetype at = words.indexOf(QLatin1String(option));
    return at < 0 ? QString() : words.value(at + 1);
}

/// One JSON object a line for every simulated recipe with 10, 50 and 200 clients on each ground. `--recipe`,
/// `--clients` and `--servers` (a ground's name) choose some of them. With `--seeds`, valgrind counts the instructions
/// of equal work on every machine.
void printCrowds() {
    const QString wanted = valueOf("--recipe"), servers = valueOf("--servers");
    const int count = valueOf("--clients").toInt();
    const std::uint64_t seeds = valueOf("--seeds").toULongLong();
    for (const Ground& ground : grounds()) {
        if (!servers.isEmpty() && servers != ground.name) continue;
        scenario::Scenario scenario = builtin("contention");
        if (!ground.services.empty()) scenario.setServices(ground.services);
        for (const auto& recipe : sim::recipesFor(scenario)) {
            const QString id = QString::fromUtf8(recipe.id);
            if (!wanted.isEmpty() && id != wanted) continue;
            for (const int clients : {10, 50, 200})
                if (count == 0 || clients == count) printRuns(scenario, ground, id, clients, seeds);
        }
    }
}

/// Ten minutes of a hundred clients, which are judged again and again: as a whole, without the time of the run itself.
void judging(benchmark::State& state) {
    auto scenario = builtin("contention");
    scenario.workload.clients = 100;
    scenario.until = 10min;
    const experiment::RunReport run = experiment::run(scenario, 1);
    for (auto _ : state) {
        verdict::Judge judge(run.trace, session::boundsFor(scenario));
        judge.consume();
        benchmark::DoNotOptimize(judge.verdict(true));
    }
    state.counters["events"] = double(run.trace->size());
}
BENCHMARK(judging)->Unit(benchmark::kMillisecond);

} // namespace

int main(int argc, char** argv) {
    const QCoreApplication application(argc, argv);
    if (QCoreApplication::arguments().contains(QLatin1String("--json"))) {
        printCrowds();
        return 0;
    }
    return lockscope::runBenchmarks(argc, argv);
}
