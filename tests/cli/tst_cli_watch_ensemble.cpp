// SPDX-License-Identifier: GPL-3.0-or-later
#include "metrics_page.h"
#include "program.h"

#include "ports/url.h"
#include "runtime/event_loop_runtime.h"
#include "sandbox/zookeeper_server.h"

#include <qcoro/qcorotask.h>

using namespace lockscope;
using namespace lockscope::tests;

/// `lockscope watch` on an ensemble that loses its leader.
class tst_cli_watch_ensemble : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aDeadLeaderIsToldAndCounted() {
        EventLoopRuntime runtime;
        sandbox::ZooKeeperEnsemble ensemble(runtime);
        const auto started = QCoro::waitFor(ensemble.start());
        QVERIFY2(started.has_value(), started ? "" : qPrintable(started.error()));
        QProcess watcher;
        watcher.setProcessEnvironment(plainEnvironment());
        watcher.start(kProgram, {u"watch"_qs, ensemble.url(), u"--json"_qs, u"--metrics"_qs, u"0"_qs});
        QByteArray err, out, page;
        QTRY_VERIFY2_WITH_TIMEOUT((err += watcher.readAllStandardError(), metricsPort(err) > 0), err.constData(),
                                  20'000);
        const QByteArray here =
            "lockscope_servers{endpoint=\"" + parseConnectionUrl(ensemble.url())->display().toUtf8() + "\",readable=";
        const auto counts = [&](int readable, int not_) {
            page = got(metricsPort(err), "/metrics");
            return page.contains(here + "\"yes\"} " + QByteArray::number(readable) + '\n') &&
                   page.contains(here + "\"no\"} " + QByteArray::number(not_) + '\n');
        };
        QTRY_VERIFY2_WITH_TIMEOUT(counts(3, 0), page.constData(), 20'000);
        const int leader = QCoro::waitFor(ensemble.leader());
        QVERIFY(leader >= 0);
        const QString dead = QUrl(ensemble.server(leader).url()).authority();
        ensemble.server(leader).kill();
        int next = -1;
        QTRY_VERIFY_WITH_TIMEOUT((next = QCoro::waitFor(ensemble.leader())) >= 0 && next != leader, 30'000);
        const QString leads = QUrl(ensemble.server(next).url()).authority();
        const auto told = [&](const char* event, const QString& at) {
            out += watcher.readAllStandardOutput();
            for (const QByteArray& line : out.split('\n')) {
                const QJsonObject one = QJsonDocument::fromJson(line).object();
                if (one[u"event"].toString() == QLatin1String(event) && one[u"at"].toArray().first() == at) return true;
            }
            return false;
        };
        QTRY_VERIFY2_WITH_TIMEOUT(told("member-leads", leads), out.constData(), 20'000);
        QVERIFY2(told("member-away", dead), out.constData());
        QVERIFY2(!told("member-away", leads), out.constData());
        QTRY_VERIFY2_WITH_TIMEOUT(counts(2, 1), page.constData(), 20'000);
        // A majority is there, and with it all locks.
        QVERIFY2(page.contains("\nlockscope_up{endpoint=\"" + parseConnectionUrl(ensemble.url())->display().toUtf8() +
                               "\"} 1\n"),
                 page.constData());
        // Without a majority nothing can be read, from the member that is alive either.
        ensemble.server(next).kill();
        QTRY_VERIFY2_WITH_TIMEOUT(counts(0, 3), page.constData(), 40'000);
        watcher.kill();
        QVERIFY(watcher.waitForFinished());
    }
};

QTEST_GUILESS_MAIN(tst_cli_watch_ensemble)
#include "tst_cli_watch_ensemble.moc"
