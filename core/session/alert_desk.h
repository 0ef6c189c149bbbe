// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/alert_watch.h"
#include "session/session.h"

#include <QObject>
#include <functional>

namespace lockscope::session {

/// The alerts of one connection of a session that watches servers, as the window shows them, and what a person wants to
/// hear of. Lives on the GUI thread; the session's own thread applies the rules, and hands its results over by take().
class AlertDesk : public QObject {
    Q_OBJECT
public:
    /// `connection`: see trace/connection.h; kNoEntity: the session watches one server only.
    explicit AlertDesk(trace::EntityId connection = trace::kNoEntity, QObject* parent = nullptr)
        : QObject(parent), m_connection(connection) {}

    /// See trace/connection.h; kNoEntity: the only server.
    trace::EntityId connection() const { return m_connection; }
    /// Whether its alerts speak of this lock or server.
    bool covers(const trace::Trace& trace, trace::EntityId lockOrNode) const;
    /// The lock that its alerts call by this name; kNoEntity: none yet. `locks`: all of the trace.
    trace::EntityId lockCalled(const QByteArray& name, const trace::Trace& trace,
                               const std::vector<trace::EntityId>& locks) const;

    struct Entry {
        inspect::Alert alert;      ///< its `since` is an instant of the session's trace
        std::optional<Nanos> over; ///< pinned, and over since then
        bool pinned = false;
    };
    /// The time for which an alert stood, for a time axis.
    struct Span {
        inspect::AlertRule rule;
        QByteArray lock;          ///< empty: of the server
        QString sentence, advice; ///< as they were when it began
        Nanos from{};
        std::optional<Nanos> to; ///< missing: it still stands
        bool muted = false;      ///< somebody does not want to see it now
        bool standsAt(Nanos t) const { return from <= t && (!to || t < *to); }
    };
    /// At most so many are kept of each: a server with a hundred thousand locks may have as many alerts. A history has
    /// all its spans.
    static constexpr std::size_t kMostEntries = 200, kMostSpans = 2000;

    /// Pinned ones first, then the most severe, of these the oldest.
    const std::vector<Entry>& entries() const { return m_entries; }
    /// How many more there are than entries() has; how many of them a mute covers.
    std::size_t more() const { return m_more; }
    std::size_t muted() const { return m_muted; }
    /// In the order in which they were told: a deadlock may have begun before alerts that stand before it here, and
    /// before the trace.
    const std::vector<Span>& spans() const { return m_spans; }
    /// The worst alert of each lock at an instant, without the muted ones.
    std::map<QByteArray, const Span*> worstAt(Nanos t) const;

    const std::vector<inspect::AlertRule>& rules() const { return m_rules; }
    virtual void setRules(std::vector<inspect::AlertRule> rules);
    const std::vector<inspect::AlertMute>& mutes() const { return m_mutes; }
    virtual void setMutes(std::vector<inspect::AlertMute> mutes);
    /// A pinned alert stays in sight, even when it is over.
    virtual void setPinned(const inspect::AlertRule& rule, const QByteArray& lock, bool pinned);

    /// How long the connection's locks are usually held, as far as it was learned before.
    const inspect::UsualTimes& usual() const { return m_usual; }
    void setUsual(inspect::UsualTimes byLock);

    /// When the last news came, as an instant of the session's trace.
    Nanos now() const { return m_now; }

    /// News from the session's thread: what began and ended, and what stands.
    void take(const std::vector<inspect::Alert>& changes, inspect::AlertBoard board, Nanos now, std::int64_t wallMs);

    /// All alerts of a trace that does not grow any more, instead of news; entries() has those that stand at the
    /// instant of lookAt().
    void tellHistory(std::vector<Span> spans);
    /// The playhead has come to `t`: of a history, what stood then is shown. Other desks show what stands now.
    virtual void lookAt(Nanos t);

    /// Shows what another desk shows, its alerts and mutes told anew. `retell` gives an alert another lock name and
    /// other texts, `rename` gives the lock of a mute another name.
    void mirror(const AlertDesk& other, const std::function<void(inspect::Alert& alert)>& retell,
                const std::function<QByteArray(const QByteArray& lock)>& rename);

Q_SIGNALS:
    /// entries(), more(), muted() or spans() differ.
    void changed();
    /// rules() or mutes() differ: to be kept, and to be applied.
    void wishesChanged();
    /// usual() differs: to be applied.
    void usualChanged();
    /// An alert began that no mute covers.
    void raised(const lockscope::inspect::Alert& alert);

private:
    trace::EntityId m_connection;
    bool isMuted(inspect::AlertRule::Kind kind, const QByteArray& lock) const;
    void arrange();
    std::vector<inspect::AlertRule> m_rules = inspect::usualAlertRules();
    std::vector<inspect::AlertMute> m_mutes;
    inspect::UsualTimes m_usual;
    void showHistory();
    std::vector<inspect::Alert> m_standing;
    std::vector<Entry> m_entries, m_pinned;
    std::vector<Span> m_spans;
    std::size_t m_more = 0, m_muted = 0;
    bool m_isHistory = false;
    std::vector<std::size_t> m_standingSpans; ///< of a history: among m_spans
    Nanos m_now{};                            ///< of the last news, on the trace's clock
    std::int64_t m_wallMs = 0;                ///< on the wall clock
};

/// A session with alerts. An interface of its own, since few sessions have any.
class AlertSource {
public:
    virtual ~AlertSource() = default;
    /// One for each connection that there has been; each lives as long as the session. More of them may come: see
    /// ConnectionDesk::arranged().
    virtual std::vector<AlertDesk*> alertDesks() = 0;
};

/// The desks of a session; none where there is no session, or none with alerts.
std::vector<AlertDesk*> alertDesksOf(Session* session);

} // namespace lockscope::session

Q_DECLARE_INTERFACE(lockscope::session::AlertSource, "lockscope.session.AlertSource/2")
