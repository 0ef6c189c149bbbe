// SPDX-License-Identifier: Apache-2.0
#include "source_tree.h"

#include <QRegularExpression>
#include <QTest>

using namespace lockscope::rules;

namespace {

std::vector<SourceFile> recipeFiles() {
    return filesBelow({QStringLiteral("core/recipes")}, {QStringLiteral("*.cpp"), QStringLiteral("*.h")});
}

QStringList matches(const SourceFile& file, const QRegularExpression& expression) {
    QStringList found;
    auto match = expression.globalMatch(file.lines.join(QLatin1Char('\n')));
    while (match.hasNext())
        found += match.next().captured(1);
    return found;
}

/// Lines that give a step's number instead of its name.
QStringList literalSteps(const SourceFile& file) {
    static const QRegularExpression literal(
        QStringLiteral(R"re((\b\w*[sS]teps?(?:\.|->)at\(\s*(?:\d|static_cast)[^\n]*|[wW]orkStep\s*(?:=|==)\s*\d+|)re"
                       R"re(StepNumber[ ({]\w*[({]?\d|HeldBy::\w+,\s*\d+,))re"));
    return matches(file, literal);
}

} // namespace

class tst_recipe_rules : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void stepsHaveNames() {
        QStringList wrong;
        int files = 0;
        for (const SourceFile& file : recipeFiles()) {
            ++files;
            const QStringList found = literalSteps(file);
            for (const QString& each : found)
                wrong += QStringLiteral("%1: name the step: %2").arg(file.path, each);
        }
        QVERIFY(files > 50);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(QLatin1Char('\n'))));
    }

    void literalsAreFound_data() {
        QTest::addColumn<QString>("line");
        QTest::addColumn<bool>("literal");
        QTest::newRow("number") << "    request.steps.at(1);" << true;
        QTest::newRow("ternary") << "    grant.steps.at( 0 ? 1 : 2);" << true;
        QTest::newRow("cast") << "steps.at(static_cast<std::uint32_t>(step));" << true;
        QTest::newRow("work") << "info.workStep = 4;" << true;
        QTest::newRow("made") << "StepNumber(3)" << true;
        QTest::newRow("sql") << "HeldBy::Lease, 3," << true;
        QTest::newRow("name") << "    request.steps.at(Step::Hold);" << false;
        QTest::newRow("member") << "    request.steps.at(m_steps.work);" << false;
        QTest::newRow("named work") << "info.workStep = Step::Hold;" << false;
    }
    void literalsAreFound() {
        QFETCH(QString, line);
        QFETCH(bool, literal);
        QCOMPARE(!literalSteps({QStringLiteral("x.cpp"), {line}}).isEmpty(), literal);
    }

    /// The facts and the texts of the steps stand where the steps do, and steps and texts are of one number.
    void eachRecipeTellsItsStepsInItsOwnFile() {
        static const QRegularExpression declared(QStringLiteral(R"(RecipeInfo (\w+Info)\(\);)"));
        static const QRegularExpression defined(QStringLiteral(R"(\nRecipeInfo (\w+Info)\(\) \{)"));
        static const QRegularExpression steps(
            QStringLiteral(R"((?:enum class \w*Step : std::uint32_t \{|using Step = (?:\w+)::Step;))"));
        QSet<QString> wanted;
        QStringList wrong;
        for (const SourceFile& file : recipeFiles()) {
            if (file.path == QLatin1String("core/recipes/recipe_infos.h")) {
                const QStringList names = matches(file, declared);
                wanted = QSet<QString>(names.begin(), names.end());
            }
        }
        QVERIFY(wanted.size() >= 20);
        for (const SourceFile& file : recipeFiles()) {
            for (const QString& name : matches(file, defined)) {
                wanted.remove(name);
                if (!steps.match(file.lines.join(QLatin1Char('\n'))).hasMatch())
                    wrong += QStringLiteral("%1: %2() stands without its steps").arg(file.path, name);
            }
            if (file.path.endsWith(QLatin1String("_infos.cpp")))
                wrong += QStringLiteral("%1: facts stand at the top of each recipe's own file").arg(file.path);
        }
        for (const QString& name : wanted)
            wrong += QStringLiteral("%1() is declared and not defined").arg(name);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(QLatin1Char('\n'))));
    }
};

QTEST_APPLESS_MAIN(tst_recipe_rules)
#include "tst_recipe_rules.moc"
