// SPDX-License-Identifier: GPL-3.0-or-later
// `lockscope watch` of a database over a connection so slow that looks are far apart.
#include "metrics_page.h"
#include "program.h"

#include "runtime/event_loop_runtime.h"
#include "sandbox/postgres_server.h"
#include "sql/tcp_relay.h"

#include <QUrl>
#include <qcoro/qcorotask.h>

using namespace lockscope;
using namespace lockscope::tests;

class tst_cli_watch_slow : public QObject {
    Q_OBJECT
    EventLoopRuntime m_runtime;
    sandbox::PostgresServer m_server{m_runtime};

    QString through(const test::TcpRelay& relay) const {
        QUrl url(m_server.url());
        url.setPort(relay.port());
        return url.toString(QUrl::FullyEncoded);
    }
    static std::unique_ptr<QProcess> start(const QStringList& words) {
        auto process = std::make_unique<QProcess>();
        process->setProcessEnvironment(plainEnvironment());
        process->start(kProgram, words);
        return process;
    }
    static void end(QProcess& process) {
        process.kill();
        QVERIFY(process.waitForFinished());
    }

private Q_SLOTS:
    void initTestCase() {
        const auto started = QCoro::waitFor(m_server.start());
        QVERIFY2(started.has_value(), started ? "" : qPrintable(started.error()));
    }

    void aLongFirstLookIsTold_data() {
        QTest::addColumn<bool>("once");
        QTest::newRow("watch") << false;
        QTest::newRow("one look") << true;
    }
    void aLongFirstLookIsTold() {
        QFETCH(bool, once);
        test::TcpRelay relay(m_runtime, std::uint16_t(QUrl(m_server.url()).port()));
        relay.answersTake = std::chrono::milliseconds(450);
        QStringList words{u"watch"_qs, through(relay)};
        if (once) words << u"--once"_qs;
        const auto watcher = start(words);
        QByteArray err;
        QTRY_VERIFY2_WITH_TIMEOUT((err += watcher->readAllStandardError(), err.contains("the first look goes on")),
                                  err.constData(), 60'000);
        QVERIFY2(err.contains("command(s) were sent") || err.contains("commands were sent"), err.constData());
        end(*watcher);
    }

    /// The age of what is shown is said while it grows, and when the next look has come.
    void aPauseBetweenTwoLooksIsTold() {
        test::TcpRelay relay(m_runtime, std::uint16_t(QUrl(m_server.url()).port()));
        const auto watcher = start({u"watch"_qs, through(relay), u"--json"_qs, u"--metrics"_qs, u"0"_qs});
        QByteArray err, out, page;
        const auto age = [&] {
            page = got(metricsPort(err), "/metrics");
            static const QRegularExpression kAge(
                QStringLiteral("\nlockscope_watch_look_age_seconds\\{[^}]*\\} ([0-9.]+)"));
            const auto found = kAge.match(QString::fromUtf8(page));
            return found.hasMatch() ? found.captured(1).toDouble() : -1;
        };
        QTRY_VERIFY2_WITH_TIMEOUT((err += watcher->readAllStandardError(), metricsPort(err) > 0), err.constData(),
                                  30'000);
        QTRY_VERIFY2_WITH_TIMEOUT(age() >= 0, page.constData(), 30'000);
        relay.answersTake = std::chrono::milliseconds(900); // each answer comes, and there are several in a look
        const auto told = [&](const char* event) {
            out += watcher->readAllStandardOutput();
            for (const QByteArray& line : out.split('\n')) {
                const QJsonObject one = QJsonDocument::fromJson(line).object();
                if (one[u"event"].toString() == QLatin1String(event)) return one[u"age_ms"].toInteger();
            }
            return qint64(0);
        };
        QTRY_VERIFY2_WITH_TIMEOUT(told("not-looked-at") > 4000, out.constData(), 60'000);
        QVERIFY2(age() > 4, page.constData());
        relay.answersTake = std::chrono::milliseconds(0);
        QTRY_VERIFY2_WITH_TIMEOUT(told("looked-at-again") > 4000, out.constData(), 60'000);
        end(*watcher);
    }
};

QTEST_GUILESS_MAIN(tst_cli_watch_slow)
#include "tst_cli_watch_slow.moc"
