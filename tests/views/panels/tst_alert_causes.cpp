// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/alert_causes.h"

#include <QTest>

using namespace lockscope;
using inspect::Alert;
using views::alertCauses;

namespace {

Alert alert(const char* rule, const QByteArray& lock, Nanos since = 5s, const QString& sentence = u"It is so."_qs) {
    return {Alert::State::Raised, *inspect::parseAlertRule(QString::fromLatin1(rule)), lock, sentence, {}, since};
}

QString names(const std::vector<Alert>& alerts) {
    QStringList all;
    for (const views::AlertCause& cause : alertCauses(alerts))
        all << views::causeName(cause);
    return all.join(u" | "_qs);
}

} // namespace

/// Alerts of one cause are told as one.
class TestAlertCauses : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aDeadlockIsOneWithTheWaitsThatComeOfIt() {
        const QString ring = u"A waits for B, B waits for A."_qs, other = u"C waits for D, D waits for C."_qs;
        const std::vector<Alert> alerts{alert("held>5m", "stock", 9s),           alert("deadlock", "stock", 4s, ring),
                                        alert("deadlock", "payments", 4s, ring), alert("waited>30s", "payments", 9s),
                                        alert("deadlock", "x", 4s, other),       alert("waited>30s", "orders", 9s)};
        QCOMPARE(alertCauses(alerts).size(), 3u);
        const QString told = names(alerts);
        QVERIFY2(told.contains(u"stock ⇄ payments"_qs) && told.contains(u": x"_qs) && told.contains(u": orders"_qs),
                 qPrintable(told));
        QCOMPARE(told.count(u"payments"_qs), 1);
    }

    void manyAtOnceAreCounted() {
        std::vector<Alert> alerts;
        for (const char* lock : {"a", "b", "c"})
            alerts.push_back(alert("no-expiry", lock, 5s + std::chrono::milliseconds(alerts.size())));
        QCOMPARE(alertCauses(alerts).size(), 3u); // three names are quicker read
        alerts.push_back(alert("no-expiry", "d", 5900ms));
        QCOMPARE(alertCauses(alerts).size(), 1u);
        QVERIFY2(names(alerts).contains(u"4 lock"_qs), qPrintable(names(alerts)));
        alerts.push_back(alert("no-expiry", "late", 60s));
        QCOMPARE(alertCauses(alerts).size(), 2u);
    }

    void theWorstIsFirst() {
        const QString told = names({alert("dead-waiters>0", "a"), alert("no-expiry", "b"), alert("token-back", "c"),
                                    alert("unreachable>10s", {})});
        QVERIFY2(told.indexOf(u": c"_qs) < told.indexOf(u": b"_qs) && told.indexOf(u": b"_qs) < told.indexOf(u": a"_qs),
                 qPrintable(told));
        QVERIFY(names({}).isEmpty());
        QVERIFY(!names({alert("unreachable>10s", {})}).contains(u':')); // a server has no lock's name
    }
};

QTEST_MAIN(TestAlertCauses)
#include "tst_alert_causes.moc"
