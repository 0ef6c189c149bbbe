// SPDX-License-Identifier: GPL-3.0-or-later
// Faults planned by hand: the dialogue and the menus of a drawn span.
#include "fake_session.h"
#include "faults/fault_menu.h"
#include "faults/limits_dialog.h"
#include "faults/plan_dialog.h"
#include "models/fault_words.h"
#include "models/model_limits.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QSpinBox>
#include <QStandardItemModel>
#include <QTabBar>
#include <QTest>
#include <QTextBrowser>

using namespace lockscope;
using namespace lockscope::views;
using namespace lockscope::views::testing;
using scenario::Action;
using scenario::Fault;
using On = scenario::Trigger::On;

namespace {

struct Scene {
    PlanningSession session;
    PauseStory story{session.writable()};
    ViewContext context;
    PlanDialog dialog{&prepared()};

    ViewContext& prepared() {
        context.setSession(&session);
        context.setPlayhead(2500ms);
        return context;
    }
    QComboBox* box(const char* name) { return dialog.findChild<QComboBox*>(QLatin1String(name)); }
    QLineEdit* line(const char* name) { return dialog.findChild<QLineEdit*>(QLatin1String(name)); }
    QPushButton* ok() { return dialog.findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Ok); }
    QString sentence() { return dialog.findChild<QLabel*>(u"sentence"_qs)->text(); }
    void choose(const char* name, const QVariant& data) {
        const int index = box(name)->findData(data);
        QVERIFY2(index >= 0, name);
        box(name)->setCurrentIndex(index);
    }
};

/// An entry of a menu, or of its submenus.
QAction* entryOf(QMenu& menu, const QString& text) {
    for (QAction* action : menu.actions()) {
        if (action->text() == text) return action;
        if (!action->menu()) continue;
        if (QAction* const found = entryOf(*action->menu(), text)) return found;
    }
    return nullptr;
}

} // namespace

