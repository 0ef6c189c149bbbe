// SPDX-License-Identifier: Apache-2.0
#include "every_recipe/grounds.h"
#include "markdown_blocks.h"

#include <QProcess>
#include <QTemporaryDir>

using namespace lockscope;
using namespace lockscope::test;

namespace {
struct Ran {
    int status = -1;
    QByteArray out, err;
    QByteArray told() const { return "status " + QByteArray::number(status) + '\n' + out + err; }
};

Ran runProgram(const QString& program, const QStringList& arguments, const QProcessEnvironment& environment,
               const QString& folder = {}) {
    QProcess process;
    process.setProcessEnvironment(environment);
    process.setWorkingDirectory(folder);
    process.start(program, arguments);
    if (!process.waitForFinished(240'000)) {
        process.kill();
        process.waitForFinished();
    }
    const bool ended = process.exitStatus() == QProcess::NormalExit && process.error() == QProcess::UnknownError;
    return {ended ? process.exitCode() : -1, process.readAllStandardOutput(), process.readAllStandardError()};
}

const char* const kFiles[] = {"README.md", "README.zh_CN.md", "tests/examples/README.md"};
} // namespace

/// The code of the READMEs as a reader copies it: C++ compiled against an installed library, by the CMake lines that
/// stand beside it, and run on every kind of servers that it names; `lockscope lock` lines run as they are, but for the
/// servers' addresses.
class TestReadmeBlocks : public QObject {
    Q_OBJECT
    EventLoopRuntime m_runtime;
    QTemporaryDir m_folder;
    std::vector<CodeBlock> m_cpp, m_console;
    QString m_cmake;
    Grounds m_grounds{m_runtime};
    QProcessEnvironment m_environment = QProcessEnvironment::systemEnvironment();

    QString path(const QString& name) const { return m_folder.filePath(name); }
    static void write(const QString& path, const QByteArray& text) {
        QVERIFY(QDir().mkpath(QFileInfo(path).path()));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text) == text.size());
    }
    Ran cmake(const QStringList& arguments) const {
        return runProgram(QStringLiteral(LOCKSCOPE_CMAKE), arguments, m_environment);
    }
    QString urlOf(const QString& scheme) { return m_grounds.urlOf(scheme.toLatin1()); }

