// SPDX-License-Identifier: GPL-3.0-or-later
#include "backends/url.h"
#include "cli/arguments.h"
#include "cli/exit_status.h"
#include "cli/output.h"
#include "cli/text.h"
#include "cli/usage.h"
#include "inspect/redis_watcher.h"
#include "inspect/text.h"
#include "runtime/event_loop_runtime.h"
#include "servers/commands.h"
#include "servers/signal_inbox.h"

#include <QDateTime>
#include <QJsonDocument>

namespace lockscope::cli {

namespace {

using inspect::LockChange;
using inspect::LockReport;
using inspect::LockRow;

QString stateWord(LockRow::State state) {
    switch (state) {
    case LockRow::State::Held:
        return tr("held");
    case LockRow::State::Queued:
        return tr("queued");
    case LockRow::State::Free:
        break;
    }
    return tr("free");
}

/// "1f6a2c…:1 ×2": enough of an identity to tell clients apart.
QString partyText(const inspect::Party& party) {
    constexpr qsizetype kShown = 12;
    QString text = inspect::readable(party.client);
    if (text.size() > kShown) text = text.left(kShown - 1) + QStringLiteral("…");
    if (party.thread) text += QLatin1Char(':') + inspect::readable(*party.thread);
    if (party.holds.value_or(1) > 1) text += QStringLiteral(" ×%1").arg(*party.holds);
    return text;
}

QString rowText(const LockRow& row) {
    QStringList parts{inspect::readable(row.name), inspect::readable(row.format), stateWord(row.state)};
    QStringList holders;
    for (const inspect::Party& holder : row.holders)
        holders += partyText(holder);
    if (!holders.isEmpty()) parts += tr("by %1").arg(holders.join(QStringLiteral(", ")));
    if (row.ttlMs)
        parts += tr("%1 s left").arg(double(*row.ttlMs) / 1000, 0, 'f', 1);
    else if (row.neverExpires)
        parts += tr("never expires");
    if (row.waiterCount)
        parts += tr("%n waiting", nullptr, int(*row.waiterCount));
    else
        parts += tr("waiters unknown");
    if (row.token) parts += tr("token %1").arg(*row.token);
    return parts.join(QStringLiteral("  "));
}

QString timeText(const LockReport& report) {
    return QDateTime::fromMSecsSinceEpoch(report.wallMs, Qt::UTC).toString(Qt::ISODateWithMs);
}

/// One run of `lockscope watch`.
class WatchRun : public QObject {
public:
    WatchRun(const ConnectionUrl& url, bool once, bool json)
        : m_endpoint(url.display()), m_once(once), m_json(json), m_driver(m_runtime, url), m_watcher(m_driver) {
        connect(&m_signals, &SignalInbox::interrupted, this, [this](int signal) {
            m_interruptedBy = signal;
            m_stop.request_stop();
        });
    }
    ~WatchRun() override { m_runtime.kill(); }

    int run() {
        m_runtime.post([this] { m_runtime.spawn([this] { return whole(); }); });
        QCoreApplication::exec();
        return m_status;
    }

private:
    QCoro::Task<> whole() {
        try {
            m_status = co_await look();
        } catch (const Cancelled&) {
            m_status = m_once ? kSignalBase + m_interruptedBy : kFine; // Ctrl+C is how a watch ends
        }
        QCoreApplication::exit();
    }

    QCoro::Task<int> look() {
        if (const auto opened = co_await m_driver.open(m_stop.get_token()); !opened) {
            complain(opened.error().message);
            co_return opened.error().kind == redis::Error::Kind::WrongUrl ? kUsage : kUnreachable;
        }
        if (!m_once) {
            co_await m_watcher.watch([this](const LockReport& report) { tell(report); }, m_stop.get_token());
            co_return kFine;
        }
        const LockReport report = co_await m_watcher.once(m_stop.get_token());
        if (report.trouble) {
            complain(report.trouble->message);
            co_return kUnreachable;
        }
        if (m_json) {
            QJsonObject object = inspect::toJson(report, m_endpoint);
            if (!report.complete) object[QStringLiteral("complete")] = false;
            say(QJsonDocument(object).toJson(QJsonDocument::Compact));
        } else {
            for (const LockRow& row : report.locks)
                say(rowText(row));
        }
        if (!report.complete) {
            complain(tr("%1 has more keys than one look goes through: there may be other locks").arg(m_endpoint));
            co_return kUnknown;
        }
        if (!m_json && report.locks.empty()) complain(tr("no lock on %1 now").arg(m_endpoint));
        co_return kFine;
    }

    void tell(const LockReport& report) {
        if (report.trouble) {
            complain(report.trouble->message);
            m_troubled = true;
            return;
        }
        if (m_troubled) complain(tr("%1 answers again").arg(m_endpoint));
        m_troubled = false;
        for (const LockChange& change : changesBetween(m_last, report))
            tell(change, report);
        m_last = report;
    }

    void tell(const LockChange& change, const LockReport& report) {
        struct Kind {
            const char* id;
            QString word;
        };
        const Kind kinds[] = {{"appeared", tr("appeared")}, {"changed", tr("changed")}, {"vanished", tr("vanished")}};
        const Kind& kind = kinds[static_cast<std::size_t>(change.kind)];
        if (m_json) {
            JsonLine line;
            line.add("change", QByteArray(kind.id))
                .add("endpoint", m_endpoint)
                .add("observed_at", timeText(report))
                .add("lock", inspect::toJson(change.row));
            say(line.toJson());
        } else {
            say(timeText(report) + QStringLiteral("  ") + kind.word.leftJustified(9) + rowText(change.row));
        }
    }

    QString m_endpoint;
    bool m_once, m_json;
    SignalInbox m_signals{SignalInbox::Which::Ends};
    EventLoopRuntime m_runtime;
    redis::RedisDriver m_driver;
    inspect::RedisWatcher m_watcher;
    std::stop_source m_stop;
    LockReport m_last;
    bool m_troubled = false;
    int m_interruptedBy = 0;
    int m_status = kFine;
};

} // namespace

int watch(const QStringList& words) {
    const auto arguments = Arguments::parse(words, {{QStringLiteral("once"), false}, {QStringLiteral("json"), false}},
                                            {QStringLiteral("URL")});
    if (!arguments) return misused("watch", arguments.error());
    const auto url = parseConnectionUrl(arguments->place(0));
    if (!url) return misused("watch", url.error());
    if (url->service != Service::Redis) {
        return misused("watch", tr("only redis:// and rediss:// can be watched so far, not %1://").arg(url->scheme));
    }
    return WatchRun(*url, arguments->has("once"), arguments->has("json")).run();
}

} // namespace lockscope::cli
