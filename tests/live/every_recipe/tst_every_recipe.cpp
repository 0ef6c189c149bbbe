// SPDX-License-Identifier: Apache-2.0
#include "every_recipe.h"

using namespace lockscope::test;

namespace {
/// The kinds that ctest has an entry for.
QByteArrayList kindsThatAreRun() {
    return QByteArray(LOCKSCOPE_GROUNDS).split(' ');
}
} // namespace

/// That no recipe is without servers on which all of it is tried.
class TestEveryRecipe : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void hasServersOfItsOwn_data() {
        QTest::addColumn<QByteArray>("id");
        for (const RecipeInfo& info : lockscope::recipes::allRecipes())
            QTest::newRow(info.id) << info.id;
    }
    void hasServersOfItsOwn() {
        QFETCH(QByteArray, id);
        const RecipeInfo& info = *lockscope::recipes::findRecipe(id);
        for (const Mode mode : {Mode::Exclusive, Mode::Shared, Mode::Permit}) {
            if (!lockscope::offers(info, mode)) continue;
            const auto tried = [&](const GroundKind& kind) {
                return kindsThatAreRun().contains(kind.name) && kind.backend == info.backend && kind.takes(info, mode);
            };
            QVERIFY(std::ranges::any_of(groundKinds(), tried));
        }
    }
};

/// The cells on the kind of servers that LOCKSCOPE_GROUND names; without it, whether each recipe has one.
int main(int argc, char** argv) {
    const QCoreApplication application(argc, argv);
    const QByteArray ground = qgetenv("LOCKSCOPE_GROUND");
    if (ground.isEmpty()) {
        TestEveryRecipe table;
        return QTest::qExec(&table, argc, argv);
    }
    const auto kind = std::ranges::find(groundKinds(), ground, &GroundKind::name);
    if (kind == groundKinds().end()) qFatal("There are no servers of the kind “%s”.", ground.constData());
    EveryRecipe cells(*kind);
    return QTest::qExec(&cells, argc, argv);
}

#include "tst_every_recipe.moc"
