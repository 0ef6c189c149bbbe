// SPDX-License-Identifier: GPL-3.0-or-later
// The banner above everything, where servers are watched: their worst alert, as long as no invariant is violated.
#include "fake_session.h"
#include "session/alert_desk.h"
#include "transport/verdict_banner.h"

#include <QSignalSpy>
#include <QTest>

using namespace lockscope;
using namespace lockscope::views;
using inspect::Alert;
using session::AlertDesk;

namespace {

class WatchingSession : public views::testing::FakeSession, public session::AlertSource {
    Q_OBJECT
    Q_INTERFACES(lockscope::session::AlertSource)
public:
    std::vector<AlertDesk*> alertDesks() override { return {&desk}; }
    AlertDesk desk;
};

Alert alert(const char* rule, const QByteArray& lock, Nanos since, const QString& sentence) {
    return {Alert::State::Raised,
            *inspect::parseAlertRule(QString::fromLatin1(rule)),
            lock,
            sentence,
            u"Do this."_qs,
            since};
}

struct Scene {
    WatchingSession session;
    ViewContext context;
    trace::EntityId a, b;
    Scene() {
        session.can = {.live = true};
        trace::Trace& t = session.writable();
        const auto node = t.intern(trace::EntityKind::Node, "redis-1");
        a = t.intern(trace::EntityKind::Lock, "a", node);
        b = t.intern(trace::EntityKind::Lock, "b", node);
        t.reach(10s);
        context.setSession(&session);
        context.setPlayhead(10s);
    }
    void raise(const std::vector<Alert>& alerts) { session.desk.take(alerts, {alerts, 0, 0}, 9s, 0); }
};

const QString kRing = QStringLiteral("Deadlock: A waits for “b”, B waits for “a”.");

} // namespace

class ToldAlertTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aDeadlockInSomebodysServersIsOnTheBanner() {
        Scene scene;
        VerdictBanner banner(&scene.context);
        QVERIFY(!banner.alert());
        QVERIFY(!banner.isEnabled());
        scene.raise({alert("failed-over", "b", 1s, u"“b” failed over."_qs), alert("deadlock", "a", 4s, kRing),
                     alert("deadlock", "b", 4s, kRing), alert("no-expiry", "a", 0s, u"“a” never ends."_qs)});
        QVERIFY(banner.alert());
        QVERIFY2(banner.text().startsWith(kRing), qPrintable(banner.text()));
        QCOMPARE(banner.alert()->more, 1); // the two locks of the ring have one cause, and a warning is not critical
        QVERIFY(banner.isEnabled());
        QSignalSpy revealed(&scene.context, &ViewContext::revealRequested);
        banner.click();
        QCOMPARE(revealed.count(), 1);
        QCOMPARE(revealed.front().at(0).value<Nanos>(), Nanos(4s));
        QCOMPARE(scene.context.selection(), scene.a);
        // A look back shows what stood then.
        scene.context.setPlayhead(2s);
        QVERIFY2(banner.text().contains(u"failed over"), qPrintable(banner.text()));
        scene.context.setPlayhead(500ms);
        QVERIFY(!banner.alert());
    }

    void aViolationGoesBeforeIt() {
        Scene scene;
        VerdictBanner banner(&scene.context);
        scene.raise({alert("deadlock", "a", 1s, kRing)});
        verdict::Verdict verdict;
        verdict.rows = 1;
        verdict::Violation write;
        write.invariant = verdict::Invariant::StaleWrite;
        write.lock = scene.a;
        write.from = write.to = 3s;
        verdict.violations = {write};
        verdict.outcomes[std::size_t(verdict::Invariant::StaleWrite)] = verdict::Outcome::Violated;
        scene.session.setVerdict(verdict);
        QVERIFY(banner.shown());
        QVERIFY(!banner.alert());
    }

    void aMutedAlertStaysAway() {
        Scene scene;
        VerdictBanner banner(&scene.context);
        scene.raise({alert("deadlock", "a", 1s, kRing)});
        QVERIFY(banner.alert());
        scene.session.desk.setMutes({{inspect::AlertRule::Kind::Deadlock, std::nullopt, 0}});
        QVERIFY(!banner.alert());
    }
};

QTEST_MAIN(ToldAlertTest)
#include "tst_told_alert.moc"
