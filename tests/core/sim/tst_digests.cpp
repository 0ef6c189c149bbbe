// SPDX-License-Identifier: Apache-2.0
// Guards refactorings: what simulated clients do, message by message, is what it was, and the same in every build and
// on every machine. digests.txt has one line for each of some scenarios and a recipe, with a hash over the digests of
// many seeds, and one for each other scenario, with a hash over all its recipes. A change that is meant to change what
// happens writes the file again (./dev digests), and its commit says why.
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

/// Scenarios that are guarded recipe by recipe, so that a difference is found where it is; any built-in one can be
/// added.
const QStringList kScenarios{
    QStringLiteral("contention"),         QStringLiteral("gc-pause"),
    QStringLiteral("crash-holder"),       QStringLiteral("delete-others-lock"),
    QStringLiteral("watchdog-dies"),      QStringLiteral("partition-holder"),
    QStringLiteral("contention-permits"), QStringLiteral("sql-optimistic-storm"),
    QStringLiteral("liveness"),
};

struct Row {
    std::vector<scenario::Scenario> runs; ///< each with its recipe
    std::uint64_t seeds;                  ///< from 1
    QByteArray name;                      ///< "gc-pause redis-set", "zk-herd *"
    QByteArray hash{};
};

QByteArray hashOf(const Row& row) {
    QCryptographicHash hash(QCryptographicHash::Sha256);
    for (const scenario::Scenario& scenario : row.runs)
        for (std::uint64_t seed = 1; seed <= row.seeds; ++seed)
            hash.addData(experiment::run(scenario, seed).digest());
    return hash.result().toHex().left(32);
}

std::vector<Row> rows() {
    std::vector<Row> all;
    const QStringList builtin = scenario::builtinScenarios();
    QStringList ids = kScenarios;
    std::ranges::copy_if(builtin, std::back_inserter(ids), [](const QString& id) { return !kScenarios.contains(id); });
    for (const QString& id : std::as_const(ids)) {
        auto loaded = scenario::loadScenario(id);
        if (!loaded) qFatal("no scenario %s", qPrintable(id));
        Row together{{}, 1, id.toLatin1() + " *"};
        for (const recipes::RecipeInfo& recipe : sim::recipesToBeginWith(*loaded)) {
            loaded->recipe = QString::fromLatin1(recipe.id);
            if (kScenarios.contains(id))
                all.push_back({{*loaded}, kSeeds, id.toLatin1() + ' ' + recipe.id});
            else
                together.runs.push_back(*loaded);
        }
        if (!together.runs.empty()) all.push_back(std::move(together));
    }
    return all;
}

std::vector<Row> recomputed() {
    std::vector<Row> all = rows();
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
        for (std::size_t i = next++; i < all.size(); i = next++)
            all[i].hash = hashOf(all[i]);
    };
    std::vector<std::jthread> threads(std::max(1U, std::thread::hardware_concurrency()));
    for (std::jthread& thread : threads)
        thread = std::jthread(work);
    threads.clear();
    return all;
}

QByteArray asText(const std::vector<Row>& all) {
    QByteArray text = "# Written by ./dev digests: scenario, recipe, hash over the digests of seeds 1 to 50; * all "
                      "recipes, seed 1.\n";
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
        const Row row = rows().front();
        Row later = row;
        later.runs.front().until += std::chrono::milliseconds(100);
        QCOMPARE(hashOf(row), hashOf(row));
        QVERIFY(hashOf(row) != hashOf(later));
    }
};

QTEST_GUILESS_MAIN(tst_digests)
#include "tst_digests.moc"
