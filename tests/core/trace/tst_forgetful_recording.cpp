// SPDX-License-Identifier: Apache-2.0
// A recording whose rows leave memory is the recording that it would be if they stayed.
#include "synthetic/synthetic.h"
#include "trace/bulk_loader.h"
#include "trace/forgetful_recording.h"

#include <QSqlDatabase>
#include <QSqlQuery>
#include <QTemporaryDir>
#include <QTest>

using namespace lockscope;
using namespace lockscope::trace;

namespace {

constexpr std::size_t kRows = 20 * Trace::kChunkRows + 17;

/// A world that goes on as another one did.
struct Follower {
    std::shared_ptr<const Trace> source = syntheticTrace(kRows, 10, 4);
    std::shared_ptr<Trace> trace = std::make_shared<Trace>();

    Follower() {
        BulkLoader loader(*trace);
        for (std::size_t id = 1; id < source->entityCount(); ++id)
            loader.addEntity(source->entity(EntityId(id)));
    }
    void to(std::size_t rows) {
        while (trace->size() < rows)
            trace->append(source->at(trace->size()));
    }
};

} // namespace

class TestForgetfulRecording : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;

    QString path(const char* name) const { return m_folder.filePath(QLatin1String(name)); }

private Q_SLOTS:
    void rowsLeaveMemoryAndStayInTheFile() {
        Follower world;
        const QString file = path("night.lockscope");
        auto recording = ForgetfulRecording::start(file, world.trace, {});
        QVERIFY(recording.has_value());
        // At the end of a chunk the next row is still compared with the last one.
        world.to(8 * Trace::kChunkRows);
        QTRY_COMPARE_WITH_TIMEOUT(BulkLoader::firstKept(*world.trace), 7 * Trace::kChunkRows, 60'000);
        world.to(15 * Trace::kChunkRows + 5);
        QTRY_COMPARE_WITH_TIMEOUT(BulkLoader::firstKept(*world.trace), 15 * Trace::kChunkRows, 60'000);
        QVERIFY(world.trace->memoryBytes() < world.source->memoryBytes() / 2);
        world.to(kRows);
        QVERIFY((*recording)->finish().has_value());
        const auto loaded = loadRecording(file);
        QVERIFY(loaded.has_value());
        QVERIFY2(!loaded->damage, qPrintable(loaded->damage ? loaded->damage->message : QString()));
        QVERIFY(loaded->meta.finished && loaded->meta.seal == RecordingMeta::Seal::Whole);
        QCOMPARE(loaded->meta.digest, world.source->digest());
        QCOMPARE(loaded->trace->digest(), world.source->digest());
    }

    void whatSomebodyDamagesMeanwhileIsTold() {
        Follower world;
        const QString file = path("damaged.lockscope");
        auto recording = ForgetfulRecording::start(file, world.trace, {});
        QVERIFY(recording.has_value());
        world.to(3 * Trace::kChunkRows);
        QTRY_COMPARE_WITH_TIMEOUT(BulkLoader::firstKept(*world.trace), 2 * Trace::kChunkRows, 60'000);
        {
            QSqlDatabase db = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), QStringLiteral("vandal"));
            db.setDatabaseName(file);
            QVERIFY(db.open());
            QVERIFY(QSqlQuery(db).exec(QStringLiteral("UPDATE chunks SET hash = hash + 1 WHERE id = 1")));
        }
        QSqlDatabase::removeDatabase(QStringLiteral("vandal"));
        const auto finished = (*recording)->finish();
        QVERIFY(!finished);
        QVERIFY2(finished.error().message.contains(u"damaged"), qPrintable(finished.error().message));
    }
};

QTEST_GUILESS_MAIN(TestForgetfulRecording)
#include "tst_forgetful_recording.moc"
