// SPDX-License-Identifier: Apache-2.0
#include "session/alert_desk.h"

#include <QSignalSpy>
#include <QTest>

using namespace lockscope;
using inspect::Alert;
using inspect::AlertBoard;
using inspect::AlertRule;
using session::AlertDesk;
using Kind = AlertRule::Kind;

namespace {

constexpr std::int64_t kWall = 1'700'000'000'000;

Alert alert(const char* rule, const QByteArray& lock, Nanos since, Alert::State state = Alert::State::Raised) {
    return {state, *inspect::parseAlertRule(QString::fromLatin1(rule)), lock, u"It is so."_qs, u"Do it."_qs, since};
}

QByteArray names(const AlertDesk& desk) {
    QByteArrayList all;
    for (const AlertDesk::Entry& entry : desk.entries())
        all << (entry.pinned ? "!" : "") + entry.alert.lock + (entry.over ? "(over)" : "");
    return all.join(' ');
}

} // namespace

class TestAlertDesk : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatBeginsAndEndsIsASpanOfTime() {
        AlertDesk desk;
        QSignalSpy raised(&desk, &AlertDesk::raised);
        const Alert late = alert("waited>30s", "orders", 5s);
        desk.take({late}, {{late}, 0, 0}, 5s, kWall);
        QCOMPARE(names(desk), QByteArray("orders"));
        QCOMPARE(raised.count(), 1);
        QCOMPARE(desk.spans().size(), 1u);
        QVERIFY(!desk.spans().front().to);
        QVERIFY(desk.worstAt(4s).empty());
        QCOMPARE(desk.worstAt(6s).at("orders")->rule.kind, Kind::Waited);
        const Alert lost = alert("token-back", "orders", 7s);
        desk.take({lost}, {{lost, late}, 0, 0}, 7s, kWall);
        QCOMPARE(desk.worstAt(8s).at("orders")->rule.kind, Kind::TokenBack); // the worse one
        QCOMPARE(desk.worstAt(6s).at("orders")->rule.kind, Kind::Waited);
        desk.take({alert("token-back", "orders", 7s, Alert::State::Over)}, {{late}, 0, 0}, 9s, kWall);
        QCOMPARE(desk.worstAt(9s).at("orders")->rule.kind, Kind::Waited);
        QCOMPARE(desk.worstAt(8s).at("orders")->rule.kind, Kind::TokenBack); // as it was
        QCOMPARE(desk.spans().back().to.value(), Nanos(9s));
        QCOMPARE(desk.now(), Nanos(9s));
    }

    void aPinnedAlertStaysWhenItIsOver() {
        AlertDesk desk;
        const Alert a = alert("waited>30s", "a", 1s), b = alert("no-expiry", "b", 2s);
        desk.take({a, b}, {{a, b}, 0, 0}, 2s, kWall);
        QCOMPARE(names(desk), QByteArray("a b"));
        desk.setPinned(b.rule, "b", true);
        QCOMPARE(names(desk), QByteArray("!b a"));
        desk.take({alert("no-expiry", "b", 2s, Alert::State::Over)}, {{a}, 0, 0}, 3s, kWall);
        QCOMPARE(names(desk), QByteArray("!b(over) a"));
        QCOMPARE(desk.entries().front().over.value(), Nanos(3s));
        const Alert again = alert("no-expiry", "b", 5s);
        desk.take({again}, {{a, again}, 0, 0}, 5s, kWall);
        QCOMPARE(names(desk), QByteArray("!b a"));
        QCOMPARE(desk.entries().front().alert.since, Nanos(5s));
        desk.setPinned(b.rule, "b", false);
        QCOMPARE(names(desk), QByteArray("a b"));
    }

    void whatIsMutedIsCountedAndNotTold() {
        AlertDesk desk;
        QSignalSpy raised(&desk, &AlertDesk::raised), wishes(&desk, &AlertDesk::wishesChanged);
        const Alert a = alert("waited>30s", "a", 1s), b = alert("waited>30s", "b", 1s);
        desk.take({a, b}, {{a, b}, 0, 0}, 1s, kWall);
        desk.setMutes({{Kind::Waited, "a", kWall + 60'000}});
        QCOMPARE(wishes.count(), 1);
        QCOMPARE(names(desk), QByteArray("b")); // at once
        QVERIFY(!desk.worstAt(2s).contains("a"));
        const Alert more = alert("no-expiry", "a", 2s);
        desk.take({more}, {{b, more}, 0, 1}, 2s, kWall + 1000);
        QCOMPARE(names(desk), QByteArray("b a"));
        QCOMPARE(desk.muted(), 1u);
        QCOMPARE(raised.count(), 3);
        desk.take({alert("waited>30s", "a", 1s, Alert::State::Over)}, {{b, more}, 0, 0}, 3s, kWall + 2000);
        const Alert quiet = alert("waited>30s", "a", 4s);
        desk.take({quiet}, {{b, more}, 0, 1}, 4s, kWall + 3000);
        QCOMPARE(raised.count(), 3); // nobody wants to hear of it
        desk.take({}, {{b, more, quiet}, 0, 0}, 65s, kWall + 64'000);
        QCOMPARE(names(desk), QByteArray("b a a")); // the mute is over by itself
    }

    void aRuleThatIsGoneEndsItsAlerts() {
        AlertDesk desk;
        const Alert a = alert("waited>30s", "a", 1s), b = alert("no-expiry", "b", 1s);
        desk.take({a, b}, {{a, b}, 0, 0}, 4s, kWall);
        desk.setRules({b.rule});
        QCOMPARE(names(desk), QByteArray("b"));
        QCOMPARE(desk.spans().front().to.value(), Nanos(4s));
        QVERIFY(!desk.spans().back().to);
    }

    void itsMemoryIsBounded() {
        AlertDesk desk;
        for (std::size_t i = 0; i < 3 * AlertDesk::kMostSpans; ++i) {
            const QByteArray lock = QByteArray::number(qulonglong(i));
            const Alert one = alert("no-expiry", lock, Nanos(std::int64_t(i)));
            desk.take({one}, {}, Nanos(std::int64_t(i)), kWall);
        }
        QCOMPARE(desk.spans().size(), AlertDesk::kMostSpans);
        QCOMPARE(desk.spans().back().lock, QByteArray::number(qulonglong(3 * AlertDesk::kMostSpans - 1)));
    }

    void aHistoryShowsWhatStoodAtThePlayhead() {
        AlertDesk desk;
        QSignalSpy changed(&desk, &AlertDesk::changed), raised(&desk, &AlertDesk::raised);
        const auto span = [](const char* rule, const char* lock, Nanos from, std::optional<Nanos> to) {
            return AlertDesk::Span{*inspect::parseAlertRule(QString::fromLatin1(rule)), lock, {}, {}, from, to, false};
        };
        desk.tellHistory({span("waited>30s", "a", 5s, 9s), span("token-back", "b", 7s, std::nullopt),
                          span("waited>30s", "c", 6s, 8s)});
        QCOMPARE(raised.count(), 0); // nobody is told on the desktop of what is past
        QCOMPARE(names(desk), QByteArray());
        desk.lookAt(7s);
        QCOMPARE(names(desk), QByteArray("b a c")); // the most severe, then the oldest
        QCOMPARE(desk.now(), Nanos(7s));
        changed.clear();
        desk.lookAt(7500ms);
        QCOMPARE(changed.count(), 0); // none came or went
        desk.setPinned(*inspect::parseAlertRule(u"waited>30s"_qs), "c", true);
        desk.setMutes({{Kind::TokenBack, std::nullopt, 0}});
        QCOMPARE(desk.muted(), 1u);
        desk.lookAt(8500ms);
        QCOMPARE(names(desk), QByteArray("!c(over) a"));
        desk.lookAt(6s); // back
        QCOMPARE(names(desk), QByteArray("!c a"));
        desk.lookAt(20s);
        QCOMPARE(names(desk), QByteArray("!c(over)"));
        QCOMPARE(desk.spans().size(), 3u);
    }
};

QTEST_GUILESS_MAIN(TestAlertDesk)
#include "tst_alert_desk.moc"
