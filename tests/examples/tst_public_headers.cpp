// SPDX-License-Identifier: Apache-2.0
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <map>

namespace {
const QString kInclude = QStringLiteral(LOCKSCOPE_SOURCE_DIR "/core/include");

struct Compiled {
    int status = -1;
    QByteArray out, err;
};

/// Gives a program to the compiler, with the public headers and nothing else to find.
Compiled compile(const QByteArray& program, const QStringList& options) {
    QProcess process;
    process.start(QStringLiteral(LOCKSCOPE_COMPILER),
                  QStringList{QStringLiteral("-I") + kInclude} + options +
                      QStringList{QStringLiteral("-x"), QStringLiteral("c++"), QStringLiteral("-")});
    process.write(program);
    process.closeWriteChannel();
    if (!process.waitForFinished(240'000)) return {};
    return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
}

const QStringList kStrict{QStringLiteral("-std=c++20"), QStringLiteral("-Wall"),        QStringLiteral("-Wextra"),
                          QStringLiteral("-Wpedantic"), QStringLiteral("-Wshadow"),     QStringLiteral("-Wconversion"),
                          QStringLiteral("-Werror"),    QStringLiteral("-fsyntax-only")};

/// A program's first ten lines with a lock.
const QByteArray kJob = "#include <iostream>\n#include <lockscope/blocking.h>\n#include <mutex>\n"
                        "int main() {\n"
                        "    lockscope::blocking::Client client(\"redis://127.0.0.1\");\n"
                        "    lockscope::blocking::Mutex mutex(client, \"nightly-report\");\n"
                        "    const std::unique_lock lock(mutex, std::chrono::seconds(5));\n"
                        "    if (lock) std::cout << mutex.token() << std::endl;\n"
                        "    return lock ? 0 : 1;\n"
                        "}\n";
} // namespace

/// The headers that a program gets by `#include <lockscope/…>`, as its compiler sees them.
class TestPublicHeaders : public QObject {
    Q_OBJECT
    /// "blocking.h", "detail/waits.h", …; without those for Qt, if so asked.
    static QStringList headers(bool forQt) {
        QStringList names;
        const QDir folder(kInclude + QStringLiteral("/lockscope"));
        for (QDirIterator it(folder.path(), {QStringLiteral("*.h")}, QDir::Files, QDirIterator::Subdirectories);
             it.hasNext();) {
            const QString name = folder.relativeFilePath(it.next());
            if (forQt || (!name.startsWith(u"qt/") && name != u"lockscope.h")) names += name;
        }
        names.sort();
        return names;
    }
    static QString textOf(const QString& header) {
        QFile file(kInclude + QStringLiteral("/lockscope/") + header);
        return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    }
    static QString withoutComments(QString text) {
        static const QRegularExpression comment(QStringLiteral("//[^\\n]*"));
        return text.remove(comment);
    }

private Q_SLOTS:
    void thereAreFew() {
        const qsizetype all = headers(true).size();
        QVERIFY2(all >= 20 && all <= 30, QByteArray::number(all));
    }

    void eachStandsAloneInCxx20WithoutQt_data() {
        QTest::addColumn<QString>("header");
        for (const QString& header : headers(false))
            QTest::newRow(qPrintable(header)) << header;
    }
    void eachStandsAloneInCxx20WithoutQt() {
        QFETCH(QString, header);
        const QByteArray include = "#include <lockscope/" + header.toUtf8() + ">\n";
        // Words that Qt makes macros of are a program's own.
        const Compiled compiled = compile(include + "struct Bus { void emit(int); int slots, signals; };\n", kStrict);
        QVERIFY2(compiled.status == 0, compiled.err);
        const QString text = textOf(header);
        static const QRegularExpression qt(QStringLiteral("#include\\s*[<\"]Q|\\bQ[A-Z]\\w+|\\bQ_[A-Z]+"));
        QVERIFY2(!withoutComments(text).contains(qt), qPrintable(withoutComments(text)));
    }

    /// A program may use both namespaces: then a name in both would be ambiguous.
    void qtsNamesAreInOneNamespaceOnly() {
        static const QRegularExpression block(QStringLiteral(R"(^namespace (lockscope(?:::qt)?) \{$(.*?)^\}(?!;))"),
                                              QRegularExpression::MultilineOption |
                                                  QRegularExpression::DotMatchesEverythingOption);
        static const QRegularExpression type(QStringLiteral(R"(^(?:class|struct) (?:\[\[\w+\]\] )?(\w+))"),
                                             QRegularExpression::MultilineOption);
        std::map<QString, QStringList> names; // by namespace
        for (const QString& header : headers(true)) {
            const QString text = textOf(header); // the matches refer to it
            for (auto blocks = block.globalMatch(text); blocks.hasNext();) {
                const auto one = blocks.next();
                for (auto types = type.globalMatch(one.captured(2)); types.hasNext();)
                    names[one.captured(1)] += types.next().captured(1);
            }
        }
        QVERIFY(names[QStringLiteral("lockscope::qt")].contains(u"Connection"_qs));
        QVERIFY(names[QStringLiteral("lockscope")].contains(u"LockOptions"_qs));
        for (const QString& name : names[QStringLiteral("lockscope::qt")])
            QVERIFY2(!names[QStringLiteral("lockscope")].contains(name), qPrintable(name));
    }

    /// Nothing is rewritten when they are installed.
    void theyNameOnlyEachOtherAndTheStandard() {
        static const QRegularExpression include(QStringLiteral("#include ([<\"][^>\"]+[>\"])"));
        for (const QString& header : headers(true)) {
            for (auto all = include.globalMatch(textOf(header)); all.hasNext();) {
                const QString what = all.next().captured(1);
                const bool ours =
                    what.startsWith(u"<lockscope/") && QFile::exists(kInclude + u'/' + what.mid(1).chopped(1));
                const bool standard = what.startsWith(u'<') && !what.contains(u'/') && !what.contains(u".h");
                QVERIFY2(ours || standard, qPrintable(header + QStringLiteral(" includes ") + what));
            }
        }
    }

    void aJobCostsLittleMoreThanTheStandardsHeaders() {
        const auto lines = [](const QByteArray& program) {
            const Compiled compiled = compile(program, {QStringLiteral("-std=c++20"), QStringLiteral("-E")});
            return compiled.status == 0 ? compiled.out.count('\n') : -1;
        };
        const qsizetype standard = lines("#include <iostream>\n#include <mutex>\n"), job = lines(kJob);
        QVERIFY(standard > 1000 && job > standard);
        const double times = double(job) / double(standard);
        qInfo("a job with a lock: %lld preprocessed lines, %.2f times <iostream> and <mutex>", qlonglong(job), times);
        QVERIFY2(times <= 2.2, QByteArray::number(times));
        QCOMPARE(compile(kJob, kStrict).status, 0);
    }

    void anOldLanguageIsToldSo() {
        const Compiled old = compile(kJob, {QStringLiteral("-std=c++17"), QStringLiteral("-fsyntax-only")});
        QVERIFY(old.status != 0);
        QVERIFY2(old.err.contains("Lockscope needs C++20: compile with -std=c++20"), old.err);
    }

    /// One style (client.h says which): the standard's names where its guards call them, else camelCase.
    void functionsHaveOneStyleOfNames() {
        static const QStringList standards{QStringLiteral("try_lock"),        QStringLiteral("try_lock_for"),
                                           QStringLiteral("try_lock_until"),  QStringLiteral("lock_shared"),
                                           QStringLiteral("try_lock_shared"), QStringLiteral("try_lock_shared_for"),
                                           QStringLiteral("unlock_shared"),   QStringLiteral("try_lock_shared_until"),
                                           QStringLiteral("wait_for"),        QStringLiteral("wait_until"),
                                           QStringLiteral("notify_one"),      QStringLiteral("notify_all")};
        static const QRegularExpression function(
            QStringLiteral(R"(^    (?:[\w:<>,&*\[\] ]+ )?(\w+)\([^;]*\)[^;{]*[;{])"),
            QRegularExpression::MultilineOption);
        static const QRegularExpression camelCase(QStringLiteral("^~?[A-Za-z][a-z0-9]*([A-Z][a-z0-9]*)*$"));
        int seen = 0;
        for (const QString& header : headers(true)) {
            if (header == u"lock_concepts.h") continue; // expressions, no declarations
            for (auto all = function.globalMatch(withoutComments(textOf(header))); all.hasNext();) {
                const QString name = all.next().captured(1);
                ++seen;
                QVERIFY2(camelCase.match(name).hasMatch() || standards.contains(name),
                         qPrintable(header + QStringLiteral(": ") + name));
            }
        }
        QVERIFY2(seen > 100, QByteArray::number(seen));
    }
};

QTEST_GUILESS_MAIN(TestPublicHeaders)
#include "tst_public_headers.moc"