private Q_SLOTS:
    void initTestCase() {
        for (const char* file : kFiles) {
            for (CodeBlock& block : blocksOf(QStringLiteral(LOCKSCOPE_SOURCE_DIR), QLatin1String(file))) {
                if (block.language == u"cmake") m_cmake = block.text;
                if (block.language == u"cpp") m_cpp.push_back(block);
                if (block.language == u"console") m_console.push_back(block);
            }
        }
        QVERIFY(m_cpp.size() >= std::size(kFiles) && m_console.size() >= 2 && !m_cmake.isEmpty());
        const Ran installed =
            cmake({QStringLiteral("--install"), QStringLiteral(LOCKSCOPE_BUILD_DIR), QStringLiteral("--component"),
                   QStringLiteral("library"), QStringLiteral("--prefix"), path(QStringLiteral("stage"))});
        QVERIFY2(installed.status == 0, installed.told());
        write(path(QStringLiteral("source/yours.cpp")), programOf(m_cpp));
        write(path(QStringLiteral("source/CMakeLists.txt")),
              "cmake_minimum_required(VERSION 3.25)\nproject(Yours LANGUAGES CXX)\nadd_executable(yours yours.cpp)\n" +
                  m_cmake.toUtf8());
        const QString sanitizer = QStringLiteral(LOCKSCOPE_SANITIZER);
        const QString sanitize = sanitizer.isEmpty() ? QString() : QStringLiteral("-fsanitize=") + sanitizer;
        const Ran configured = cmake(
            {QStringLiteral("-S"), path(QStringLiteral("source")), QStringLiteral("-B"), path(QStringLiteral("build")),
             QStringLiteral("-G"), QStringLiteral("Ninja"), QStringLiteral("-DCMAKE_CXX_COMPILER=" LOCKSCOPE_COMPILER),
             QStringLiteral("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"), QStringLiteral("-DCMAKE_CXX_FLAGS=") + sanitize,
             QStringLiteral("-DCMAKE_PREFIX_PATH=") + path(QStringLiteral("stage"))});
        QVERIFY2(configured.status == 0, configured.told());
        const Ran built = cmake({QStringLiteral("--build"), path(QStringLiteral("build"))});
        QVERIFY2(built.status == 0, built.told());
        for (const char* script : {"import-orders.sh", "report.sh", "crawl.sh"}) {
            const QString file = path(QStringLiteral("work/") + QLatin1String(script));
            write(file, "#!/bin/sh\necho ran with $LOCKSCOPE_LOCK\n");
            QVERIFY(QFile::setPermissions(file, QFile::permissions(file) | QFile::ExeOwner));
        }
        m_environment.insert(QStringLiteral("PATH"),
                             QStringLiteral(LOCKSCOPE_BIN_DIR ":") + m_environment.value(QStringLiteral("PATH")));
        m_environment.insert(QStringLiteral("LC_ALL"), QStringLiteral("C.UTF-8"));
        m_environment.remove(QStringLiteral("LANGUAGE"));
    }
    void cleanup() { m_grounds.end("redis"); } // a semaphore's key is none for a lock of that name
    void cleanupTestCase() { m_grounds.endAll(); }

    void programsRunOnEveryBackendTheyName_data() {
        QTest::addColumn<int>("number");
        QTest::addColumn<QString>("scheme");
        for (std::size_t i = 0; i < m_cpp.size(); ++i) {
            const QStringList schemes = schemesIn(m_cpp[i].text);
            QVERIFY(!schemes.isEmpty());
            for (const QString& scheme : schemes)
                QTest::newRow(qPrintable(m_cpp[i].file + QStringLiteral(" on ") + scheme)) << int(i) << scheme;
        }
    }
    void programsRunOnEveryBackendTheyName() {
        QFETCH(int, number);
        QFETCH(QString, scheme);
        const QString url = urlOf(scheme);
        QVERIFY2(!url.isEmpty(), qPrintable(scheme));
        const Ran ran = runProgram(path(QStringLiteral("build/yours")), {QString::number(number), url}, m_environment);
        QVERIFY2(ran.status == 0 && ran.err.isEmpty(), ran.told());
        QVERIFY2(ran.out.startsWith("token ") && ran.out.mid(6).toLongLong() > 0, ran.told());
    }

    void lockCommandsDoWhatIsShown_data() {
        QTest::addColumn<QString>("line");
        QTest::addColumn<QString>("output");
        for (const CodeBlock& block : m_console) {
            for (const ConsoleCommand& command : commandsOf(block)) {
                if (!command.line.startsWith(u"lockscope lock ")) continue;
                QTest::newRow(qPrintable(block.file + QStringLiteral(": ") + command.line))
                    << command.line << command.output;
            }
        }
    }
    void lockCommandsDoWhatIsShown() {
        QFETCH(QString, line);
        QFETCH(QString, output);
        static const QRegularExpression address(QStringLiteral("([a-z]+)://[^ ?]+"));
        const auto found = address.match(line);
        const QString url = urlOf(found.captured(1));
        QVERIFY2(!url.isEmpty(), qPrintable(line));
        line.replace(found.capturedStart(), found.capturedLength(), url);
        // An output about a lock that was not free is checked while another process holds the lock.
        QProcess holder;
        if (!output.isEmpty()) {
            holder.setProcessEnvironment(m_environment);
            holder.start(QStringLiteral(LOCKSCOPE_BIN_DIR "/lockscope"),
                         {QStringLiteral("lock"), url, QStringLiteral("orders"), QStringLiteral("--"),
                          QStringLiteral("sh"), QStringLiteral("-c"), QStringLiteral("echo in; cat")});
            QVERIFY(QTest::qWaitFor([&] { return holder.canReadLine(); }, 20'000));
        }
        const Ran ran = runProgram(QStringLiteral("sh"), {QStringLiteral("-c"), QStringLiteral("exec 2>&1; ") + line},
                                   m_environment, path(QStringLiteral("work")));
        holder.closeWriteChannel();
        if (holder.state() != QProcess::NotRunning) QVERIFY(holder.waitForFinished());
        QVERIFY2(ran.status == 0, ran.told());
        QCOMPARE(QString::fromUtf8(ran.out), output.isEmpty() ? QStringLiteral("ran with orders\n") : output);
    }
};

QTEST_GUILESS_MAIN(TestReadmeBlocks)
#include "tst_readme_blocks.moc"
