// SPDX-License-Identifier: GPL-3.0-or-later
// Which marks of faults have words where there are many, or little room.
#include "pause_view.h"
#include "scenes.h"
#include "theme/palette.h"
#include "timeline/fault_chips.h"
#include "timeline/timeline_ruler.h"
#include "timeline/timeline_view.h"
#include "trace/death.h"
#include "trace/seen_restart.h"

#include <QPainter>
#include <QSignalSpy>
#include <QTest>

using namespace lockscope;
using namespace lockscope::views;
using trace::EventKind;

namespace {

/// The marks of a run of 10 s that is in sight as a whole, in a window so wide.
std::vector<FaultChip> chipsOf(const Cast& cast, int width = 1200) {
    cast.trace->reach(10s);
    FixedSession session{cast.trace, 10s};
    ViewContext context;
    TimelineView view(&context);
    context.setSession(&session);
    view.resize(width, 700);
    view.show();
    if (!QTest::qWaitForWindowExposed(&view)) qFatal("the timeline was not shown");
    view.zoom()->setRange(0, Nanos(10s).count());
    const TimelineScene scene = view.scene();
    return faultChips(scene, scene.coordinates(view.findChild<TimelineRuler*>()->width()));
}

QStringList wordsOf(const std::vector<FaultChip>& chips) {
    QStringList words;
    for (const FaultChip& chip : chips)
        if (!chip.words.isEmpty()) words << chip.words;
    return words;
}

bool overlap(const std::vector<FaultChip>& chips) {
    for (std::size_t i = 0; i + 1 < chips.size(); ++i)
        for (std::size_t k = i + 1; k < chips.size(); ++k)
            if (!chips[i].words.isEmpty() && !chips[k].words.isEmpty() && chips[i].box.intersects(chips[k].box))
                return true;
    return false;
}

} // namespace

class FaultChips : public QObject {
    Q_OBJECT

    static void loseSessions(Cast& cast, int many, Nanos from, Nanos step) {
        for (int i = 0; i < many; ++i)
            cast.at(from + i * step, EventKind::SessionChanged,
                    cast.trace->intern(trace::EntityKind::Client, "c" + QByteArray::number(i)), cast.node,
                    std::int64_t(trace::SessionPhase::Suspended), 0, trace::kFault);
    }

private Q_SLOTS:
    void initTestCase() { Theme::instance().setChoice(ThemeChoice::Light); }

    /// They stand where the time is another one.
    void wordsBesideANarrowBandAreClickedAsTheBandIs() {
        PauseView s;
        auto* ruler = s.view.findChild<TimelineRuler*>();
        std::vector<BandWords> words;
        // As soon as the band is too narrow for them: how wide they are is the font's matter.
        for (Nanos sight = 8s; words.empty() && sight <= 60s; sight += 2s) {
            s.view.zoom()->setRange(Nanos(2s).count(), Nanos(2s + sight).count());
            settle();
            QImage picture(ruler->size(), QImage::Format_ARGB32_Premultiplied);
            QPainter painter(&picture);
            paintRuler(painter, ruler->size(), s.view.scene(), &words);
        }
        const TimelineScene scene = s.view.scene();
        QVERIFY(!words.empty());
        const QPoint at = words.front().ground.center().toPoint() + QPoint(scene.metrics.labelWidth(), 0);
        const std::int64_t instant = scene.coordinates(ruler->width()).time(words.front().ground.center().x());
        QVERIFY(scene.bands.at(instant, 0, scene.data.now()).empty());
        QSignalSpy told(&s.view, &TimelineView::violationActivated);
        const Nanos playhead = s.context.playhead();
        ruler->grab(); // painted, and so known
        QTest::mouseClick(ruler, Qt::LeftButton, {}, at);
        QCOMPARE(told.size(), 1);
        QCOMPARE(std::size_t(told.front().front().toInt()), words.front().violation);
        QCOMPARE(s.context.playhead(), playhead);
    }

