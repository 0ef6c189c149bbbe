// SPDX-License-Identifier: Apache-2.0
#include "synthetic/synthetic.h"
#include "trace/recording.h"

#include <QFile>
#include <QRandomGenerator>
#include <QSqlDatabase>
#include <QSqlQuery>
#include <QTemporaryDir>
#include <QTest>

using namespace lockscope;
using namespace lockscope::trace;
using Kind = RecordingError::Kind;

/// Files that are not, or no longer, whole recordings: each gives a typed error in words, and whatever lies before the
/// damage can be read.
class TestRecordingDamage : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void missing();
    void foreign_data();
    void foreign();
    void newer();
    void truncatedKeepsTheRowsBefore_data();
    void truncatedKeepsTheRowsBefore();
    void aFlippedBitKeepsTheRowsBefore();
    void aMissingChunkKeepsTheRowsBefore();
    void theMessageSaysWhatIsLost();
    void changedRowsAreFoundByTheDigest();
    void entityOutOfRangeIsDamage_data();
    void entityOutOfRangeIsDamage();
    void valuesThatAreNoTimesAreFine_data();
    void valuesThatAreNoTimesAreFine();
    void whatItSaysOfItselfIsSealed();
    void neverCrashes();

private:
    void write(const QByteArray& bytes) const {
        QFile file(m_path);
        QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
        QCOMPARE(file.write(bytes), bytes.size());
    }
    /// Runs SQL on the sample.
    void change(const QString& sql) {
        write(m_good);
        {
            QSqlDatabase db = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), QStringLiteral("change"));
            db.setDatabaseName(m_path);
            QVERIFY(db.open());
            QSqlQuery q(db);
            QVERIFY(q.exec(sql));
        }
        QSqlDatabase::removeDatabase(QStringLiteral("change"));
    }
    /// Every row read is the row that was written.
    bool isPrefix(const Trace& trace) const {
        if (trace.size() > m_trace->size()) return false;
        for (std::size_t i = 0; i < trace.size(); ++i)
            if (!(trace.at(i) == m_trace->at(i))) return false;
        return true;
    }

    QTemporaryDir m_dir;
    QString m_path = m_dir.filePath(QStringLiteral("x.lockscope"));
    std::shared_ptr<const Trace> m_trace = syntheticTrace(60'000, 8, 3);
    QByteArray m_good;
};

