// SPDX-License-Identifier: Apache-2.0
// A recording gives back every row that a simulation writes: all built-in scenarios with all their recipes.
#include "experiment/run.h"
#include "recipes/recipe_info.h"
#include "scenario/scenario_file.h"
#include "sim/fitting_recipes.h"
#include "trace/chunk_codec.h"
#include "trace/recording.h"

#include <QTemporaryDir>
#include <QTest>
#include <atomic>
#include <mutex>
#include <set>
#include <thread>

using namespace lockscope;
using trace::EventKind;

namespace {

constexpr std::uint64_t kSeed = 7;

std::vector<scenario::Scenario> catalogue() {
    std::vector<scenario::Scenario> all;
    for (const QString& id : scenario::builtinScenarios()) {
        auto loaded = scenario::loadScenario(id);
        if (!loaded) qFatal("no scenario %s", qPrintable(id));
        for (const recipes::RecipeInfo& recipe : sim::recipesToBeginWith(*loaded)) {
            loaded->recipe = QString::fromLatin1(recipe.id);
            all.push_back(*loaded);
        }
    }
    return all;
}

/// The first row that does not come back as it was; empty: all do.
QString firstDifference(const trace::Trace& trace) {
    const auto rows = std::make_unique<trace::Columns>();
    for (std::size_t first = 0; first < trace.size(); first += trace::Columns::kRows) {
        const std::size_t count = std::min(trace::Columns::kRows, trace.size() - first);
        const bool whole = trace::decodeChunk(trace::encodeChunk(trace, first, count), *rows, trace.entityCount(), 0);
        for (std::size_t i = 0; i < count; ++i) {
            const trace::Event event = trace.at(first + i);
            const bool alone =
                whole || trace::decodeChunk(trace::encodeChunk(trace, first + i, 1), *rows, trace.entityCount(), 0);
            if (!alone || rows->get(whole ? i : 0) != event)
                return QStringLiteral("row %1, %2 with value %3")
                    .arg(first + i)
                    .arg(QString::fromLatin1(trace::kindName(event.kind)))
                    .arg(event.value);
        }
    }
    return {};
}

} // namespace

class TestRunsAreReadBack : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyRowOfTheCatalogueComesBack() {
        const std::vector<scenario::Scenario> runs = catalogue();
        std::mutex mutex;
        QStringList lost;
        std::set<EventKind> kinds;
        std::atomic<std::size_t> next = 0;
        const auto work = [&] {
            for (std::size_t i = next++; i < runs.size(); i = next++) {
                const auto trace = experiment::run(runs[i], kSeed).trace;
                const QString difference = firstDifference(*trace);
                const std::scoped_lock lock(mutex);
                for (std::size_t row = 0; row < trace->size(); ++row)
                    kinds.insert(trace->kindAt(row));
                if (!difference.isEmpty())
                    lost += QStringLiteral("%1 %2: %3").arg(runs[i].id, runs[i].recipe, difference);
            }
        };
        std::vector<std::jthread> threads(std::max(1U, std::thread::hardware_concurrency()));
        for (std::jthread& thread : threads)
            thread = std::jthread(work);
        threads.clear();
        QVERIFY2(lost.isEmpty(), qPrintable(lost.join(u'\n')));
        // The rare rows are among them, else the above says little.
        for (const EventKind rare : {EventKind::RecordDecider, EventKind::RecordUnobserved, EventKind::RecordPermits,
                                     EventKind::SessionChanged, EventKind::NodeDoubted, EventKind::EngineChanged})
            QVERIFY2(kinds.contains(rare), trace::kindName(rare));
    }

    void aFileOfARunInWhichAQuorumComesBackIsWhole() {
        auto settings = scenario::loadScenario(QStringLiteral("zk-leader-loss"));
        QVERIFY(settings.has_value());
        settings->recipe = QStringLiteral("zk-mutex");
        const auto trace = experiment::run(*settings, kSeed).trace;
        bool again = false;
        for (std::size_t row = 0; row < trace->size(); ++row)
            again |= trace->kindAt(row) == EventKind::RecordDecider && trace->at(row).value < 0;
        QVERIFY(again); // the quorum was lost, and came back
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("run.lockscope"));
        QVERIFY(trace::saveRecording(path, trace, {}).has_value());
        const auto loaded = trace::loadRecording(path);
        QVERIFY(loaded.has_value());
        QVERIFY(!loaded->damage);
        QCOMPARE(loaded->trace->size(), trace->size());
        for (std::size_t row = 0; row < trace->size(); ++row)
            QCOMPARE(loaded->trace->at(row), trace->at(row));
    }
};

QTEST_GUILESS_MAIN(TestRunsAreReadBack)
#include "tst_runs_are_read_back.moc"
