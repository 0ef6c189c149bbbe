// SPDX-License-Identifier: Apache-2.0
#include "offers/recipe_table.h"

#include <QFile>
#include <QTest>

using namespace lockscope;

class TestRecipeTable : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyNoIsExplained() {
        for (const recipes::RecipeInfo& recipe : recipes::allRecipes()) {
            for (const Feature feature : {Feature::Safe, Feature::Reentrant, Feature::Shared, Feature::Permits,
                                          Feature::Fair, Feature::Token, Feature::Condition, Feature::Watchdog}) {
                QVERIFY2(has(recipe, feature) != !whyNot(recipe, feature).isEmpty(),
                         recipe.id + " " + QByteArray::number(int(feature)));
            }
        }
        QVERIFY(recipeTable().contains(QStringLiteral("`redis-reentrant` | yes")));
    }

    /// To bring it up to date: lockscope list recipes --markdown
    void theDocumentSaysWhatTheCodeDoes() {
        QFile file(QStringLiteral(LOCKSCOPE_SOURCE_DIR "/core/offers/README.md"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString text = QString::fromUtf8(file.readAll());
        const QString begin = QStringLiteral("<!-- recipes -->\n"), end = QStringLiteral("<!-- /recipes -->");
        const qsizetype from = text.indexOf(begin), to = text.indexOf(end);
        QVERIFY2(from >= 0 && to > from, "core/offers/README.md has lost the place for the table of recipes");
        QCOMPARE(text.mid(from + begin.size(), to - from - begin.size()), recipeTable());
    }
};

QTEST_GUILESS_MAIN(TestRecipeTable)
#include "tst_recipe_table.moc"