    /// Another process has taken a watched server's place: nobody saw that anybody killed it.
    void aSeenRestartIsNoKill() {
        Cast cast;
        cast.at(4s, EventKind::NodeKilled, cast.node, 0, 0, 0, trace::kSeenRestart);
        cast.at(4s, EventKind::NodeStarted, cast.node);
        const QString words = wordsOf(chipsOf(cast)).join(u'|');
        QVERIFY2(words.contains(u"restarted: %1"_qs.arg(cast.trace->displayName(cast.node))), qPrintable(words));
        QVERIFY2(!words.contains(u"killed"_qs), qPrintable(words));
    }

    void aDeathKeepsItsWordsAmongHundredsOfMarks() {
        Cast cast;
        const QString name = cast.trace->displayName(cast.node);
        cast.at(5s, EventKind::NodeKilled, cast.node, 0, 0, 0, trace::kFault);
        loseSessions(cast, 400, 5001ms, 100us);
        cast.at(8s, EventKind::NodeStarted, cast.node, 0, 0, 0, trace::kFault);
        const auto chips = chipsOf(cast);
        const QStringList words = wordsOf(chips);
        QVERIFY2(std::ranges::any_of(words, [&](const QString& w) { return w.startsWith(u"killed %1"_qs.arg(name)); }),
                 qPrintable(words.join(u'|')));
        QVERIFY2(words.contains(u"started %1"_qs.arg(name)), qPrintable(words.join(u'|')));
        QVERIFY(!overlap(chips));
        // The sessions' marks are few, and stand for all of them.
        QVERIFY2(chips.size() < 10, QByteArray::number(chips.size()).constData());
        const auto sessions = std::ranges::find(chips, Nanos(5001ms).count(), &FaultChip::at);
        QVERIFY(sessions != chips.end() && sessions->last > sessions->at + Nanos(20ms).count());
    }

    /// More decisive ones than there is room for: marks that stand close are one, which says for how many it stands.
    void hundredsOfDeathsHaveMarksThatStandApart() {
        Cast cast;
        for (int i = 0; i < 450; ++i)
            cast.at(1s + i * 20ms, i % 2 ? EventKind::NodeStarted : EventKind::NodeKilled, cast.node, 0, 0, 0,
                    trace::kFault);
        const auto chips = chipsOf(cast);
        QVERIFY2(chips.size() > 20 && chips.size() <= 200, QByteArray::number(chips.size()).constData());
        QVERIFY(std::ranges::all_of(chips, &FaultChip::decisive));
        QVERIFY(std::ranges::any_of(chips, [](const FaultChip& chip) { return chip.last > chip.at; }));
        for (std::size_t i = 0; i + 1 < chips.size(); ++i)
            QVERIFY(chips[i + 1].x - chips[i].x >= 8); // a flag is 12 px wide at most
        QVERIFY(!overlap(chips));
    }

    /// A crash loses more than a kill, so the two have words of their own.
    void aCrashIsNoKill() {
        Cast cast;
        const QString name = cast.trace->displayName(cast.node);
        cast.at(3s, EventKind::NodeKilled, cast.node, 0, trace::kPowerLost, 0, trace::kFault);
        cast.at(5s, EventKind::NodeStarted, cast.node, 0, 0, 0, trace::kFault);
        const QStringList words = wordsOf(chipsOf(cast));
        QVERIFY2(words.contains(u"crashed %1"_qs.arg(name)), qPrintable(words.join(u'|')));
    }

    void marksOfOneKindAtOneInstantAreOne() {
        Cast cast;
        loseSessions(cast, 300, 5s, 0ns);
        const auto chips = chipsOf(cast);
        QCOMPARE(chips.size(), std::size_t(1));
        QCOMPARE(chips.front().words, u"300 session(s) suspended"_qs);
    }

