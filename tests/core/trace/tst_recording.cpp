// SPDX-License-Identifier: Apache-2.0
#include "synthetic/synthetic.h"
#include "trace/bulk_loader.h"
#include "trace/recording.h"

#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QSqlDatabase>
#include <QSqlQuery>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <csignal>
#include <sys/stat.h>
#include <thread>

using namespace lockscope;
using namespace lockscope::trace;

namespace {

RecordingMeta sampleMeta() {
    RecordingMeta meta;
    meta.scenario = R"({"id":"gc-pause","title":"停顿"})";
    meta.seed = 0xfedcba9876543210u;
    meta.recipe = QStringLiteral("redis-set");
    meta.origin = QStringLiteral("simulated");
    meta.progressBoundNs = 5'000'000'000;
    return meta;
}

/// Appends rows of a source trace to a growing one, as a world would.
class Grower {
public:
    explicit Grower(std::shared_ptr<const Trace> source) : m_source(std::move(source)) {
        BulkLoader loader(*trace);
        for (std::size_t id = 1; id < m_source->entityCount(); ++id)
            loader.addEntity(m_source->entity(EntityId(id)));
    }
    void to(std::size_t rows) {
        while (trace->size() < rows)
            trace->append(m_source->at(trace->size()));
    }
    std::shared_ptr<Trace> trace = std::make_shared<Trace>();

private:
    std::shared_ptr<const Trace> m_source;
};

// The promise supposes a writer that keeps up: under a sanitizer, and on a machine with much else to do.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t kRowsAMillisecond = 100;
#else
constexpr std::size_t kRowsAMillisecond = 300;
#endif

/// The child of savesOverAKilledRecording(): dies in the middle of a transaction, with pages of it in the file already.
int dieWriting(const QString& path) {
    QSqlDatabase db = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"));
    db.setDatabaseName(path);
    if (!db.open()) return 1;
    QSqlQuery q(db);
    if (!q.exec(QStringLiteral("PRAGMA cache_size = 5")) || !q.exec(QStringLiteral("BEGIN IMMEDIATE"))) return 1;
    for (int i = 0; i < 60; ++i)
        if (!q.exec(QStringLiteral("INSERT INTO meta VALUES ('x%1', randomblob(3000))").arg(i))) return 1;
    return std::raise(SIGKILL);
}

/// The child of killedWhileRecording(): records as fast as it can, and says how many rows there were when.
int recordForEver(const QString& path) {
    const auto source = syntheticTrace(3'000'000, 8, 11);
    Grower world(source);
    const auto recording = BackgroundRecording::start(path, world.trace, sampleMeta());
    if (!recording) return 1;
    QElapsedTimer clock;
    clock.start();
    QTimer pulse;
    QObject::connect(&pulse, &QTimer::timeout, [&] {
        const auto elapsed = clock.elapsed();
        world.to(std::min(std::size_t(elapsed) * kRowsAMillisecond, source->size()));
        std::fprintf(stdout, "%lld %zu\n", static_cast<long long>(elapsed), world.trace->size());
        std::fflush(stdout);
    });
    pulse.start(1);
    return QCoreApplication::exec();
}

} // namespace

class TestRecording : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void savesAndLoads_data();
    void savesAndLoads();
    void keepsWhatItSaysAboutItself();
    void growsPieceByPiece();
    void firstRowsComeQuickly();
    void loadingCanBeCancelled();
    void traceCanBeReadWhileItLoads();
    void backgroundRecordingFollowsAndFinishes();
    void backgroundRecordingNotFinishedStaysReadable();
    void finishesWhileItsWorldGoesOn();
    void loadsWhatIsStillBeingWritten();
    void rowsAreKeptWhenViolationsCannotBe();
    void killedWhileRecording();
    void savesOverAKilledRecording();
    void replacesNoPipe();
    void replacesNoOtherFile();
    void replacesAnOldRecording();
    void saysWhyItCannotBeMade();
    void anyToolCanQueryIt();
    void staysSmall();

private:
    QString path(const char* name = "x.lockscope") { return m_dir.filePath(QString::fromLatin1(name)); }
    QTemporaryDir m_dir;
};

