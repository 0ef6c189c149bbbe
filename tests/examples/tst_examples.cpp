// SPDX-License-Identifier: Apache-2.0
#include "live_redis.h"

#include <QDirIterator>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>

using namespace lockscope;
using namespace lockscope::test;

namespace {
struct Ran {
    int status = -1;
    QByteArray out, err;
    QByteArray told() const { return "status " + QByteArray::number(status) + '\n' + out + err; }
};

Ran runProgram(const QString& program, const QStringList& arguments, const QProcessEnvironment& environment) {
    QProcess process;
    process.setProcessEnvironment(environment);
    process.start(program, arguments);
    if (!process.waitForFinished(240'000)) {
        process.kill();
        process.waitForFinished();
    }
    const bool ended = process.exitStatus() == QProcess::NormalExit && process.error() == QProcess::UnknownError;
    return {ended ? process.exitCode() : -1, process.readAllStandardOutput(), process.readAllStandardError()};
}
} // namespace

/// The library as somebody else has it: installed, found by find_package and by pkg-config, used on real servers.
class TestExamples : public QObject {
    Q_OBJECT
    EventLoopRuntime m_runtime;
    std::unique_ptr<sandbox::RedisServer> m_server;
    QTemporaryDir m_folder;
    QProcessEnvironment m_environment = QProcessEnvironment::systemEnvironment();

    QString path(const char* name) const { return m_folder.filePath(QLatin1String(name)); }
    Ran example(const char* name, const QStringList& arguments) const {
        return runProgram(path("examples/") + QLatin1String(name), arguments, m_environment);
    }
    Ran cmake(const QStringList& arguments) const {
        return runProgram(QStringLiteral(LOCKSCOPE_CMAKE), arguments, m_environment);
    }

private Q_SLOTS:
    void initTestCase() {
        m_server = std::make_unique<sandbox::RedisServer>(m_runtime);
        VERIFY_STARTED(*m_server);
        const Ran installed =
            cmake({QStringLiteral("--install"), QStringLiteral(LOCKSCOPE_BUILD_DIR), QStringLiteral("--component"),
                   QStringLiteral("library"), QStringLiteral("--prefix"), path("stage")});
        QVERIFY2(installed.status == 0, installed.told());
        // A program has folders of its own that are called as ours are.
        for (const char* own : {"runtime/runtime.h", "backends/url.h", "trace/time.h", "lock/connection.h"}) {
            const QString file = path("own/") + QLatin1String(own);
            QVERIFY(QDir().mkpath(QFileInfo(file).path()));
            QFile header(file);
            QVERIFY(header.open(QIODevice::WriteOnly) && header.write("#error \"not Lockscope's header\"\n") > 0);
        }
        // Qt counts references in code that is compiled into the program: a checker has to see that as well.
        const QString sanitizer = QStringLiteral(LOCKSCOPE_SANITIZER);
        const QString sanitize = sanitizer.isEmpty() ? QString() : QStringLiteral(" -fsanitize=") + sanitizer;
        QStringList words{QStringLiteral("-S"),
                          QStringLiteral(LOCKSCOPE_SOURCE_DIR "/tests/examples"),
                          QStringLiteral("-B"),
                          path("examples"),
                          QStringLiteral("-G"),
                          QStringLiteral("Ninja"),
                          QStringLiteral("-DCMAKE_BUILD_TYPE=Debug"),
                          QStringLiteral("-DCMAKE_CXX_COMPILER=" LOCKSCOPE_COMPILER),
                          QStringLiteral("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"),
                          QStringLiteral("-DCMAKE_CXX_FLAGS=-g0 -I") + path("own") + sanitize,
                          QStringLiteral("-DCMAKE_PREFIX_PATH=") + path("stage")};
        const Ran configured = cmake(words);
        QVERIFY2(configured.status == 0, configured.told());
        const Ran built =
            cmake({QStringLiteral("--build"), path("examples"), QStringLiteral("--parallel"), QStringLiteral("2")});
        QVERIFY2(built.status == 0, built.told());
    }
    void cleanupTestCase() { m_server.reset(); }

