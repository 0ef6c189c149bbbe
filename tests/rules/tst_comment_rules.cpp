// SPDX-License-Identifier: Apache-2.0
#include "declarations.h"

#include <QRegularExpression>
#include <QTest>

using namespace lockscope::rules;

class tst_comment_rules : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// The library's public functions can be used without reading their code.
    void publicFunctionsOfTheLibrarysHeadersSayWhatTheyDo() {
        QStringList folders;
        for (const char* room : {"client", "lock", "connections", "recipes", "drivers", "ports", "runtime", "trace"})
            folders += QStringLiteral("core/") + QLatin1String(room);
        QStringList wrong;
        int functions = 0;
        for (const SourceFile& file : filesBelow(folders, {QStringLiteral("*.h")})) {
            const Declarations declarations(file);
            wrong += declarations.undocumented();
            functions += declarations.functions();
        }
        QVERIFY2(functions > 500, qPrintable(QString::number(functions)));
        const QString head = QStringLiteral("%1 of %2 without a comment:\n").arg(wrong.size()).arg(functions);
        QVERIFY2(wrong.isEmpty(), qPrintable(head + wrong.join(QLatin1Char('\n'))));
    }

    /// The installed headers are among those above.
    void theInstalledHeadersAreLookedAt() {
        const QString folder = QStringLiteral("core/include/lockscope");
        QVERIFY(filesBelow({folder}, {QStringLiteral("*.h")}).size() > 20);
        for (const SourceFile& file : filesBelow({QStringLiteral("core/cmake")}, {QStringLiteral("*.cmake")})) {
            for (const QString& line : file.lines) {
                if (line.contains(QStringLiteral("install(DIRECTORY")) && line.contains(u"/core/include/")) return;
            }
        }
        QFAIL("core/cmake/ installs other headers than this test looks at");
    }

    /// A sentence that begins with such a word makes the reader look for the actor: write "The waiter …", not "Who
    /// waits …". Comments for translators are not looked at.
    void commentsNameTheActorFirst() {
        const QRegularExpression riddle(
            QStringLiteral("//(?!:)([/<]* ?|.*[.:!?] )(Of|Who|Whose|Whom|Whoever|What|Whatever|Those)\\b"));
        const auto isRiddle = [&riddle](const QString& line) { return riddle.match(line).hasMatch(); };
        const QString mark = QStringLiteral("// ");
        QVERIFY(isRiddle(mark + QStringLiteral("Who waits.")));
        QVERIFY(isRiddle(mark + QStringLiteral("The lease. Of several, the last.")));
        QVERIFY(!isRiddle(mark + QStringLiteral("Offers what whoever waits may take.")));
        const auto files = cppFiles();
        QVERIFY(files.size() > 500);
        QStringList wrong;
        for (const SourceFile& file : files) {
            for (qsizetype i = 0; i < file.lines.size(); ++i) {
                if (isRiddle(file.lines[i]))
                    wrong += QStringLiteral("%1:%2: %3").arg(file.path).arg(i + 1).arg(file.lines[i].trimmed());
            }
        }
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(QLatin1Char('\n'))));
    }

    void theScanSeesWhatItShould_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QList<int>>("lines");
        const auto row = [](const char* name, const char* text, const QList<int>& lines) {
            QTest::newRow(name) << QString::fromUtf8(text) << lines;
        };
        row("function", "namespace a {\n\nint f(int x);\n\n/// Doc.\nint g();\nint h();\n\nint i();\n}", {3, 9});
        row("behind it", "int f(); ///< Doc.\n\nint g();", {3});
        row("class",
            "/// C.\nclass C {\npublic:\n    C();\n    explicit C(int x) : m_x(x) {\n        f();\n    }\n    ~C();\n\n"
            "    int x() const { return m_x; }\n\nprivate:\n    int hidden();\n    int m_x = g();\n};",
            {10});
        row("constructor of a class that nobody explains", "struct S {\n    S(int x);\n};", {2});
        row("after a body",
            "/// S.\nstruct S {\n    /// Doc.\n    int f() {\n        if (a) {\n            b();\n        }\n"
            "        return 1;\n    }\n    int g();\n\n    int h();\n};",
            {12});
        row("no functions",
            "struct S {\n    std::function<void(int)> f;\n    int x = g(1);\n    bool operator==(const S&) const = "
            "default;\n    void o() override;\n    using T = void(int);\n};\nstatic_assert(f(1));",
            {});
        row("templates and several lines", "template <typename T>\nrequires(sizeof(T) > 1)\nT f(T a,\n    T b);", {1});
        row("detail", "namespace detail {\nint f();\n}\nint g();", {4});
        row("detail that others are made of",
            "namespace detail {\nstruct A {\n    int f();\n};\n}\nstruct B : public detail::A {};", {3});
        row("operators", "struct S {\n    bool operator<(const S& o) const;\n    explicit operator bool() const;\n};",
            {2, 3});
    }
    void theScanSeesWhatItShould() {
        QFETCH(QString, text);
        QFETCH(QList<int>, lines);
        const SourceFile file{QStringLiteral("a.h"), text.split(QLatin1Char('\n'))};
        QList<int> found;
        const Declarations declarations(file);
        for (const QString& one : declarations.undocumented())
            found += one.section(QLatin1Char(':'), 1, 1).toInt();
        QCOMPARE(found, lines);
    }
};

QTEST_APPLESS_MAIN(tst_comment_rules)
#include "tst_comment_rules.moc"
