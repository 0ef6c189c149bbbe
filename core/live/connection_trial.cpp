// SPDX-License-Identifier: Apache-2.0
#include "live/connection_trial.h"

#include "drivers/dial.h"
#include "drivers/other_service.h"
#include "inspect/make_watcher.h"
#include "runtime/event_loop_runtime.h"

#include <QCoreApplication>

namespace lockscope::live {

namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(ConnectionTrial)
};

/// A big server is looked through for so long; what was not seen by then does not change the answer.
constexpr Nanos kLongestLook = 3s;

/// etcd and memcached check a login only if they are set up to; a server without logins takes any, and says nothing.
bool mayIgnoreLogins(Service service) {
    return service == Service::Etcd || service == Service::Memcached;
}

QString joined(const QString& first, const QString& second) {
    //: A sentence after a sentence, as the language spaces them.
    return Text::tr("%1 %2", "a sentence after a sentence").arg(first, second);
}

QString connectedText(const inspect::LockReport& report, const QString& where) {
    using Role = inspect::ServerIdentity::Role;
    QString text = Text::tr("Connected to %1.").arg(where);
    if (report.server && !report.server->version.isEmpty())
        text = Text::tr("Connected to %1, version %2.").arg(where, QString::fromUtf8(report.server->version));
    if (report.server && report.server->role == Role::Replica) text = joined(text, Text::tr("It is a replica."));
    const int locks = int(report.locks.size());
    return joined(text, report.complete ? Text::tr("%n lock(s) seen.", nullptr, locks)
                                        : Text::tr("%n lock(s) seen so far; this test did not go through everything.",
                                                   nullptr, locks));
}

} // namespace

class ConnectionTrial::Work {
public:
    using Told = std::function<void(Outcome, QString)>;
    Work(const ConnectionUrl& url, Told told) : m_url(url), m_told(std::move(told)) {
        m_watcher = *inspect::makeWatcher(m_runtime, url, realDiallers(), inspect::watchOptionsOf(url));
        m_runtime.spawn([this] { return run(); });
    }
    ~Work() { m_runtime.kill(); } // before its watcher goes

private:
    QCoro::Task<> run() {
        const auto opened = co_await m_watcher->open();
        if (!opened) {
            const QString other = co_await otherServiceAt(m_runtime, m_url);
            tell(Outcome::Failed, other.isEmpty() ? opened.error().message : joined(opened.error().message, other));
            co_return;
        }
        const bool mayBeIgnored = mayIgnoreLogins(m_url.service) && !m_url.user.isEmpty();
        if (mayBeIgnored) m_loginIgnored = co_await servesEverybody();
        m_runtime.callAt(m_runtime.monotonic() + kLongestLook, [this] { judge(); });
        co_await m_watcher->watch([this](const inspect::LockReport& report) {
            m_last = report;
            // Rights show with the search, and not before it has gone through.
            if (report.trouble || report.complete) judge();
        });
    }

    /// Whether the server lets clients without a login in, too.
    QCoro::Task<bool> servesEverybody() {
        ConnectionUrl nobody = m_url;
        nobody.user.clear();
        nobody.password.clear();
        m_stranger = *inspect::makeWatcher(m_runtime, nobody, realDiallers(), inspect::watchOptionsOf(nobody));
        const auto opened = co_await m_stranger->open();
        m_stranger.reset();
        co_return opened.has_value();
    }

    QString connected() const {
        const QString text = connectedText(*m_last, m_watcher->where());
        if (!m_loginIgnored) return text;
        return joined(text, Text::tr("This server serves everybody: the login in the address is not used."));
    }

    void judge() {
        if (!m_last) {
            tell(Outcome::Failed,
                 Text::tr("%1 lets clients in, but told nothing of its content in time. Is it busy, or "
                          "loading its data?")
                     .arg(m_watcher->where()));
        } else if (m_last->trouble) {
            tell(Outcome::Failed, m_last->trouble->message);
        } else if (!m_last->notes.empty()) {
            constexpr std::size_t kMost = 3;
            QStringList text{connected()};
            for (std::size_t i = 0; i < std::min(kMost, m_last->notes.size()); ++i)
                text << textOf(m_last->notes[i]);
            tell(Outcome::Partly, text.join(QLatin1Char('\n')));
        } else {
            tell(Outcome::Fine, connected());
        }
    }

    void tell(Outcome outcome, const QString& sentence) {
        if (const Told told = std::exchange(m_told, {})) told(outcome, sentence);
    }

    EventLoopRuntime m_runtime;
    const ConnectionUrl m_url;
    std::unique_ptr<inspect::Watcher> m_watcher;
    std::unique_ptr<inspect::Watcher> m_stranger; ///< without the login, while it is being found out who is let in
    bool m_loginIgnored = false;
    std::optional<inspect::LockReport> m_last;
    Told m_told;
};

ConnectionTrial::ConnectionTrial(ConnectionUrl url, Done done) : m_done(std::move(done)) {
    m_thread.put([this, url = std::move(url)] {
        m_work = std::make_unique<Work>(url, [this](Outcome outcome, const QString& sentence) {
            m_inbox.put([this, outcome, sentence] { m_done(outcome, sentence); });
        });
    });
}

ConnectionTrial::~ConnectionTrial() {
    m_thread.put([this] { m_work.reset(); });
}

} // namespace lockscope::live
