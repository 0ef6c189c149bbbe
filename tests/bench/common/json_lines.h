// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QJsonDocument>
#include <QJsonObject>
#include <benchmark/benchmark.h>
#include <cstdio>
#include <vector>

namespace lockscope {

/// Prints one JSON object a line for each benchmark: its name, milliseconds per iteration, and its counters.
class JsonLines : public benchmark::BenchmarkReporter {
public:
    bool ReportContext(const Context&) override { return true; }
    void ReportRuns(const std::vector<Run>& runs) override {
        for (const Run& run : runs) {
            QJsonObject line{{QStringLiteral("name"), QString::fromStdString(run.benchmark_name())},
                             {QStringLiteral("ms"), run.real_accumulated_time / double(run.iterations) * 1e3},
                             {QStringLiteral("iterations"), qint64(run.iterations)}};
            for (const auto& [name, counter] : run.counters)
                line[QString::fromStdString(name)] = counter.value;
            std::puts(QJsonDocument(line).toJson(QJsonDocument::Compact).constData());
        }
    }
};

/// The main() of a benchmark program: Google Benchmark's own options, and --json for one object a line.
inline int runBenchmarks(int argc, char** argv) {
    std::vector<char*> arguments(argv, argv + argc);
    const auto json = std::erase_if(arguments, [](const char* a) { return qstrcmp(a, "--json") == 0; });
    int count = int(arguments.size());
    benchmark::Initialize(&count, arguments.data());
    if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;
    JsonLines lines;
    benchmark::RunSpecifiedBenchmarks(json ? &lines : nullptr);
    return 0;
}

} // namespace lockscope