    void nothingButTheLibraryIsInstalled() {
        QVERIFY(QFile::exists(path("stage/include/lockscope/blocking.h")));
        QVERIFY(QFile::exists(path("stage/include/lockscope/qt/locks.h")));
        // The headers that are public in the tree, as they stand there.
        const QDir public_(QStringLiteral(LOCKSCOPE_SOURCE_DIR "/core/include"));
        const QDir installed(path("stage/include"));
        int headers = 0;
        for (QDirIterator it(installed.path(), QDir::Files, QDirIterator::Subdirectories); it.hasNext(); ++headers) {
            QFile theirs(it.next()), ours(public_.filePath(installed.relativeFilePath(theirs.fileName())));
            QVERIFY2(ours.open(QIODevice::ReadOnly) && theirs.open(QIODevice::ReadOnly), qPrintable(ours.fileName()));
            QCOMPARE(theirs.readAll(), ours.readAll());
        }
        QVERIFY(headers >= 20);
        QVERIFY(!QFile::exists(path("stage/bin/lockscope")));
    }

    /// Programs can use what the headers declare, and nothing else of the library collides with what is theirs.
    void onlyThePublicNamesAreExported() {
        const QString library = path("stage/" LOCKSCOPE_LIBDIR "/liblockscope.so");
        const Ran listed = runProgram(
            QStringLiteral("nm"), {QStringLiteral("-DC"), QStringLiteral("--defined-only"), library}, m_environment);
        QVERIFY2(listed.status == 0, listed.told());
        static const QRegularExpression kPublic(
            QStringLiteral("^(vtable for |typeinfo for |typeinfo name for )?lockscope::(set(Log|Metrics)Handler\\(|"
                           "LockException|InterruptedException|qt::|blocking::(Client|Condition|History|Hold|"
                           "LeaderElection|Manager|detail::Handle)::)"));
        int names = 0;
        QByteArray others;
        for (const QByteArray& line : listed.out.split('\n')) {
            const QByteArray name = line.mid(19); // behind address and kind
            if (name.isEmpty()) continue;
            ++names;
            if (!kPublic.match(QString::fromUtf8(name)).hasMatch()) others += name + '\n';
        }
        QVERIFY2(others.isEmpty(), others.constData());
        QVERIFY2(names > 100 && names < 500, listed.told());
    }

    void schemasAndAnExampleAreInstalledWithTheProgram() {
        const Ran installed =
            cmake({QStringLiteral("--install"), QStringLiteral(LOCKSCOPE_BUILD_DIR), QStringLiteral("--component"),
                   QStringLiteral("data"), QStringLiteral("--prefix"), path("program")});
        QVERIFY2(installed.status == 0, installed.told());
        const auto jsonAt = [&](const char* file) {
            QFile content(path("program/share/lockscope/") + QLatin1String(file));
            return content.open(QIODevice::ReadOnly) ? QJsonDocument::fromJson(content.readAll()).object()
                                                     : QJsonObject();
        };
        QCOMPARE(jsonAt("schemas/scenario-2.schema.json")[u"$id"].toString(),
                 QStringLiteral("urn:lockscope:scenario:2"));
        QCOMPARE(jsonAt("schemas/scenario.schema.json")[u"$id"].toString(), QStringLiteral("urn:lockscope:scenario:1"));
        QCOMPARE(jsonAt("schemas/lesson.schema.json")[u"$id"].toString(), QStringLiteral("urn:lockscope:lesson:1"));
        QCOMPARE(jsonAt("examples/manager.json")[u"lockscope-manager"].toInt(), 1);
    }

    void aJobIsLocked() {
        const Ran ran = example("lock_a_job", {m_server->url()});
        QVERIFY2(ran.status == 0 && ran.out.contains("writing"), ran.told());
        QVERIFY2(ran.err.isEmpty(), ran.told()); // Qt has nothing to say about a program without a QCoreApplication
    }