void TestRecordingDamage::initTestCase() {
    QVERIFY(saveRecording(m_path, m_trace, {}).has_value());
    QFile file(m_path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    m_good = file.readAll();
    QVERIFY(m_good.size() > 100'000);
}

void TestRecordingDamage::entityOutOfRangeIsDamage_data() {
    QTest::addColumn<QString>("column");
    QTest::addColumn<QString>("value");
    for (const char* column : {"parent", "other"})
        for (const char* value : {"4294967295", "2147483648", "100000", "-1", "4294967297", "id"})
            QTest::addRow("%s=%s", column, value) << QString::fromLatin1(column) << QString::fromLatin1(value);
    QTest::newRow("kind") << QStringLiteral("kind") << QStringLiteral("300");
}

void TestRecordingDamage::entityOutOfRangeIsDamage() {
    QFETCH(QString, column);
    QFETCH(QString, value);
    change(QStringLiteral("UPDATE entities SET %1 = %2 WHERE id = (SELECT max(id) FROM entities)").arg(column, value));
    const auto loaded = loadRecording(m_path);
    QVERIFY(loaded.has_value());
    QVERIFY(loaded->damage.has_value());
    QCOMPARE(loaded->damage->kind, Kind::Damaged);
    for (std::size_t id = 0; id < loaded->trace->entityCount(); ++id) {
        const Entity& entity = loaded->trace->entity(EntityId(id));
        QVERIFY(entity.parent < std::max<std::size_t>(id, 1) && entity.other < std::max<std::size_t>(id, 1));
    }
}

void TestRecordingDamage::valuesThatAreNoTimesAreFine_data() {
    QTest::addColumn<int>("kind");
    QTest::addColumn<qint64>("value");
    QTest::addColumn<bool>("fine");
    QTest::newRow("never ends") << int(EventKind::RecordHeld) << qint64(-1) << true;
    QTest::newRow("end not known") << int(EventKind::RecordRenewed) << qint64(-2) << true;
    QTest::newRow("centuries") << int(EventKind::RecordHeld) << qint64(INT64_MAX) << true;
    QTest::newRow("before all time") << int(EventKind::RecordHeld) << qint64(INT64_MIN) << false;
    QTest::newRow("waits without a bound") << int(EventKind::Requested) << qint64(-1) << true;
    QTest::newRow("waits less than not at all") << int(EventKind::Requested) << qint64(-5) << false;
    QTest::newRow("lost") << int(EventKind::Request) << qint64(-1) << true;
    QTest::newRow("a guess") << int(EventKind::RecordCertainty) << qint64(2) << true;
    QTest::newRow("surer than certain") << int(EventKind::RecordCertainty) << qint64(-1) << false;
    QTest::newRow("less than a guess") << int(EventKind::RecordCertainty) << qint64(3) << false;
    QTest::newRow("clock behind") << int(EventKind::ClockJumped) << qint64(-3'600'000'000'000) << true;
    QTest::newRow("clock beyond reckoning") << int(EventKind::ClockJumped) << qint64(INT64_MIN) << false;
}

void TestRecordingDamage::valuesThatAreNoTimesAreFine() {
    QFETCH(int, kind);
    QFETCH(qint64, value);
    QFETCH(bool, fine);
    auto trace = std::make_shared<Trace>();
    const EntityId text = trace->text("GET orders");
    trace->append({1, value, 0, 0, text, EventKind(kind), 0});
    QVERIFY(saveRecording(m_path, trace, {}).has_value());
    const auto loaded = loadRecording(m_path);
    QVERIFY(loaded.has_value());
    QCOMPARE(!loaded->damage, fine);
}

void TestRecordingDamage::whatItSaysOfItselfIsSealed() {
    write(m_good);
    const auto whole = loadRecording(m_path);
    QVERIFY(whole && !whole->damage);
    QCOMPARE(whole->meta.seal, RecordingMeta::Seal::Whole);
    for (const char* key : {"progress_bound_ns", "recipe", "scenario", "seed", "origin"}) {
        change(QStringLiteral("UPDATE meta SET value = '77' WHERE key = '%1'").arg(QLatin1String(key)));
        const auto changed = loadRecording(m_path);
        QVERIFY2(changed && changed->damage, key);
        QCOMPARE(changed->trace->size(), m_trace->size()); // its events are all there
    }
    change(QStringLiteral("DELETE FROM meta WHERE key = 'meta_digest'")); // as an older version wrote it
    const auto older = loadRecording(m_path);
    QVERIFY(older && !older->damage);
    QCOMPARE(older->meta.seal, RecordingMeta::Seal::Missing);
}

void TestRecordingDamage::missing() {
    const auto loaded = loadRecording(m_dir.filePath(QStringLiteral("gone.lockscope")));
    QVERIFY(!loaded);
    QCOMPARE(loaded.error().kind, Kind::NotFound);
    QVERIFY(loaded.error().message.contains(QStringLiteral("gone.lockscope")));
    QVERIFY(!QFile::exists(m_dir.filePath(QStringLiteral("gone.lockscope")))); // looking makes no file
}

void TestRecordingDamage::foreign_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::newRow("empty") << QByteArray();
    QTest::newRow("text") << QByteArray("{\"id\": \"gc-pause\"}");
    QTest::newRow("picture") << QByteArray("\x89PNG\r\n\x1a\n") + QByteArray(5000, 'x');
    QTest::newRow("a database's first line only") << QByteArray("SQLite format 3\0rubbish", 23) + QByteArray(600, '\7');
}

void TestRecordingDamage::foreign() {
    QFETCH(QByteArray, bytes);
    write(bytes);
    const auto loaded = loadRecording(m_path);
    QVERIFY(!loaded);
    QVERIFY(loaded.error().kind == Kind::NotRecording || loaded.error().kind == Kind::CannotOpen);
    QVERIFY2(loaded.error().message.contains(m_path), qPrintable(loaded.error().message));

    change(QStringLiteral("PRAGMA application_id = 7")); // a database of another program
    QCOMPARE(loadRecording(m_path).error().kind, Kind::NotRecording);
}

void TestRecordingDamage::newer() {
    change(QStringLiteral("PRAGMA user_version = 2"));
    const auto loaded = loadRecording(m_path);
    QVERIFY(!loaded);
    QCOMPARE(loaded.error().kind, Kind::Newer);
    QVERIFY2(loaded.error().message.contains(QStringLiteral("format 2")), qPrintable(loaded.error().message));
}

void TestRecordingDamage::truncatedKeepsTheRowsBefore_data() {
    QTest::addColumn<int>("percent");
    for (const int percent : {50, 80, 99})
        QTest::addRow("%d%% left", percent) << percent;
}

void TestRecordingDamage::truncatedKeepsTheRowsBefore() {
    QFETCH(int, percent);
    write(m_good.left(m_good.size() * percent / 100));
    const auto loaded = loadRecording(m_path);
    QVERIFY2(loaded.has_value(), qPrintable(loaded ? QString() : loaded.error().message));
    QVERIFY(loaded->damage.has_value());
    QCOMPARE(loaded->damage->kind, Kind::Damaged);
    QVERIFY2(loaded->damage->message.contains(QStringLiteral("after event %1").arg(loaded->trace->size())),
             qPrintable(loaded->damage->message));
    QVERIFY(isPrefix(*loaded->trace));
    // Pages lie in the order of writing: about as much is left as of the file, less one chunk and the tables' heads.
    const double left = double(loaded->trace->size()) / double(m_trace->size());
    QVERIFY2(left > percent / 100.0 - 0.2, qPrintable(QString::number(left)));
}

void TestRecordingDamage::aFlippedBitKeepsTheRowsBefore() {
    QByteArray bytes = m_good;
    bytes[bytes.size() * 3 / 4] ^= 0x10;
    write(bytes);
    const auto loaded = loadRecording(m_path);
    QVERIFY(loaded.has_value());
    QVERIFY(loaded->damage.has_value());
    QVERIFY(isPrefix(*loaded->trace));
    QVERIFY(loaded->trace->size() >= m_trace->size() / 2);
}

void TestRecordingDamage::aMissingChunkKeepsTheRowsBefore() {
    change(QStringLiteral("DELETE FROM chunks WHERE id = 5"));
    const auto loaded = loadRecording(m_path);
    QVERIFY(loaded && loaded->damage);
    QCOMPARE(loaded->trace->size(), 5 * Trace::kChunkRows);
    change(QStringLiteral("DELETE FROM chunks WHERE id > 5"));
    QVERIFY(loadRecording(m_path)->damage.has_value());
    change(QStringLiteral("DROP TABLE chunks"));
    QVERIFY(loadRecording(m_path)->damage.has_value());
    change(QStringLiteral("DELETE FROM entities WHERE id > 2"));
    const auto nameless = loadRecording(m_path);
    QVERIFY(nameless && nameless->damage);
    QCOMPARE(nameless->trace->size(), 0u);
}

void TestRecordingDamage::theMessageSaysWhatIsLost() {
    const auto message = [this](const QString& sql) {
        change(sql);
        const auto loaded = loadRecording(m_path);
        return loaded && loaded->damage ? loaded->damage->message : QString();
    };
    const QString rows = QString::number(m_trace->size()), left = QString::number(5 * Trace::kChunkRows);
    const QString rest = message(QStringLiteral("DELETE FROM chunks WHERE id = 5"));
    QVERIFY2(rest.contains(QStringLiteral("after event %1 of %2, at ").arg(left, rows)), qPrintable(rest));
    const QString all = message(QStringLiteral("DELETE FROM chunks WHERE id = 0"));
    QVERIFY2(all.contains(QStringLiteral("none of its %1 events can be read. Copy it again").arg(rows)),
             qPrintable(all));
}

void TestRecordingDamage::changedRowsAreFoundByTheDigest() {
    change(QStringLiteral("UPDATE entities SET name = 'Z' WHERE name = 'A'"));
    const auto loaded = loadRecording(m_path);
    QVERIFY(loaded && loaded->damage);
    QCOMPARE(loaded->damage->kind, Kind::Damaged);
    QCOMPARE(loaded->trace->size(), m_trace->size());
}

void TestRecordingDamage::neverCrashes() {
    QRandomGenerator random(42);
    int opened = 0, whole = 0;
    for (int round = 0; round < 300; ++round) {
        QByteArray bytes = m_good;
        if (round % 3 == 0) bytes.truncate(qsizetype(random.bounded(quint32(bytes.size()))));
        // Near the front lie the headers, the schema and the tables' roots: most rounds go there.
        const qsizetype range = round % 2 ? std::min<qsizetype>(bytes.size(), 120'000) : bytes.size();
        for (int flips = random.bounded(1, 30); range > 0 && flips-- > 0;)
            bytes[qsizetype(random.bounded(quint32(range)))] = char(random.bounded(256));
        write(bytes);
        const auto loaded = loadRecording(m_path);
        if (!loaded) {
            QVERIFY(!loaded.error().message.isEmpty());
            continue;
        }
        ++opened;
        whole += !loaded->damage;
        for (std::size_t i = 0; i < loaded->trace->size(); i += 97)
            (void)loaded->trace->displayName(loaded->trace->at(i).actor);
        if (!loaded->damage) QCOMPARE(loaded->trace->digest(), m_trace->digest());
    }
    QVERIFY(opened > 20); // else it would prove nothing
    QVERIFY(whole < opened);
}

QTEST_GUILESS_MAIN(TestRecordingDamage)
#include "tst_recording_damage.moc"
