// SPDX-License-Identifier: GPL-3.0-or-later
#include "fake_session.h"
#include "faults/recipe_box.h"
#include "faults/workload_panel.h"
#include "models/fault_words.h"
#include "models/setting_words.h"
#include "recipes/recipe_info.h"
#include "sim/fitting_recipes.h"
#include "theme/palette.h"

#include <QAbstractItemView>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

using namespace lockscope;
using namespace lockscope::views;
using views::testing::FakeSession;

class TestWorkloadForm : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { Theme::instance().setChoice(ThemeChoice::Light); }

    /// A change of a setting is told in the words of the form, wherever it is told.
    void aChangeIsCalledAsItsControl() {
        FakeSession session;
        ViewContext context;
        context.setSession(&session);
        const WorkloadPanel panel(&context);
        QVERIFY(panel.settings().contains(QStringLiteral("token_check")));
        for (const QString& setting : panel.settings())
            QCOMPARE(settingText(setting, QStringLiteral("x")), panel.label(setting) + QStringLiteral(" = x"));
        QCOMPARE(settingText(QStringLiteral("token_check=on")), QStringLiteral("Token check = on"));
        QCOMPARE(settingText(QStringLiteral("deadline=ignored")), QStringLiteral("At its deadline = goes on"));
        QCOMPARE(settingText(QStringLiteral("other=3s")), QStringLiteral("other = 3s"));
        scenario::Fault fault;
        fault.action = scenario::Action::Set;
        fault.setting = QStringLiteral("lease");
        fault.text = QStringLiteral("3s");
        QCOMPARE(faultText(fault), QStringLiteral("Lease = 3s"));
    }

    void aWrongValueIsMarkedWhereItStandsAndDoesNotStay() {
        FakeSession session;
        ViewContext context;
        context.setSession(&session);
        QWidget window;
        auto* layout = new QVBoxLayout(&window);
        auto* panel = new WorkloadPanel(&context);
        auto* elsewhere = new QPushButton(QStringLiteral("elsewhere"));
        layout->addWidget(panel);
        layout->addWidget(elsewhere);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        auto* lease = qobject_cast<QLineEdit*>(panel->control(QStringLiteral("lease")));
        const QString before = lease->text();
        QSignalSpy done(panel, &WorkloadPanel::done);
        lease->setFocus();
        lease->selectAll();
        QTest::keyClicks(lease, QStringLiteral("abc"));
        QTest::keyClick(lease, Qt::Key_Return);
        QVERIFY(lease->property("lockscope.wrong").toBool());
        QVERIFY(done.isEmpty());
        QCOMPARE(lease->text(), QStringLiteral("abc")); // to be mended
        // It says so right below the field.
        QLabel* told = nullptr;
        for (QLabel* label : panel->findChildren<QLabel*>())
            if (label->isVisible() && label->text() == panel->complaint()) told = label;
        QVERIFY(told);
        QVERIFY(panel->complaint().contains(before));
        QCoreApplication::processEvents();
        const int gap = told->mapTo(panel, QPoint()).y() - lease->geometry().bottom();
        QVERIFY2(gap >= 0 && gap < 20, qPrintable(QString::number(gap)));
        elsewhere->setFocus();
        QCOMPARE(lease->text(), before); // the field pretends nothing
        QVERIFY(!lease->property("lockscope.wrong").toBool());
        QVERIFY(!panel->complaint().isEmpty());
        lease->setFocus();
        lease->selectAll();
        QTest::keyClicks(lease, QStringLiteral("3s"));
        QVERIFY(panel->complaint().isEmpty());
        QTest::keyClick(lease, Qt::Key_Return);
        QCOMPARE(done.size(), 1);
        QCOMPARE(session.applied.size(), std::size_t(1));
        // Escape gives the keyboard back, too, and changes nothing.
        const QString now = lease->text();
        lease->setFocus();
        QTest::keyClicks(lease, QStringLiteral("9"));
        QTest::keyClick(lease, Qt::Key_Escape);
        QCOMPARE(done.size(), 2);
        QCOMPARE(lease->text(), now);
        elsewhere->setFocus();
        QCOMPARE(session.applied.size(), std::size_t(1));
    }

    void theListOfRecipesTellsTheUnsafeOnesApart() {
        RecipeBox box;
        box.resize(110, 28);
        box.show();
        int safe = 0, unsafe = 0;
        QSet<QString> lines;
        bool inUnsafe = false;
        for (int row = 0; row < box.count(); ++row) {
            const QString id = box.itemData(row).toString();
            if (id.isEmpty()) { // a heading: cannot be chosen
                QVERIFY(!(box.model()->flags(box.model()->index(row, 0)) & Qt::ItemIsSelectable));
                inUnsafe = row > 0;
                continue;
            }
            const recipes::RecipeInfo* info = recipes::findRecipe(id.toLatin1());
            QVERIFY(info);
            QCOMPARE(info->naive, inUnsafe);
            ++(info->naive ? unsafe : safe);
            lines << box.itemData(row, RecipeBox::LineRole).toString();
        }
        QCOMPARE(std::size_t(safe + unsafe), recipes::simulatedRecipes().size());
        QVERIFY(safe >= 2 && unsafe >= 4);
        QCOMPARE(lines.size(), safe + unsafe); // no two alike
        const auto choosable = [&box](const char* id) {
            const int row = box.findData(QString::fromLatin1(id));
            return bool(box.model()->flags(box.model()->index(row, 0)) & Qt::ItemIsEnabled);
        };
        QVERIFY(choosable("redis-set") && choosable("redis-semaphore"));
        box.offer(sim::recipesFor({})); // one server, and clients that take a lock alone
        QVERIFY(choosable("redis-set") && !choosable("redis-semaphore") && !choosable("redis-redlock"));
        box.showPopup();
        for (int row = 0; row < box.count(); ++row) {
            const QFontMetrics metrics(box.font());
            QVERIFY(box.view()->width() >=
                    metrics.horizontalAdvance(box.itemData(row, RecipeBox::LineRole).toString()) * 9 / 10);
        }
        box.hidePopup();
    }

    /// Space opens a list that has the focus, so the focus does not stay there.
    void whoHasChosenARecipeIsDone() {
        FakeSession session;
        ViewContext context;
        context.setSession(&session);
        WorkloadPanel panel(&context);
        panel.show();
        QVERIFY(QTest::qWaitForWindowActive(&panel));
        auto* const recipes = qobject_cast<RecipeBox*>(panel.control(QStringLiteral("recipe")));
        recipes->setFocus();
        QSignalSpy done(&panel, &WorkloadPanel::done);
        QTest::keyClick(recipes, Qt::Key_Down); // on the way to another one
        QCOMPARE(done.count(), 0);
        recipes->showPopup();
        QTRY_VERIFY(recipes->view()->isVisible());
        QTest::keyClick(recipes->view(), Qt::Key_Down);
        QTest::keyClick(recipes->view(), Qt::Key_Return);
        QTRY_COMPARE(done.count(), 1);
    }

    /// The box of recipes is as wide as its text, below its label where there is no room beside it.
    void noFieldStandsOutOfTheForm() {
        views::testing::FakeSession session;
        ViewContext context;
        context.setSession(&session);
        WorkloadPanel panel(&context);
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        auto* const recipes = qobject_cast<RecipeBox*>(panel.control(QStringLiteral("recipe")));
        const QWidget* const lease = panel.control(QStringLiteral("lease"));
        QVERIFY(recipes && lease);
        int beside = 0, below = 0;
        for (const char* id : {"redis-set", "zk-sequential", "redis-set-getdel", "redis-reentrant"}) {
            recipes->setCurrentIndex(recipes->findData(QString::fromLatin1(id)));
            for (int width = 190; width < 320; ++width) {
                panel.resize(width, 600);
                QCoreApplication::processEvents(); // the form is laid out anew at the next turn
                const QRect box = recipes->geometry(), field = lease->geometry();
                QVERIFY2(box.right() <= field.right(),
                         qPrintable(QStringLiteral("%1 at %2").arg(QLatin1String(id)).arg(width)));
                ++(box.left() < field.left() ? below : beside);
            }
        }
        QVERIFY(beside > 0 && below > 0);
    }
};

QTEST_MAIN(TestWorkloadForm)
#include "tst_workload_form.moc"