    /// A violation that ends as a client wakes up leaves the mark of the waking its words.
    void aMarkAtAViolationsEndHasItsWordsBehindIt() {
        Cast cast;
        cast.ask(780ms, cast.a);
        cast.grant(800ms, cast.a, 5s);
        cast.ask(1400ms, cast.b);
        cast.at(3s, EventKind::ClientPaused, cast.a.client, 0, 0, 0, trace::kFault);
        cast.at(5800ms, EventKind::RecordFreed, 0, cast.lock, 0, cast.a.thread, std::uint8_t(trace::FreedBy::Expiry));
        cast.grant(6s, cast.b, 5s);
        cast.at(7s, EventKind::ClientResumed, cast.a.client, 0, 0, 0, trace::kFault);
        cast.at(7010ms, EventKind::ReleaseRefused, cast.a.thread, cast.lock);
        const auto chips = chipsOf(cast);
        const auto woke = std::ranges::find(chips, Nanos(7s).count(), &FaultChip::at);
        QVERIFY(woke != chips.end());
        QCOMPARE(woke->words, u"resumed A"_qs);
        QVERIFY(woke->box.left() >= woke->x);
    }

    /// A switch of engines is news of each process: one mark, whose words are short.
    void newsOfAnEngineIsToldOnceAndShort() {
        Cast cast;
        const auto news = [&](Nanos at, trace::EntityId client, trace::EngineNews what, const char* text) {
            cast.at(at, EventKind::EngineChanged, client, 0, 2, cast.trace->text(text), std::uint8_t(what));
        };
        const char* const left = "redis://redis-1:6379 redis-set\nunreadable";
        news(4s, cast.a.client, trace::EngineNews::Leaving, left);
        news(4020ms, cast.b.client, trace::EngineNews::Leaving, left);
        news(6s, cast.a.client, trace::EngineNews::InUse, "zookeeper://zk-1:2181,zk-2:2181/ zk-mutex\nhealth");
        QCOMPARE(wordsOf(chipsOf(cast)), (QStringList{u"leaves redis-1"_qs, u"uses zk-1–2, epoch 2"_qs}));
    }

    void aSwitchOfAllClientsHasAWord() {
        Cast cast;
        cast.at(5s, EventKind::SettingChanged, 0, 0, 0, cast.trace->text("engine=redis-2"), trace::kFault);
        QCOMPARE(wordsOf(chipsOf(cast)), QStringList{u"switch to redis-2"_qs});
    }

    /// Words that do not fit are shortened, not left out: between a mark at the left edge and a violation's pill.
    void wordsOfADecisiveMarkAreShortened() {
        Cast cast;
        cast.at(4500ms, EventKind::LinkCut, 0, cast.a.link, 0, 0, trace::kFault);
        cast.at(5s, EventKind::NodeKilled, cast.node, 0, 0, 0, trace::kFault | trace::kByHand);
        cast.at(5600ms, EventKind::ClientKilled, cast.c.client, 0, 0, 0, trace::kFault | trace::kByHand);
        cast.at(5700ms, EventKind::ClientPaused, cast.a.client, 0, 0, 0, trace::kFault);
        const auto chips = chipsOf(cast, 1000);
        QVERIFY(!overlap(chips));
        const auto killed = std::ranges::find(chips, Nanos(5s).count(), &FaultChip::at);
        QVERIFY(killed != chips.end());
        QVERIFY2(killed->words.startsWith(u"kil") && killed->words.endsWith(u'…'), qPrintable(killed->words));
    }

    void aMasterDemotedSaysMoreThanAPauseOfThatInstant() {
        Cast cast;
        cast.at(5s, EventKind::ClientPaused, cast.a.client, 0, 0, 0, trace::kFault | trace::kByHand);
        cast.at(5s, EventKind::FailoverStep, 0, cast.node, std::int64_t(trace::FailoverPhase::Asked), 0,
                trace::kFault | trace::kByHand);
        QCOMPARE(wordsOf(chipsOf(cast)), QStringList{u"demoted %1 +1"_qs.arg(cast.trace->displayName(cast.node))});
    }
};

QTEST_MAIN(FaultChips)
#include "tst_fault_chips.moc"
