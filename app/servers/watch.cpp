// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/arguments.h"
#include "cli/exit_status.h"
#include "cli/output.h"
#include "cli/text.h"
#include "cli/usage.h"
#include "drivers/dial.h"
#include "inspect/lock_change.h"
#include "inspect/make_watcher.h"
#include "ports/url.h"
#include "runtime/event_loop_runtime.h"
#include "servers/commands.h"
#include "servers/signal_inbox.h"
#include "servers/watch_words.h"

#include <QDateTime>
#include <QJsonDocument>
#include <QRegularExpression>
#include <set>

namespace lockscope::cli {

namespace {

using inspect::LockChange;
using inspect::LockReport;
using inspect::LockRow;

/// The parts of the report that a person asked to see.
struct WatchPlan {
    bool once = false;
    bool json = false;
    bool renewals = false; ///< a line for each of them, too
    inspect::NameFilter names;
};

QString timeText(const LockReport& report) {
    return QDateTime::fromMSecsSinceEpoch(report.wallMs, Qt::UTC).toString(Qt::ISODateWithMs);
}

/// One run of `lockscope watch`.
class WatchRun : public QObject {
public:
    /// Precondition: inspect::watchable(url).
    WatchRun(const ConnectionUrl& url, WatchPlan plan)
        : m_endpoint(url.display()),
          m_plan(std::move(plan)),
          m_watcher(*inspect::makeWatcher(m_runtime, url, realDiallers(), optionsFor(m_plan))) {
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
    static inspect::WatchOptions optionsFor(const WatchPlan& plan) {
        inspect::WatchOptions options;
        options.names = plan.names;
        return options;
    }
    QCoro::Task<> whole() {
        try {
            m_status = co_await look();
        } catch (const Cancelled&) {
            m_status = m_plan.once ? kSignalBase + m_interruptedBy : kFine; // Ctrl+C is how a watch ends
            if (!m_plan.once && m_last.commands > 0) complain(loadText(m_last, m_runtime.monotonic() - m_began));
        }
        QCoreApplication::exit();
    }

    QCoro::Task<int> look() {
        if (const auto opened = co_await m_watcher->open(m_stop.get_token()); !opened) {
            complain(opened.error().message);
            co_return opened.error().kind == inspect::WatchTrouble::Kind::WrongUrl ? kUsage : kUnreachable;
        }
        m_began = m_runtime.monotonic();
        if (!m_plan.once) {
            co_await m_watcher->watch([this](const LockReport& report) { tell(report); }, m_stop.get_token());
            co_return kFine;
        }
        const LockReport report = co_await m_watcher->once(
            m_stop.get_token(), [](const LockReport& sofar) { complain(progressText(sofar)); });
        if (report.trouble) {
            complain(report.trouble->message);
            co_return kUnreachable;
        }
        // Locks may be among the keys that we have no right to read.
        const bool whole = report.complete && report.keysRefused == 0;
        if (m_plan.json) {
            QJsonObject object = inspect::toJson(report, m_endpoint);
            if (!whole) object[QStringLiteral("complete")] = false;
            object[QStringLiteral("load")] = QJsonObject{
                {QStringLiteral("commands"), qint64(report.commands)},
                {QStringLiteral("server_ms"), std::chrono::duration<double, std::milli>(report.serverTime).count()}};
            say(QJsonDocument(object).toJson(QJsonDocument::Compact));
        } else {
            for (const LockRow& row : report.locks)
                say(rowText(row));
        }
        for (const inspect::WatchNote& note : report.notes)
            complain(textOf(note));
        if (!report.complete) {
            complain(tr("%1 has more keys than one look goes through: there may be other locks").arg(m_endpoint));
            co_return kUnknown;
        }
        if (!whole) co_return kUnknown;
        if (!m_plan.json && report.locks.empty()) complain(tr("no lock on %1 now").arg(m_endpoint));
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
        tellNotes(report);
        for (const inspect::ServerEvent event : report.events)
            tell(event, report);
        for (const LockChange& change : changesBetween(m_last, report))
            if (m_plan.renewals || change.what != LockChange::What::Renewed) tell(change, report);
        m_last = report;
    }

    /// Each kind once per connection.
    void tellNotes(const LockReport& report) {
        if (report.connections != m_last.connections) m_noted.clear();
        if (!report.complete) return; // counts still grow
        for (const inspect::WatchNote& note : report.notes)
            if (m_noted.insert(note.kind).second) complain(textOf(note));
    }

    void tell(inspect::ServerEvent event, const LockReport& report) {
        if (!m_plan.json) {
            say(timeText(report) + QStringLiteral("  ") + serverEventText(event, report.server));
            return;
        }
        JsonLine line;
        line.add("change", QByteArray("server"))
            .add("event", QByteArray(nameOf(event)))
            .add("endpoint", m_endpoint)
            .add("observed_at", timeText(report));
        if (report.server) line.add("server", toJson(*report.server));
        say(line.toJson());
    }

    void tell(const LockChange& change, const LockReport& report) {
        static constexpr const char* kKinds[] = {"appeared", "changed", "vanished"};
        if (m_plan.json) {
            JsonLine line;
            line.add("change", QByteArray(kKinds[static_cast<std::size_t>(change.kind)]))
                .add("event", QByteArray(nameOf(change.what)))
                .add("endpoint", m_endpoint)
                .add("observed_at", timeText(report))
                .add("lock", inspect::toJson(change.row));
            say(line.toJson());
        } else {
            constexpr int kWordWidth = 15;
            say(timeText(report) + QStringLiteral("  ") + changeWord(change.what).leftJustified(kWordWidth) +
                changeText(change));
        }
    }

    QString m_endpoint;
    WatchPlan m_plan;
    SignalInbox m_signals{SignalInbox::Which::Ends};
    EventLoopRuntime m_runtime;
    std::unique_ptr<inspect::Watcher> m_watcher;
    std::stop_source m_stop;
    LockReport m_last;
    Nanos m_began{};
    std::set<inspect::WatchNote::Kind> m_noted; ///< said since the present connection began
    bool m_troubled = false;
    int m_interruptedBy = 0;
    int m_status = kFine;
};

/// "127.0.0.1:6379": an address, and nothing in it that may be a login.
bool isBareAddress(const QString& text) {
    static const QRegularExpression kAddress(QStringLiteral("^[A-Za-z0-9.-]*[A-Za-z.][A-Za-z0-9.-]*:[0-9]{1,5}$"));
    return kAddress.match(text).hasMatch();
}

} // namespace

int watch(const QStringList& words) {
    const auto arguments = Arguments::parse(words,
                                            {{QStringLiteral("once"), false},
                                             {QStringLiteral("json"), false},
                                             {QStringLiteral("renewals"), false},
                                             {QStringLiteral("match")},
                                             {QStringLiteral("ignore")}},
                                            {QStringLiteral("URL")});
    if (!arguments) return misused("watch", arguments.error());
    const QString place = arguments->place(0);
    const auto url = parseConnectionUrl(place);
    if (!url && isBareAddress(place))
        return misused("watch", tr("“%1” does not say which kind of server it is; write redis://%1").arg(place));
    if (!url) return misused("watch", url.error());
    if (const auto known = inspect::watchable(*url); !known) return misused("watch", known.error());
    WatchPlan plan;
    plan.once = arguments->has("once");
    plan.json = arguments->has("json");
    plan.renewals = arguments->has("renewals");
    plan.names = inspect::nameFilterFrom(arguments->value("match").value_or(url->option("match")),
                                         arguments->value("ignore").value_or(url->option("ignore")));
    return WatchRun(*url, std::move(plan)).run();
}

} // namespace lockscope::cli