class TestPlanDialog final : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// One Redis server leads nobody.
    void whereNobodyLeadsNoLeaderIsWaitedFor() {
        Scene s;
        const auto* const rows = qobject_cast<QStandardItemModel*>(s.box("when")->model());
        const QStandardItem* const entry = rows->item(s.box("when")->findData(int(On::Leader)));
        QVERIFY(!entry->isEnabled());
        QVERIFY(entry->toolTip().contains(u"leader"_qs));
        scenario::Fault kill;
        kill.action = scenario::Action::KillNode;
        kill.target = QStringLiteral("same");
        kill.when = scenario::Trigger{.on = On::Leader, .server = QStringLiteral("zk-2")};
        QVERIFY2(faultText(kill).startsWith(u"Kill zk-2"_qs), qPrintable(faultText(kill)));
        kill.when->server.clear();
        QVERIFY(faultText(kill).startsWith(u"Kill the one found"_qs));
    }

    void aConditionIsThereWhereItWasAskedFor() {
        Scene s;
        QVERIFY(!s.dialog.fault()->when); // at a time
        s.dialog.chooseCondition();
        QVERIFY(s.dialog.fault() && s.dialog.fault()->when);
        QCOMPARE(s.dialog.fault()->when->on, On::Granted);
    }

    void aFaultOnAConditionIsPlanned() {
        Scene s;
        QCOMPARE(s.line("at")->text(), u"2.5s"_qs); // where one looks
        s.choose("verb", int(Action::PauseClient));
        s.choose("when", int(On::Granted));
        s.choose("client", u"B"_qs);
        s.choose("target", u"same"_qs);
        s.line("lasts")->setText(u"3s"_qs);
        s.dialog.findChild<QSpinBox*>(u"nth"_qs)->setValue(2);
        QVERIFY(s.ok()->isEnabled());
        QVERIFY2(s.sentence().contains(u"when B gets the lock"_qs), qPrintable(s.sentence()));
        s.dialog.accept();
        QCOMPARE(s.session.planned.size(), 1u);
        const Fault& planned = s.session.planned.front();
        QCOMPARE(planned.action, Action::PauseClient);
        QCOMPARE(planned.target, u"same"_qs);
        QCOMPARE(planned.at, std::optional<Nanos>(2500ms));
        QCOMPARE(planned.duration, std::optional<Nanos>(3s));
        QVERIFY(planned.when);
        QVERIFY((*planned.when == scenario::Trigger{.on = On::Granted, .nth = 2, .client = u"B"_qs}));
    }

    void aConditionCountsFromThePlayheadAsItIsShown() {
        Scene s;
        const Nanos here = 2500ms + 300us;
        s.context.setPlayhead(here);
        PlanDialog dialog(&s.context);
        const auto* const at = dialog.findChild<QLineEdit*>(u"at"_qs);
        auto* const when = dialog.findChild<QComboBox*>(u"when"_qs);
        QCOMPARE(at->text(), u"2.501s"_qs); // a fault at a time comes after what has happened
        dialog.chooseCondition();
        QCOMPARE(at->text(), u"2.5s"_qs);
        const QString words = dialog.findChild<QLabel*>(u"sentence"_qs)->text();
        QVERIFY2(words.startsWith(u"From 2.500 s on"_qs), qPrintable(words));
        QCOMPARE(dialog.fault()->at, std::optional(here));
        when->setCurrentIndex(0);
        QCOMPARE(at->text(), u"2.501s"_qs);
        QCOMPARE(dialog.fault()->at, std::optional<Nanos>(2501ms));
    }

    void ofSeveralLocksOneIsChosen() {
        Scene s;
        QVERIFY(!s.box("lock")->isVisibleTo(&s.dialog)); // there is one only
        s.session.FakeSession::plan.moreLocks = {{.settings = {.name = u"stock"_qs}, .recipe = {}}};
        Q_EMIT s.session.scenarioChanged();
        PlanDialog dialog(&s.context);
        const auto box = [&dialog](const char* name) { return dialog.findChild<QComboBox*>(QLatin1String(name)); };
        const auto choose = [&box](const char* name, const QVariant& data) {
            const int index = box(name)->findData(data);
            QVERIFY2(index >= 0, name);
            box(name)->setCurrentIndex(index);
        };
        QVERIFY(!box("lock")->isVisibleTo(&dialog)); // at a time
        choose("verb", int(Action::EvictKey));
        choose("target", u"redis-1"_qs);
        QVERIFY(box("evicted")->isVisibleTo(&dialog));
        QCOMPARE(dialog.fault()->text, QString()); // the first one
        choose("evicted", u"stock"_qs);
        QCOMPARE(dialog.fault()->text, u"stock"_qs);
        choose("when", int(On::Granted));
        QCOMPARE(box("lock")->currentText(), u"any lock"_qs);
        QVERIFY(dialog.fault()->when->lock.isEmpty());
        choose("lock", u"stock"_qs);
        choose("client", u"B"_qs);
        QCOMPARE(dialog.fault()->when->lock, u"stock"_qs);
        const QString words = dialog.findChild<QLabel*>(u"sentence"_qs)->text();
        QVERIFY2(words.contains(u"Evict stock from redis-1, when B gets the lock stock"_qs), qPrintable(words));
        choose("when", int(On::Leader)); // of all locks
        QVERIFY(dialog.fault()->when->lock.isEmpty());
        choose("when", int(On::LeaseLeft));
        QCOMPARE(box("lock")->itemText(0), u"the first one, orders"_qs);
        choose("verb", int(Action::FlushNode));
        QVERIFY(!box("evicted")->isVisibleTo(&dialog));
        // It is filled with what was planned.
        Fault planned;
        planned.at = 4s;
        planned.when = scenario::Trigger{.on = On::Released, .client = u"A"_qs, .lock = u"stock"_qs};
        planned.action = Action::EvictKey;
        planned.target = u"redis-1"_qs;
        planned.text = u"stock"_qs;
        planned.byHand = true;
        PlanDialog filled(&s.context);
        filled.fill(planned);
        QCOMPARE(filled.fault(), std::optional(planned));
    }

    void stepsAndLeasesAreConditions() {
        Scene s;
        s.choose("when", int(On::Step));
        s.choose("step", 2);
        QCOMPARE(s.dialog.fault()->when->step, 2);
        s.choose("when", int(On::LeaseLeft));
        QVERIFY(!s.dialog.fault());
        QVERIFY(!s.ok()->isEnabled());
        s.line("left")->setText(u"1s"_qs);
        QCOMPARE(s.dialog.fault()->when->left, Nanos(1s));
        s.line("left")->setText(u"soon"_qs);
        QVERIFY2(s.sentence().contains(u"“soon” is not a time"_qs), qPrintable(s.sentence()));
    }

    void whatMakesNoSenseIsSaid() {
        Scene s;
        s.choose("when", int(On::Leader));
        s.choose("verb", int(Action::KillNode));
        s.choose("target", u"same"_qs);
        QVERIFY(s.ok()->isEnabled());
        s.choose("verb", int(Action::Failover)); // there are no Sentinels
        QVERIFY(!s.ok()->isEnabled());
        QVERIFY(!s.sentence().isEmpty());
        s.dialog.accept();
        QVERIFY(s.session.planned.empty() || s.session.planned.front().action != Action::Failover);
    }

    void aFaultOfTheListIsChanged() {
        Scene s;
        Fault done;
        done.action = Action::CutLink;
        done.target = u"A-redis-1"_qs;
        done.at = 4s;
        done.duration = 2s;
        done.byHand = true;
        s.session.byHand = {done};
        s.session.FakeSession::plan.faults = {done};
        Q_EMIT s.session.scenarioChanged();
        s.dialog.change(0);
        QCOMPARE(s.dialog.fault(), std::optional(done));
        s.line("lasts")->setText(u"5s"_qs);
        s.dialog.accept();
        QCOMPARE(s.session.replaced.size(), 1u);
        QCOMPARE(s.session.replaced.front().second.duration, std::optional<Nanos>(5s));
    }

    /// Changing the time of a fault leaves its target, and how often it strikes, as they were.
    void allOfAFaultCanBeChanged() {
        Scene s;
        Fault done;
        done.action = Action::PauseClient;
        done.target = u"A,B"_qs;
        done.at = 4s;
        done.duration = 2s;
        done.every = 5s;
        done.times = 3;
        done.byHand = true;
        s.session.byHand = {done};
        s.session.FakeSession::plan.faults = {done};
        Q_EMIT s.session.scenarioChanged();
        s.dialog.change(0);
        QCOMPARE(s.dialog.fault(), std::optional(done));
        QCOMPARE(s.line("names")->text(), u"A, B"_qs);
        s.line("at")->setText(u"6s"_qs);
        s.choose("when", int(On::Granted)); // lists the targets again
        s.dialog.accept();
        QCOMPARE(s.session.replaced.size(), 1u);
        const Fault& replaced = s.session.replaced.front().second;
        QCOMPARE(replaced.target, u"A,B"_qs);
        QCOMPARE(replaced.every, std::optional<Nanos>(5s));
        QCOMPARE(replaced.times, 3);
        // A server is none of them.
        s.choose("verb", int(Action::KillNode));
        QVERIFY(s.dialog.fault() != std::nullopt || s.line("names")->text().isEmpty());
        QCOMPARE(s.line("names")->text(), QString());
    }

    void pausesOfACollectorComeAgain() {
        Scene s;
        s.choose("verb", int(Action::PauseClient));
        s.choose("target", u"holder"_qs);
        s.line("lasts")->setText(u"400ms"_qs);
        QVERIFY(!s.dialog.fault()->every);
        QVERIFY(!s.dialog.findChild<QSpinBox*>(u"times"_qs)->isVisibleTo(&s.dialog));
        s.line("every")->setText(u"3s"_qs);
        QCOMPARE(s.dialog.fault()->every, std::optional<Nanos>(3s));
        QCOMPARE(s.dialog.fault()->times, 0); // to the end
        QVERIFY2(s.sentence().contains(u"for 400 ms, again every 3 s"_qs), qPrintable(s.sentence()));
        s.dialog.findChild<QSpinBox*>(u"times"_qs)->setValue(4);
        QCOMPARE(s.dialog.fault()->times, 4);
        s.line("every")->setText(u"0s"_qs);
        QVERIFY(!s.ok()->isEnabled());
        s.line("every")->setText(u"often"_qs);
        QVERIFY2(s.sentence().contains(u"“often” is not a time"_qs), qPrintable(s.sentence()));
    }

    void setsAreCutApartInOneDirectionOrBoth() {
        Scene s;
        const int link = s.box("verb")->findText(u"Cut link"_qs);
        QVERIFY(link >= 0);
        s.box("verb")->setCurrentIndex(link);
        s.choose("target", u"A-redis-1"_qs);
        QCOMPARE(s.dialog.fault()->target, u"A-redis-1"_qs);
        QCOMPARE(s.box("ways")->itemText(2), u"only from redis-1 to A"_qs);
        s.choose("ways", int(scenario::TargetSets::Ways::FromFirst));
        QCOMPARE(s.box("ways")->currentText(), u"only from A to redis-1"_qs);
        QCOMPARE(s.dialog.fault()->target, u"A>redis-1"_qs);
        QVERIFY2(s.sentence().contains(u"Cut A → redis-1"_qs), qPrintable(s.sentence()));
        s.choose("target", u","_qs);
        QVERIFY(!s.dialog.fault()); // whom?
        QCOMPARE(s.box("ways")->currentText(), u"only from these to those"_qs);
        s.line("names")->setText(u" A,B , "_qs);
        s.line("others")->setText(u"redis-1"_qs);
        QCOMPARE(s.dialog.fault()->target, u"A,B>redis-1"_qs);
        s.choose("ways", int(scenario::TargetSets::Ways::Both));
        QCOMPARE(s.dialog.fault()->target, u"A,B|redis-1"_qs);
        QVERIFY2(s.sentence().contains(u"Cut A, B ↔ redis-1"_qs), qPrintable(s.sentence()));
        s.line("others")->setText(u"redis-9"_qs); // there is none
        QVERIFY(!s.ok()->isEnabled());
        QVERIFY2(s.sentence().contains(u"redis-9"_qs), qPrintable(s.sentence()));
        // And back into the form.
        Fault cut = *s.dialog.fault();
        for (const QString& target :
             {u"B<redis-1"_qs, u"A,B<redis-1"_qs, u"A,B|redis-1"_qs, u"A-redis-1,B-redis-1"_qs}) {
            cut.target = target;
            s.dialog.fill(cut);
            QCOMPARE(s.dialog.fault()->target, target);
        }
    }

    void theMenuOfASpanPlansItsFaults() {
        Scene s;
        QWidget window;
        QMenu menu(&window);
        fillSpanMenu(menu, s.context, s.story.b, 3s, 5s);
        QAction* const pause = entryOf(menu, u"Pause B for 2 s"_qs);
        QVERIFY(pause && pause->isEnabled());
        pause->trigger();
        QCOMPARE(s.session.planned.size(), 1u);
        QCOMPARE(s.session.planned.front().at, std::optional<Nanos>(3s));
        QCOMPARE(s.session.planned.front().duration, std::optional<Nanos>(2s));
        QVERIFY(s.session.applied.empty());
        QAction* const lose = entryOf(menu, u"Lose the next reply to B"_qs); // over at once
        QVERIFY(lose);
        lose->trigger();
        QVERIFY(!s.session.planned.back().duration);
        // Beside all lanes the present targets are offered. At 4 s A is paused already.
        QMenu general(&window);
        fillSpanMenu(general, s.context, trace::kNoEntity, 4s, 4s);
        QVERIFY(entryOf(general, u"Kill redis-1"_qs));
        QMenu paused(&window);
        fillSpanMenu(paused, s.context, s.story.a, 4s, 5s);
        QAction* const again = entryOf(paused, u"Pause A for 1 s"_qs);
        QVERIFY(again && !again->isEnabled());
        QCOMPARE(again->toolTip(), u"It is paused already."_qs);
    }

    void everySimulatedKindSaysWhatItLeavesOut() {
        for (const scenario::ServiceKind& kind : scenario::serviceKinds())
            QVERIFY2(!modelLimits(kind.id).isEmpty(), kind.id.data());
        QVERIFY(modelLimits(u"consul"_qs).isEmpty() && modelLimitsInFull(u"consul"_qs).isEmpty());
    }

    /// The list that the window shows is that of the one file: every line of it, each with its own kind.
    void theWholeListOfSimplificationsIsShown() {
        QFile file(u":/sim/SIMPLIFICATIONS.md"_qs);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QStringList lines = QString::fromUtf8(file.readAll()).split(u'\n');
        int items = 0;
        QString heading;
        for (const QString& line : lines) {
            if (line.startsWith(u"## "_qs)) heading = line.mid(3);
            if (!line.startsWith(u"- "_qs)) continue;
            ++items;
            QStringList shownBy;
            for (const scenario::ServiceKind& kind : scenario::serviceKinds())
                if (modelLimitsInFull(kind.id).contains(line)) shownBy += kind.id;
            const bool everywhere = heading == u"Everywhere"_qs;
            QVERIFY2(everywhere ? std::size_t(shownBy.size()) == scenario::serviceKinds().size() : shownBy.size() == 1,
                     qPrintable(heading + u": "_qs + line));
        }
        QVERIFY(items > 80);
    }

    void theListIsShownInTheLanguageOfTheInterface() {
        const QLocale before;
        const QString english = modelLimitsInFull(u"sql"_qs);
        QVERIFY(english.contains(u"### Databases\n"_qs));
        QLocale::setDefault(QLocale(u"zh_CN"_qs));
        const QString chinese = modelLimitsInFull(u"sql"_qs), redis = modelLimitsInFull(u"redis"_qs);
        QLocale::setDefault(before);
        QVERIFY(chinese.contains(u"### 通用\n"_qs) && chinese.contains(u"### 数据库\n"_qs));
        QVERIFY(redis.contains(u"### 单台服务器\n"_qs) && !redis.contains(u"### 数据库\n"_qs));
        QCOMPARE(chinese.count(u"\n- "_qs), english.count(u"\n- "_qs));
        // A wrapped line goes on without the space that Markdown would make of its end.
        QVERIFY(redis.contains(u"已开始写的内容，下次启动时还在"_qs));
        static const QRegularExpression kGap(u"[，。；：]\\s+[^\\s\\-#]"_qs);
        QVERIFY2(!kGap.match(chinese + redis).hasMatch(), qPrintable(kGap.match(chinese + redis).captured()));
    }

    void theDialogShowsTheKindOfTheServer() {
        LimitsDialog dialog;
        dialog.show();
        QCOMPARE(dialog.kinds()->count(), int(scenario::serviceKinds().size()));
        dialog.showKind(u"zookeeper"_qs);
        QCOMPARE(dialog.shownKind(), u"zookeeper"_qs);
        QCOMPARE(dialog.summary()->text(), modelLimits(u"zookeeper"_qs));
        QVERIFY(dialog.list()->toPlainText().contains(u"JVM"_qs));
        QVERIFY(!dialog.list()->toPlainText().contains(u"Raft"_qs));
        dialog.kinds()->setFocus();
        QTest::keyClick(dialog.kinds(), Qt::Key_Right); // by keyboard, too
        QVERIFY(dialog.shownKind() != u"zookeeper"_qs);
        QVERIFY(!dialog.list()->toPlainText().contains(u"JVM"_qs));
        dialog.showKind(u"sentinel"_qs); // a part of Redis
        QCOMPARE(dialog.shownKind(), u"redis"_qs);
        QVERIFY(dialog.list()->toPlainText().contains(u"Sentinel"_qs));
    }
};

QTEST_MAIN(TestPlanDialog)
#include "tst_plan_dialog.moc"
