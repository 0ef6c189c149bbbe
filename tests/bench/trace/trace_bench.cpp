// SPDX-License-Identifier: Apache-2.0
#include "json_lines.h"

#include "synthetic/synthetic.h"
#include "trace/recording.h"
#include "trace/state.h"
#include "verdict/verdict.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QRandomGenerator>
#include <QTemporaryDir>
#include <map>

using namespace lockscope;
using namespace lockscope::trace;

namespace {

/// One trace for all benchmarks of one size: making it takes longer than most of them.
std::shared_ptr<Trace> sample(std::size_t rows, unsigned clients) {
    static std::map<std::pair<std::size_t, unsigned>, std::shared_ptr<Trace>> made;
    auto& trace = made[{rows, clients}];
    if (!trace) trace = syntheticTrace(rows, clients, 1);
    return trace;
}

void rates(benchmark::State& state, std::size_t rows) {
    state.counters["rows_per_second"] = benchmark::Counter(double(rows), benchmark::Counter::kIsIterationInvariantRate);
}

void append(benchmark::State& state) {
    const auto rows = std::size_t(state.range(0));
    for (auto _ : state) {
        Trace trace;
        for (std::size_t i = 0; i < rows; ++i)
            trace.append({std::int64_t(i), 1, 2, 3, 4, EventKind::Granted, 0});
        benchmark::DoNotOptimize(trace.size());
    }
    rates(state, rows);
}
BENCHMARK(append)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

void internKnownName(benchmark::State& state) {
    Trace trace;
    for (int i = 0; i < 1000; ++i)
        trace.text("command " + QByteArray::number(i));
    const QByteArray name = "command 500";
    for (auto _ : state)
        benchmark::DoNotOptimize(trace.text(name));
}
BENCHMARK(internKnownName);

void makeSynthetic(benchmark::State& state) {
    for (auto _ : state)
        benchmark::DoNotOptimize(syntheticTrace(std::size_t(state.range(0)), 20, 1));
    rates(state, std::size_t(state.range(0)));
}
BENCHMARK(makeSynthetic)->Arg(10'000'000)->Unit(benchmark::kMillisecond)->Iterations(1);

void digest(benchmark::State& state) {
    const auto trace = sample(std::size_t(state.range(0)), 20);
    for (auto _ : state)
        benchmark::DoNotOptimize(trace->digest());
    rates(state, trace->size());
}
BENCHMARK(digest)->Arg(10'000'000)->Unit(benchmark::kMillisecond)->Iterations(2);

void buildStateIndex(benchmark::State& state) {
    const auto trace = sample(std::size_t(state.range(0)), unsigned(state.range(1)));
    double bytes = 0;
    for (auto _ : state) {
        StateIndex index(trace);
        benchmark::DoNotOptimize(index.at(trace->reached()));
        bytes = double(index.memoryBytes() + trace->memoryBytes());
    }
    rates(state, trace->size());
    state.counters["bytes_per_event"] = bytes / double(trace->size());
}
BENCHMARK(buildStateIndex)
    ->Args({10'000'000, 20})
    ->Args({10'000'000, 200})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);

void stateAt(benchmark::State& state) {
    const auto trace = sample(std::size_t(state.range(0)), unsigned(state.range(1)));
    StateIndex index(trace);
    index.at(trace->reached());
    QRandomGenerator random(1);
    for (auto _ : state) {
        const auto t = Nanos(qint64(random.generate64() % quint64(trace->reached().count())));
        benchmark::DoNotOptimize(index.at(t));
    }
}
BENCHMARK(stateAt)->Args({10'000'000, 20})->Args({10'000'000, 200})->Unit(benchmark::kMicrosecond);

void judge(benchmark::State& state) {
    const auto trace = sample(std::size_t(state.range(0)), unsigned(state.range(1)));
    std::size_t violations = 0;
    for (auto _ : state) {
        verdict::Judge judge(trace);
        judge.consume();
        violations = judge.verdict(true).violations.size();
    }
    rates(state, trace->size());
    state.counters["violations"] = double(violations);
}
BENCHMARK(judge)->Args({10'000'000, 20})->Args({10'000'000, 200})->Unit(benchmark::kMillisecond)->Iterations(1);

void explainViolation(benchmark::State& state) {
    const auto trace = sample(std::size_t(state.range(0)), 20);
    verdict::Judge judge(trace);
    judge.consume(trace->size() / 2);
    const auto found = judge.verdict().violations;
    std::size_t i = 0;
    for (auto _ : state)
        benchmark::DoNotOptimize(verdict::explain(found[i++ % found.size()], *trace));
}
BENCHMARK(explainViolation)->Arg(1'000'000)->Unit(benchmark::kMicrosecond);

QString samplePath(std::size_t rows, QTemporaryDir& dir) {
    const QString path = dir.filePath(QStringLiteral("%1.lockscope").arg(rows));
    if (!QFileInfo::exists(path)) (void)saveRecording(path, sample(rows, 20), {});
    return path;
}

void saveWhole(benchmark::State& state) {
    QTemporaryDir dir;
    const auto trace = sample(std::size_t(state.range(0)), 20);
    const QString path = dir.filePath(QStringLiteral("x.lockscope"));
    for (auto _ : state)
        if (!saveRecording(path, trace, {})) state.SkipWithError("could not be saved");
    rates(state, trace->size());
    state.counters["bytes_per_event"] = double(QFileInfo(path).size()) / double(trace->size());
}
BENCHMARK(saveWhole)->Arg(10'000'000)->Unit(benchmark::kMillisecond)->Iterations(1);

void openRecording(benchmark::State& state) {
    static QTemporaryDir dir;
    const auto rows = std::size_t(state.range(0));
    const QString path = samplePath(rows, dir);
    double first = 0;
    for (auto _ : state) {
        QElapsedTimer clock;
        clock.start();
        RecordingReader reader(path);
        const bool opened = reader.open().has_value();
        const bool loaded = opened && reader.load([&](RecordingReader::Progress) {
            if (first == 0) first = double(clock.nsecsElapsed()) / 1e6;
        });
        if (!loaded) state.SkipWithError("could not be read");
    }
    rates(state, rows);
    state.counters["first_rows_ms"] = first;
}
BENCHMARK(openRecording)->Arg(1'000'000)->Arg(10'000'000)->Unit(benchmark::kMillisecond)->Iterations(1);

} // namespace

int main(int argc, char** argv) {
    QCoreApplication app(argc, argv);
    return lockscope::runBenchmarks(argc, argv);
}