void TestRecording::savesAndLoads_data() {
    QTest::addColumn<int>("rows");
    for (const int rows : {0, 1, 4095, 4096, 4097, 150'000})
        QTest::addRow("%d rows", rows) << rows;
}

void TestRecording::savesAndLoads() {
    QFETCH(int, rows);
    const auto trace = rows ? syntheticTrace(std::size_t(rows), 20, 7) : std::make_shared<Trace>();
    const auto saved = saveRecording(path(), trace, sampleMeta());
    QVERIFY2(saved.has_value(), qPrintable(saved ? QString() : saved.error().message));
    QVERIFY(!QFile::exists(path() + QStringLiteral(".part")));
    const auto loaded = loadRecording(path());
    QVERIFY2(loaded.has_value(), qPrintable(loaded ? QString() : loaded.error().message));
    QVERIFY2(!loaded->damage, qPrintable(loaded->damage ? loaded->damage->message : QString()));
    QCOMPARE(loaded->trace->size(), std::size_t(rows));
    QCOMPARE(loaded->trace->entityCount(), trace->entityCount());
    QCOMPARE(loaded->trace->digest(), trace->digest());
    QCOMPARE(loaded->meta.digest, trace->digest());
    QVERIFY(loaded->meta.finished);
}

void TestRecording::keepsWhatItSaysAboutItself() {
    auto trace = std::make_shared<Trace>();
    trace->intern(EntityKind::Text, QByteArray("\xff\x00not utf-8", 11)); // bytes are kept, whatever they are
    trace->setOriginWallMs(1'700'000'000'123);
    trace->reach(77s);
    QVERIFY(saveRecording(path(), trace, sampleMeta()).has_value());
    const auto loaded = loadRecording(path());
    QVERIFY(loaded && !loaded->damage);
    QCOMPARE(loaded->meta.scenario, sampleMeta().scenario);
    QCOMPARE(loaded->meta.seed, sampleMeta().seed);
    QCOMPARE(loaded->meta.recipe, sampleMeta().recipe);
    QCOMPARE(loaded->meta.origin, sampleMeta().origin);
    QCOMPARE(loaded->meta.progressBoundNs, sampleMeta().progressBoundNs);
    QCOMPARE(loaded->trace->originWallMs(), 1'700'000'000'123);
    QCOMPARE(loaded->trace->reached(), Nanos(77s));
    QCOMPARE(loaded->trace->entity(1).name, trace->entity(1).name);
    QCOMPARE(loaded->trace->digest(), trace->digest());
}

void TestRecording::growsPieceByPiece() {
    const auto source = syntheticTrace(30'000, 10, 4);
    Grower world(source);
    auto writer = RecordingWriter::create(path(), world.trace, sampleMeta());
    QVERIFY(writer.has_value());
    for (const std::size_t rows : {1u, 2u, 4096u, 4097u, 9000u, 20'000u, 20'001u}) {
        world.to(rows);
        QVERIFY((*writer)->write().has_value());
        const auto loaded = loadRecording(path()); // another connection sees what is committed
        QVERIFY(loaded && !loaded->damage);
        QCOMPARE(loaded->trace->size(), rows);
        QVERIFY(!loaded->meta.finished);
    }
    world.to(30'000);
    QVERIFY((*writer)->finish().has_value());
    QCOMPARE(loadRecording(path())->trace->digest(), source->digest());
}

void TestRecording::firstRowsComeQuickly() {
    const auto trace = syntheticTrace(1'000'000, 10, 4);
    QVERIFY(saveRecording(path(), trace, {}).has_value());
    RecordingReader reader(path());
    QVERIFY(reader.open().has_value());
    std::vector<std::size_t> steps;
    QVERIFY(reader
                .load([&](RecordingReader::Progress p) {
                    QCOMPARE(p.total, 1'000'000u);
                    QCOMPARE(p.rows, reader.trace()->size());
                    steps.push_back(p.rows);
                })
                .has_value());
    QVERIFY(steps.front() >= 100'000 && steps.front() < 110'000);
    QCOMPARE(steps.back(), 1'000'000u);
    QVERIFY(steps.size() >= 8 && steps.size() <= 60);
}

void TestRecording::loadingCanBeCancelled() {
    QVERIFY(saveRecording(path(), syntheticTrace(500'000, 10, 4), {}).has_value());
    RecordingReader reader(path());
    QVERIFY(reader.open().has_value());
    std::stop_source source;
    const auto result = reader.load([&](RecordingReader::Progress) { source.request_stop(); }, source.get_token());
    QVERIFY(!result);
    QCOMPARE(result.error().kind, RecordingError::Kind::Cancelled);
    QVERIFY(reader.trace()->size() >= 100'000 && reader.trace()->size() < 200'000);
}

void TestRecording::traceCanBeReadWhileItLoads() {
    const auto source = syntheticTrace(300'000, 10, 4);
    QVERIFY(saveRecording(path(), source, {}).has_value());
    RecordingReader reader(path());
    const std::shared_ptr<Trace> trace = reader.trace();
    std::atomic<bool> good = false;
    std::jthread worker([&] { good = reader.open().has_value() && reader.load().has_value(); });
    std::size_t seen = 0;
    bool equal = true;
    while (seen < source->size() && equal)
        for (const std::size_t size = trace->size(); seen < size; ++seen)
            equal &= trace->at(seen) == source->at(seen);
    worker.join();
    QVERIFY(equal);
    QVERIFY(good);
}

void TestRecording::backgroundRecordingFollowsAndFinishes() {
    const auto source = syntheticTrace(50'000, 10, 4);
    Grower world(source);
    auto recording = BackgroundRecording::start(path(), world.trace, sampleMeta());
    QVERIFY(recording.has_value());
    world.to(20'000);
    QTRY_VERIFY(loadRecording(path())->trace->size() == 20'000);
    world.to(50'000);
    RecordingMeta last = sampleMeta();
    last.scenario = "{\"by\":\"hand\"}";
    const std::vector<RecordedViolation> violations{
        {"mutual-exclusion", 5, 6s, 7200ms, QStringLiteral("A, B"), QStringLiteral("why")},
        {"progress", 5, 8s, kNever, QStringLiteral("B"), QStringLiteral("still")}};
    QVERIFY((*recording)->finish(&last, violations).has_value());
    QVERIFY((*recording)->finish().has_value()); // twice does no harm
    const auto loaded = loadRecording(path());
    QVERIFY(loaded && !loaded->damage && loaded->meta.finished);
    QCOMPARE(loaded->meta.scenario, last.scenario);
    QCOMPARE(loaded->trace->digest(), source->digest());
}

void TestRecording::backgroundRecordingNotFinishedStaysReadable() {
    Grower world(syntheticTrace(5'000, 10, 4));
    {
        auto recording = BackgroundRecording::start(path(), world.trace, sampleMeta());
        QVERIFY(recording.has_value());
        world.to(5'000);
        QTRY_VERIFY(loadRecording(path())->trace->size() == 5'000);
    }
    const auto loaded = loadRecording(path());
    QVERIFY(loaded && !loaded->damage);
    QVERIFY(!loaded->meta.finished);
    QVERIFY(loaded->meta.digest.isEmpty());
}

void TestRecording::finishesWhileItsWorldGoesOn() {
    const std::size_t before = kRowsAMillisecond * 500;
    Grower world(syntheticTrace(before, 10, 4));
    world.to(before);
    auto writer = RecordingWriter::create(path(), world.trace, sampleMeta());
    QVERIFY(writer.has_value());
    std::jthread goesOn([before, trace = world.trace](const std::stop_token& stop) {
        // Rows that come while finish() writes are not waited for; the bound only spares memory.
        while (!stop.stop_requested() && trace->size() < 4 * before) {
            Event next = trace->at(trace->size() - 1);
            next.actor = trace->intern(EntityKind::Client, QByteArray::number(qulonglong(trace->size())));
            for (int i = 0; i < 1000; ++i)
                trace->append(next);
        }
    });
    const bool finished = (*writer)->finish().has_value();
    QTRY_VERIFY(world.trace->size() > before);
    goesOn.request_stop();
    goesOn.join();
    QVERIFY(finished);
    const auto loaded = loadRecording(path());
    QVERIFY(loaded.has_value());
    QVERIFY2(!loaded->damage, qPrintable(loaded->damage ? loaded->damage->message : QString()));
    QVERIFY(loaded->meta.finished);
    const std::size_t rows = loaded->trace->size(), names = loaded->trace->entityCount();
    QVERIFY(rows >= before && rows <= world.trace->size());
    QCOMPARE(loaded->trace->digest(), world.trace->digest(rows, names));
}

void TestRecording::loadsWhatIsStillBeingWritten() {
    const auto trace = std::make_shared<Trace>();
    const auto goOn = [&trace](int rows) {
        for (int i = 0; i < rows; ++i) {
            const EntityId name =
                trace->intern(EntityKind::Client, QByteArray::number(qulonglong(trace->size() / 100)));
            trace->append({qint64(trace->size()), 0, name, kNoEntity, 0, EventKind::ClientStarted, 0});
        }
    };
    auto writer = RecordingWriter::create(path(), trace, sampleMeta());
    QVERIFY(writer.has_value());
    goOn(5000);
    QVERIFY((*writer)->write().has_value());
    RecordingReader reader(path());
    QCOMPARE(reader.open()->rows, 5000u);
    goOn(5000); // with names that open() has not seen
    QVERIFY((*writer)->write().has_value());
    const auto read = reader.load();
    QVERIFY2(read.has_value(), qPrintable(read ? QString() : read.error().message));
    QCOMPARE(reader.meta().rows, 10'000u);
    QCOMPARE(reader.trace()->digest(), trace->digest());
    goOn(1); // the reader has let go of the file
    QVERIFY((*writer)->finish().has_value());
}

void TestRecording::rowsAreKeptWhenViolationsCannotBe() {
    const auto source = syntheticTrace(20'000, 10, 4);
    Grower world(source);
    auto recording = BackgroundRecording::start(path(), world.trace, sampleMeta());
    QVERIFY(recording.has_value());
    {
        QSqlDatabase db = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), QStringLiteral("vandal"));
        db.setDatabaseName(path());
        QVERIFY(db.open());
        QVERIFY(QSqlQuery(db).exec(QStringLiteral("DROP TABLE violations")));
    }
    QSqlDatabase::removeDatabase(QStringLiteral("vandal"));
    world.to(20'000);
    const auto finished = (*recording)->finish(nullptr, {{"progress", 5, 8s, kNever, QStringLiteral("B"), {}}});
    QVERIFY(!finished.has_value());
    QCOMPARE(finished.error().kind, RecordingError::Kind::WriteFailed);
    const auto loaded = loadRecording(path());
    QVERIFY(loaded && !loaded->damage && loaded->meta.finished);
    QCOMPARE(loaded->trace->digest(), source->digest());
}

void TestRecording::savesOverAKilledRecording() {
    QVERIFY(saveRecording(path(), syntheticTrace(9000, 10, 4), sampleMeta()).has_value());
    QCOMPARE(QProcess::execute(QCoreApplication::applicationFilePath(), {QStringLiteral("--die-writing"), path()}),
             -1); // it crashed
    QVERIFY(QFileInfo(path() + QStringLiteral("-journal")).size() > 0);
    const auto trace = syntheticTrace(20'000, 8, 11);
    QVERIFY(saveRecording(path(), trace, sampleMeta()).has_value());
    const auto loaded = loadRecording(path());
    QVERIFY2(loaded.has_value(), qPrintable(loaded ? QString() : loaded.error().message));
    QVERIFY2(!loaded->damage, qPrintable(loaded->damage ? loaded->damage->message : QString()));
    QCOMPARE(loaded->trace->digest(), trace->digest());
}

void TestRecording::killedWhileRecording() {
    const QString file = path("killed.lockscope");
    QProcess child;
    child.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    child.start(QCoreApplication::applicationFilePath(), {QStringLiteral("--record-for-ever"), file});
    QVERIFY(child.waitForStarted());
    QByteArray output;
    const auto lastTime = [&] {
        output += child.readAllStandardOutput();
        const qsizetype end = output.lastIndexOf('\n');
        const qsizetype begin = output.lastIndexOf('\n', end - 1) + 1;
        return end < 0 ? 0 : output.mid(begin, output.indexOf(' ', begin) - begin).toLongLong();
    };
    while (lastTime() < 2500)
        QVERIFY2(child.waitForReadyRead(60'000), "the child says nothing");
    QCOMPARE(::kill(static_cast<pid_t>(child.processId()), SIGKILL), 0);
    QVERIFY(child.waitForFinished());
    QCOMPARE(child.exitStatus(), QProcess::CrashExit);
    const long long killedAt = lastTime();

    // Every row that was there a second before it died must be in the file.
    std::size_t due = 0;
    const QByteArrayList lines = output.split('\n');
    for (const QByteArray& line : lines) {
        const QByteArrayList fields = line.split(' ');
        if (fields.size() == 2 && fields[0].toLongLong() <= killedAt - 1000) due = fields[1].toULongLong();
    }
    const auto loaded = loadRecording(file);
    QVERIFY2(loaded.has_value(), qPrintable(loaded ? QString() : loaded.error().message));
    QVERIFY2(!loaded->damage, qPrintable(loaded->damage ? loaded->damage->message : QString()));
    QVERIFY(!loaded->meta.finished);
    QVERIFY(due > 100 * kRowsAMillisecond);
    QVERIFY2(loaded->trace->size() >= due, qPrintable(QStringLiteral("%1 of %2").arg(loaded->trace->size()).arg(due)));
    const auto source = syntheticTrace(loaded->trace->size(), 8, 11);
    for (std::size_t i = 0; i < loaded->trace->size(); ++i)
        QCOMPARE(loaded->trace->at(i), source->at(i));
}

void TestRecording::replacesNoPipe() {
    const QString where = path("pipe.lockscope");
    const QByteArray pipe = QFile::encodeName(where);
    QCOMPARE(mkfifo(pipe.constData(), 0600), 0);
    const auto saved = saveRecording(where, syntheticTrace(10, 10, 4), {});
    QVERIFY(!saved && saved.error().message.contains(where));
    QVERIFY(!BackgroundRecording::start(where, std::make_shared<Trace>(), {}));
    struct stat there {};
    QCOMPARE(stat(pipe.constData(), &there), 0);
    QVERIFY2(S_ISFIFO(there.st_mode), "a file stands where the pipe was");
    QVERIFY(!QFile::exists(where + QStringLiteral(".part")));
    QVERIFY(QFile::remove(where));
}

void TestRecording::replacesNoOtherFile() {
    for (const QByteArray& content :
         {QByteArray("{\"of\": \"somebody\"}"), QByteArray("SQLite format 3") + QByteArray(1009, '\0')}) {
        QFile other(path("other"));
        QVERIFY(other.open(QIODevice::WriteOnly) && other.write(content) == content.size());
        other.close();
        const auto saved = saveRecording(other.fileName(), syntheticTrace(10, 10, 4), {});
        QVERIFY(!saved && saved.error().message.contains(other.fileName()));
        QVERIFY(other.open(QIODevice::ReadOnly));
        QCOMPARE(other.readAll(), content);
    }
}

void TestRecording::replacesAnOldRecording() {
    QVERIFY(saveRecording(path(), syntheticTrace(9000, 10, 4), {}).has_value());
    QVERIFY(saveRecording(path(), syntheticTrace(10, 10, 4), {}).has_value());
    QCOMPARE(loadRecording(path())->trace->size(), 10u);
    Grower world(syntheticTrace(5, 10, 4));
    QVERIFY(RecordingWriter::create(path(), world.trace, {}).has_value());
    QCOMPARE(loadRecording(path())->trace->size(), 0u);
}

void TestRecording::saysWhyItCannotBeMade() {
    const QString nowhere = path("no/such/folder/x.lockscope");
    const auto saved = saveRecording(nowhere, syntheticTrace(10, 10, 4), {});
    QVERIFY(!saved);
    QCOMPARE(saved.error().kind, RecordingError::Kind::CannotOpen);
    QVERIFY2(saved.error().message.contains(QStringLiteral("no/such/folder")), qPrintable(saved.error().message));
    QVERIFY(!BackgroundRecording::start(nowhere, std::make_shared<Trace>(), {}));
}

void TestRecording::anyToolCanQueryIt() {
    const auto trace = syntheticTrace(1000, 3, 4);
    QVERIFY(saveRecording(path(), trace, sampleMeta(),
                          {{"stale-write", 9, 6s, 6s, QStringLiteral("A"), QStringLiteral("because")}})
                .has_value());
    {
        QSqlDatabase db = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), QStringLiteral("tool"));
        db.setDatabaseName(path());
        QVERIFY(db.open());
        const auto value = [&](const char* sql) {
            QSqlQuery q(db);
            return q.exec(QString::fromLatin1(sql)) && q.next() ? q.value(0) : QVariant();
        };
        QCOMPARE(value("PRAGMA application_id").toInt(), 0x4c6b5363);
        QCOMPARE(value("PRAGMA user_version").toInt(), 1);
        QCOMPARE(value("PRAGMA integrity_check").toString(), QStringLiteral("ok"));
        QCOMPARE(value("SELECT name FROM entities WHERE kind = 5").toString(), QStringLiteral("orders"));
        QCOMPARE(value("SELECT explanation FROM violations WHERE invariant = 'stale-write'").toString(),
                 QStringLiteral("because"));
        QCOMPARE(value("SELECT sum(rows) FROM chunks").toInt(), 1000);
    }
    QSqlDatabase::removeDatabase(QStringLiteral("tool"));
}

void TestRecording::staysSmall() {
    const auto trace = syntheticTrace(200'000, 10, 4);
    QVERIFY(saveRecording(path(), trace, {}).has_value());
    const double perEvent = double(QFileInfo(path()).size()) / 200'000;
    QVERIFY2(perEvent < 20, qPrintable(QString::number(perEvent)));
}

int main(int argc, char** argv) {
    QCoreApplication app(argc, argv);
    if (argc == 3 && qstrcmp(argv[1], "--record-for-ever") == 0) return recordForEver(QString::fromLocal8Bit(argv[2]));
    if (argc == 3 && qstrcmp(argv[1], "--die-writing") == 0) return dieWriting(QString::fromLocal8Bit(argv[2]));
    TestRecording test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_recording.moc"
