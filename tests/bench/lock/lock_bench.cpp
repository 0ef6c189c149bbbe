// SPDX-License-Identifier: Apache-2.0
#include "bench_options.h"
#include "client/connect.h"
#include "raw.h"
#include "report.h"

#include "runtime/event_loop_runtime.h"
#include "sandbox/redis_server.h"

#include <QCoreApplication>
#include <cstdio>

using namespace lockscope;
using namespace lockscope::bench;

namespace {

enum Status { kFine = 0, kBadUsage = 2, kUnreachable = 3 };

void say(const QByteArray& line) {
    std::puts(line.constData());
    std::fflush(stdout);
}

/// Everything that was asked for, one measurement after the other.
class Run {
public:
    explicit Run(BenchOptions options) : m_options(std::move(options)) {}

    int exec() {
        m_runtime.spawn([this] { return whole(); });
        QCoreApplication::exec();
        return m_status;
    }

private:
    using Result = std::expected<void, QString>;

    QCoro::Task<> whole() {
        const Result result = co_await measureAll();
        if (!result) {
            std::fprintf(stderr, "lock_bench: %s\n", qPrintable(result.error()));
            m_status = kUnreachable;
        }
        QCoreApplication::quit();
    }

    QCoro::Task<Result> measureAll() {
        std::optional<sandbox::RedisServer> server;
        if (!m_options.url) {
            server.emplace(m_runtime);
            const Result started = co_await server->start();
            if (!started) co_return started;
            m_options.url = parseConnectionUrl(server->url()).value();
        }
        std::vector<QByteArray> recipes{m_options.recipe};
        if (m_options.recipe.isEmpty()) {
            recipes = {"redis-set", "redis-reentrant"};
            if (!server) recipes = {makeConnection(m_runtime, *m_options.url)->defaultRecipe()};
        }
        std::vector<QByteArray> workloads{"seq", "conc16", "conc64", "handoff8", "turn4", "wake1"};
        if (m_options.workload) workloads = {m_options.workload->text};
        if (!m_options.json) say(tableHead());
        for (const QByteArray& recipe : recipes) {
            for (const QByteArray& workload : workloads) {
                const Result measured = co_await measure(recipe, parseWorkload(workload).value());
                if (!measured) co_return measured;
            }
        }
        co_return Result();
    }

    QCoro::Task<Result> measure(QByteArray recipe, Workload workload) {
        Measurement measurement{recipe, workload, {}, {}, {}};
        Ours ours(m_runtime, *m_options.url, recipe, workload);
        const Result opened = co_await ours.open();
        if (!opened) co_return opened;
        Result result;
        if (workload.kind == Workload::Kind::Held) {
            const auto kept = co_await ours.keep(m_options.seconds);
            if (!kept) co_return std::unexpected(kept.error());
            measurement.keeping = *kept;
        } else {
            result = co_await alternate(ours, measurement);
        }
        co_await ours.close();
        if (result) say(m_options.json ? toJson(measurement, m_options.events) : tableRow(measurement));
        co_return result;
    }

    /// Both in turns of a fraction of a second, so that whatever else the machine does hits both alike.
    QCoro::Task<Result> alternate(Ours& ours, Measurement& measurement) {
        auto raw = makeRaw(*m_options.url, measurement.recipe, measurement.workload);
        if (!raw) co_return std::unexpected(raw.error());
        if (*raw) measurement.raw.emplace();
        // Contended clients all finish before the others' turn: not too often, or that is what gets measured.
        const Nanos wanted = measurement.workload.contended() ? Nanos(1s) : Nanos(200ms);
        const auto turns = std::max<std::int64_t>(1, m_options.seconds / wanted);
        const Nanos each = m_options.seconds / turns;
        for (std::int64_t turn = 0; turn < turns; ++turn) {
            if (*raw) {
                const Result limit = (*raw)->run(each, *measurement.raw);
                if (!limit) co_return limit;
            }
            const Result done = co_await ours.run(each, measurement.ours);
            if (!done) co_return done;
        }
        co_return Result();
    }

    BenchOptions m_options;
    EventLoopRuntime m_runtime;
    int m_status = kFine;
};

} // namespace

int main(int argc, char** argv) {
    const QCoreApplication application(argc, argv);
    auto options = parseOptions(QCoreApplication::arguments().mid(1));
    if (!options) {
        std::fprintf(stderr, "lock_bench: %s\n", qPrintable(options.error()));
        return kBadUsage;
    }
    if (options->help) {
        std::fputs(kUsage, stdout);
        return kFine;
    }
    return Run(std::move(*options)).exec();
}