    void anotherLeadsWhenTheLeaderIsKilled() {
        QProcess first, second;
        const QString program = path("examples/elect_a_leader");
        first.start(program, {m_server->url(), QStringLiteral("60")});
        QVERIFY(QTest::qWaitFor([&] { return first.readAllStandardOutput().contains("leads"); }, 20'000));
        second.start(program, {m_server->url(), QStringLiteral("60")});
        QVERIFY(!QTest::qWaitFor([&] { return second.readAllStandardOutput().contains("leads"); }, 500));
        first.kill();
        QVERIFY(QTest::qWaitFor([&] { return second.readAllStandardOutput().contains("leads"); }, 20'000));
        QVERIFY(first.state() == QProcess::NotRunning || first.waitForFinished());
        second.kill();
        QVERIFY(second.waitForFinished());
    }

    void aStaleWriteIsRefused() {
        const Ran ran = example("guard_a_write", {m_server->url()});
        QVERIFY2(ran.status == 0 && ran.out.contains("refused") && ran.out.contains("no longer ours"), ran.told());
    }

    void aHoldChangesThreads() {
        const Ran ran = example("hand_over", {m_server->url()});
        QVERIFY2(ran.status == 0 && ran.out.contains("held by "), ran.told());
        QVERIFY2(ran.out.contains("for 19 s more") || ran.out.contains("for 18 s more"), ran.told());
        QVERIFY2(ran.out.endsWith("1 acquired, 1 released, 0 lost\n") && ran.err.isEmpty(), ran.told());
    }

    void readersAndAWriter() {
        const Ran ran = example("read_and_write", {m_server->url()});
        QVERIFY2(ran.status == 0 && ran.out.contains("60 reads, 0 torn"), ran.told());
    }

    void severalLocksAreOne() {
        const Ran ran = example("lock_together", {m_server->url(), QStringLiteral("sqlite://") + path("both.sqlite")});
        QVERIFY2(ran.status == 0 && ran.out == "700 and 300, 60 tokens\n", ran.told());
        QVERIFY2(ran.err.isEmpty(), ran.told());
    }

    void backendsAreSwitchedByTheirUrl() {
        const Ran ran =
            example("switch_backends", {m_server->url(), QStringLiteral("sqlite://") + path("locks.sqlite")});
        QVERIFY2(ran.status == 0 && ran.out == "held\nheld\n", ran.told());
        QVERIFY2(ran.err.isEmpty(), ran.told());
        QCOMPARE(example("switch_backends", {QStringLiteral("redis://127.0.0.1:1")}).status, 3);
        QCOMPARE(example("switch_backends", {QStringLiteral("nonsense://")}).status, 2);
    }

    void enginesChangeUnderThreads() {
        const QString second = m_server->url() + QStringLiteral("/1");
        const Ran ran = example("change_engines", {m_server->url(), QStringLiteral("redis-fenced"), second,
                                                   QStringLiteral("redis-reentrant")});
        QVERIFY2(ran.status == 0 && ran.out.contains(" on " + second.toUtf8()), ran.told());
        QVERIFY2(ran.err.isEmpty(), ran.told());
    }

    void coroutinesNeedNoThread() {
        const Ran ran = example("event_loop", {m_server->url()});
        QVERIFY2(ran.status == 0 && ran.out.contains("held for at least"), ran.told());
    }

    void aCandidateLeadsOnAnEventLoop() {
        const Ran ran = example("lead_on_a_loop", {m_server->url(), QStringLiteral("20")});
        QVERIFY2(ran.status == 0 && ran.out.contains("leads, term ") && ran.out.contains("leads no longer"),
                 ran.told());
    }

    void pkgConfigIsEnough() {
        if (!QStringLiteral(LOCKSCOPE_SANITIZER).isEmpty()) return; // its flags are nobody's who uses pkg-config
        QProcessEnvironment environment = m_environment;
        const QString libraries = path("stage/" LOCKSCOPE_LIBDIR);
        environment.insert(QStringLiteral("PKG_CONFIG_PATH"), libraries + QStringLiteral("/pkgconfig"));
        const QString line =
            QStringLiteral("%1 -std=c++20 '%2' -o '%3' $(pkg-config --cflags --libs lockscope)")
                .arg(QStringLiteral(LOCKSCOPE_COMPILER),
                     QStringLiteral(LOCKSCOPE_SOURCE_DIR "/tests/examples/lock_a_job.cpp"), path("by_pkg_config"));
        const Ran built = runProgram(QStringLiteral("sh"), {QStringLiteral("-c"), line}, environment);
        QVERIFY2(built.status == 0, built.told());
        environment.insert(QStringLiteral("LD_LIBRARY_PATH"), libraries);
        const Ran ran = runProgram(path("by_pkg_config"), {m_server->url()}, environment);
        QVERIFY2(ran.status == 0 && ran.out.contains("writing"), ran.told());
    }
};

QTEST_GUILESS_MAIN(TestExamples)
#include "tst_examples.moc"
