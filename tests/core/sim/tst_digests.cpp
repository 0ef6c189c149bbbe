// SPDX-License-Identifier: Apache-2.0
// Guards refactorings: what simulated clients do, message by message, is what it was. digests.txt has one line for each
// scenario and recipe, with a hash over the digests of many seeds. A change that is meant to change what happens writes
// the file again (./dev digests), and its commit says why.
#include "experiment/run.h"
#include "recipes/recipe_info.h"
#include "scenario/scenario_file.h"
#include "sim/fitting_recipes.h"

#include <QCryptographicHash>
#include <QFile>
#include <QTest>
#include <atomic>
#include <thread>

using namespace lockscope;

namespace {

constexpr std::uint64_t kSeeds = 50;
const QString kFile = QStringLiteral(LOCKSCOPE_SOURCE_DIR "/tests/core/sim/digests.txt");

/// Scenarios whose runs are guarded; any built-in one can be added.
const QStringList kScenarios{
    QStringLiteral("contention"),         QStringLiteral("gc-pause"),
    QStringLiteral("crash-holder"),       QStringLiteral("delete-others-lock"),
    QStringLiteral("watchdog-dies"),      QStringLiteral("partition-holder"),
    QStringLiteral("contention-permits"), QStringLiteral("sql-optimistic-storm"),
    QStringLiteral("liveness"),
};

struct Row {
    scenario::Scenario scenario;
    QByteArray name; ///< "gc-pause redis-set"
    QByteArray hash;
};

QByteArray hashOf(const scenario::Scenario& scenario) {
    QCryptographicHash hash(QCryptographicHash::Sha256);
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed)
        hash.addData(experiment::run(scenario, seed).digest);
    return hash.result().toHex().left(32);
}

std::vector<Row> rows() {
    std::vector<Row> all;
    for (const QString& id : kScenarios) {
        auto loaded = scenario::loadScenario(id);
        if (!loaded) qFatal("no scenario %s", qPrintable(id));
        for (const recipes::RecipeInfo& recipe : sim::recipesToBeginWith(*loaded)) {
            loaded->recipe = QString::fromLatin1(recipe.id);
            all.push_back({*loaded, id.toLatin1() + ' ' + recipe.id, {}});
        }
    }
    return all;
}

std::vector<Row> recomputed() {
    std::vector<Row> all = rows();
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
        for (std::size_t i = next++; i < all.size(); i = next++)
            all[i].hash = hashOf(all[i].scenario);
    };
    std::vector<std::jthread> threads(std::max(1U, std::thread::hardware_concurrency()));
    for (std::jthread& thread : threads)
        thread = std::jthread(work);
    threads.clear();
    return all;
}

QByteArray asText(const std::vector<Row>& all) {
    QByteArray text = "# Written by ./dev digests: scenario, recipe, hash over the digests of seeds 1 to 50.\n";
    for (const Row& row : all)
        text += row.name + ' ' + row.hash + '\n';
    return text;
}

} // namespace

class tst_digests : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void runsAreWhatTheyWere() {
        const QByteArray now = asText(recomputed());
        if (qEnvironmentVariableIsSet("LOCKSCOPE_WRITE_DIGESTS")) {
            QFile out(kFile);
            QVERIFY2(out.open(QIODevice::WriteOnly), qPrintable(out.errorString()));
            QCOMPARE(out.write(now), now.size());
            return;
        }
        QFile file(kFile);
        QVERIFY2(file.open(QIODevice::ReadOnly), qPrintable(file.errorString()));
        const QByteArrayList before = file.readAll().split('\n'), after = now.split('\n');
        QStringList changed;
        for (const QByteArray& line : after) {
            if (!before.contains(line)) changed += QString::fromLatin1(line.left(line.lastIndexOf(' ')));
        }
        QVERIFY2(changed.isEmpty(),
                 qPrintable(QStringLiteral("other runs than before with: ") + changed.join(QStringLiteral(", "))));
        QCOMPARE(after.size(), before.size()); // none is missing
    }

    /// A hash that is equal for different runs would guard nothing.
    void otherRunsHaveOtherHashes() {
        std::vector<Row> all = rows();
        scenario::Scenario later = all.front().scenario;
        later.until += std::chrono::milliseconds(100);
        QCOMPARE(hashOf(all.front().scenario), hashOf(all.front().scenario));
        QVERIFY(hashOf(all.front().scenario) != hashOf(later));
    }
};

QTEST_GUILESS_MAIN(tst_digests)
#include "tst_digests.moc"
