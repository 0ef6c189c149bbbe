// SPDX-License-Identifier: Apache-2.0
#include "source_tree.h"

#include <QRegularExpression>
#include <QTest>

using namespace lockscope::rules;

namespace {

const QString kApache = QStringLiteral("SPDX-License-Identifier: Apache-2.0");
const QString kGpl = QStringLiteral("SPDX-License-Identifier: GPL-3.0-or-later");

void expectNone(const QStringList& wrong) {
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(QLatin1Char('\n'))));
}

/// Lines of some files that match, as "path:line: text".
QStringList linesMatching(const std::vector<SourceFile>& files, const QString& pattern) {
    const QRegularExpression expression(pattern, QRegularExpression::CaseInsensitiveOption);
    QStringList found;
    for (const SourceFile& file : files) {
        for (qsizetype i = 0; i < file.lines.size(); ++i) {
            if (expression.match(file.lines[i]).hasMatch()) {
                found += QStringLiteral("%1:%2: %3").arg(file.path).arg(i + 1).arg(file.lines[i].trimmed());
            }
        }
    }
    return found;
}

const QStringList kCpp{QStringLiteral("*.cpp"), QStringLiteral("*.h")};

} // namespace

class tst_source_rules : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyFileBeginsWithItsLicence() {
        QStringList wrong;
        const QStringList patterns{QStringLiteral("*.cpp"), QStringLiteral("*.h"), QStringLiteral("CMakeLists.txt"),
                                   QStringLiteral("*.cmake"), QStringLiteral("*.lua")};
        const auto files = filesBelow({QStringLiteral("core"), QStringLiteral("views"), QStringLiteral("app"),
                                       QStringLiteral("tests"), QStringLiteral("resources")},
                                      patterns);
        QVERIFY(files.size() > 100);
        for (const SourceFile& file : files) {
            const QString head = file.lines.value(0);
            const bool gplFolder =
                file.path.startsWith(QLatin1String("views/")) || file.path.startsWith(QLatin1String("app/"));
            // As what they serve.
            const bool eitherFolder = file.path.startsWith(QLatin1String("tests/")) ||
                                      file.path.startsWith(QLatin1String("resources/translations/"));
            if (!head.contains(gplFolder ? kGpl : kApache) && !(eitherFolder && head.contains(kGpl)))
                wrong += file.path;
        }
        expectNone(wrong);
    }

    void toolTipsShowNoMarkup() {
        QStringList wrong;
        for (const QString& line :
             linesMatching(filesBelow({QStringLiteral("views"), QStringLiteral("app")}, kCpp),
                           QStringLiteral("QToolTip::showText|setTextFormat\\(Qt::(Rich|Auto|Markdown)")))
            if (!line.startsWith(QLatin1String("views/theme/plain_tips.cpp"))) wrong += line;
        expectNone(wrong);
    }

    /// Two kinds side by side look like a mistake.
    void wordsOfTheInterfaceHaveOneKindOfApostrophe() {
        const auto files = filesBelow({QStringLiteral("views"), QStringLiteral("app")}, kCpp);
        QVERIFY(files.size() > 100);
        expectNone(linesMatching(files, QStringLiteral("\\p{L}\u2019(s\\b|t\\b|\\s)")));
    }

    void filesStaySmall() {
        QStringList wrong;
        for (const SourceFile& file : cppFiles()) {
            if (file.lines.size() > 500)
                wrong += QStringLiteral("%1 has %2 lines").arg(file.path).arg(file.lines.size());
        }
        expectNone(wrong);
    }

    void filesAndFoldersAreNamedAlike() {
        const QRegularExpression snake(QStringLiteral("^([a-z0-9]+(_[a-z0-9]+)*/)+[a-z0-9]+(_[a-z0-9]+)*\\.(cpp|h)$"));
        QStringList wrong;
        for (const SourceFile& file : cppFiles()) {
            if (!snake.match(file.path).hasMatch()) wrong += file.path;
        }
        expectNone(wrong);
    }

    void headersAreIncludedOnce() {
        QStringList wrong;
        for (const SourceFile& file : cppFiles()) {
            if (file.path.endsWith(QLatin1String(".h")) && !file.lines.contains(QStringLiteral("#pragma once")))
                wrong += file.path;
        }
        expectNone(wrong);
    }

    /// A test that no list names is never run.
    void everyTestIsListed() {
        QStringList wrong;
        int tests = 0;
        for (const SourceFile& file : filesBelow({QStringLiteral("tests")}, {QStringLiteral("tst_*.cpp")})) {
            ++tests;
            const QString folder = file.path.section(QLatin1Char('/'), 0, -2);
            const QString name = file.path.section(QLatin1Char('/'), -1);
            bool listed = false;
            for (const SourceFile& list : filesBelow({folder}, {QStringLiteral("CMakeLists.txt")})) {
                listed |= list.lines.join(QLatin1Char('\n'))
                              .contains(QRegularExpression(QStringLiteral("\\b") +
                                                           QRegularExpression::escape(name.chopped(4))));
            }
            if (!listed) wrong += file.path;
        }
        QVERIFY(tests > 5);
        expectNone(wrong);
    }

    /// KEYS stops a server until it has walked its whole keyspace. Only the simulated server may know the word.
    void nobodySendsKeys() {
        auto files = filesBelow({QStringLiteral("core"), QStringLiteral("views"), QStringLiteral("app")}, kCpp);
        std::erase_if(files, [](const SourceFile& file) { return file.path.startsWith(QLatin1String("core/sim/")); });
        // Sentences for people may begin with the word, and a field of printed JSON may have it as its name.
        expectNone(linesMatching(files, QStringLiteral("(?<!tr\\()(?<!insert\\(QStringLiteral\\()\"KEYS[ \"]")));
        expectNone(linesMatching(filesBelow({QStringLiteral("resources")}, {QStringLiteral("*.lua")}),
                                 QStringLiteral("redis\\.p?call\\(\\s*['\"]keys['\"]")));
    }

    /// Equal seeds give equal traces: what runs in virtual time sees neither the machine's clocks nor its randomness.
    void theDeterministicRoomsLookAtNoRealClock() {
        QStringList folders;
        for (const char* room : {"sim", "recipes", "lock", "client", "verdict", "scenario"})
            folders += QStringLiteral("core/") + QLatin1String(room);
        auto files = filesBelow(folders, kCpp);
        // The facade for threads that block: there is no virtual time for those.
        std::erase_if(
            files, [](const SourceFile& file) { return file.path.startsWith(QLatin1String("core/client/blocking/")); });
        expectNone(linesMatching(
            files,
            QStringLiteral(
                "system_clock|steady_clock::now|currentMSecsSinceEpoch|currentDateTime|"
                "QElapsedTimer|random_device|QRandomGenerator|\\bstd::rand\\b|\\bqrand\\b|\\btime\\(nullptr\\)")));
    }

    /// A thread that sleeps blocks the event loop, and a test that sleeps hopes. (Benchmarks play slow partners.)
    void nobodySleeps() {
        auto files = cppFiles();
        std::erase_if(files,
                      [](const SourceFile& file) { return file.path.startsWith(QLatin1String("tests/bench/")); });
        expectNone(linesMatching(
            files,
            QStringLiteral("\\b(std::this_thread::sleep_(for|until)|QThread::m?u?sleep|usleep|QTest::qSleep)\\s*\\(")));
    }
};

QTEST_APPLESS_MAIN(tst_source_rules)
#include "tst_source_rules.moc"
