// SPDX-License-Identifier: GPL-3.0-or-later
#include "connections/connections_model.h"

#include "models/alert_words.h"
#include "models/connection_words.h"
#include "recipes/backend_name.h"
#include "session/alert_desk.h"
#include "theme/format.h"
#include "trace/connection.h"

namespace lockscope::views {

using session::ConnectionFacts;

namespace {
constexpr double kWholeFrom = 9.95; ///< commands a second
constexpr Nanos kNews = 1h;         ///< so long a failover or an outage is worth a word
constexpr int kFollowMs = 250;      ///< counting the locks of a recording takes a while where there are many
} // namespace

ConnectionsModel::ConnectionsModel(ViewContext* context, QObject* parent)
    : QAbstractListModel(parent), m_context(context) {
    m_pace.setSingleShot(true);
    m_pace.setInterval(kFollowMs);
    connect(&m_pace, &QTimer::timeout, this, &ConnectionsModel::refresh);
    connect(context, &ViewContext::sessionChanged, this, &ConnectionsModel::attach);
    const auto follow = [this] {
        if (!m_desk && m_context->trace()->ofRealServers() && !m_pace.isActive()) m_pace.start();
    };
    connect(context, &ViewContext::playheadChanged, this, follow);
    connect(context, &ViewContext::traceGrew, this, follow);
    attach();
}

void ConnectionsModel::attach() {
    session::ConnectionDesk* const desk = session::connectionDeskOf(m_context->session());
    if (desk != m_desk) {
        if (m_desk) m_desk->disconnect(this);
        m_desk = desk;
        if (desk) connect(desk, &session::ConnectionDesk::changed, this, &ConnectionsModel::refresh);
    }
    for (session::AlertDesk* const alerts : session::alertDesksOf(m_context->session())) {
        if (m_desk) break; // its news come often enough
        connect(alerts, &session::AlertDesk::changed, &m_pace, qOverload<>(&QTimer::start), Qt::UniqueConnection);
    }
    refresh();
}

void ConnectionsModel::refresh() {
    std::vector<ConnectionFacts> now = m_desk ? m_desk->all() : recorded();
    if (std::ranges::equal(now, m_rows, {}, &ConnectionFacts::id, &ConnectionFacts::id)) {
        m_rows = std::move(now);
        if (!m_rows.empty()) Q_EMIT dataChanged(index(0), index(rowCount() - 1));
    } else {
        beginResetModel();
        m_rows = std::move(now);
        endResetModel();
    }
    Q_EMIT refreshed();
}

std::vector<ConnectionFacts> ConnectionsModel::recorded() const {
    const auto trace = m_context->trace();
    std::vector<ConnectionFacts> all;
    if (!trace->ofRealServers()) return all;
    std::map<trace::EntityId, bool> observed; ///< by connection with a lock in use: whether one of these was seen then
    for (const trace::EntityId id : connectionsOf(*m_context)) {
        ConnectionFacts& one = all.emplace_back();
        one.id = id;
        one.name = trace->displayName(id);
        one.url = QString::fromUtf8(trace::urlOfConnection(*trace, id));
        one.kind = recipes::backendName(one.url);
        one.lookedAt = m_context->playhead();
    }
    for (const auto& [lock, record] : m_context->state().records) {
        const bool held = record.owner != trace::kNoEntity && !record.noLongerShown;
        const bool waited = record.waiters > 0 || !record.queue.empty();
        if (record.copyOf != trace::kNoEntity || (!held && !waited)) continue;
        const auto its = std::ranges::find(all, trace::connectionOf(*trace, lock), &ConnectionFacts::id);
        if (its == all.end()) continue;
        ++its->locks;
        its->held += held;
        bool& seen = observed[its->id];
        seen = seen || record.observed;
    }
    for (ConnectionFacts& one : all) {
        const auto its = observed.find(one.id);
        const bool blind = its != observed.end() && !its->second;
        one.health = blind ? session::Health{session::Health::Level::Bad, tr("not observed at this time"), {}}
                           : session::Health{session::Health::Level::Good, tr("as recorded"), {}};
    }
    return all;
}

const ConnectionFacts* ConnectionsModel::facts(int row) const {
    return row >= 0 && row < rowCount() ? &m_rows[std::size_t(row)] : nullptr;
}

int ConnectionsModel::rowOf(trace::EntityId connection) const {
    const auto found = std::ranges::find(m_rows, connection, &ConnectionFacts::id);
    return found == m_rows.end() ? -1 : int(found - m_rows.begin());
}

std::vector<AlertCause> ConnectionsModel::causesOf(trace::EntityId connection) const {
    for (const session::AlertDesk* const desk : session::alertDesksOf(m_context->session())) {
        if (desk->connection() != connection) continue;
        std::vector<inspect::Alert> standing;
        for (const session::AlertDesk::Entry& entry : desk->entries())
            if (!entry.over) standing.push_back(entry.alert);
        return alertCauses(standing);
    }
    return {};
}

int ConnectionsModel::alertsOf(trace::EntityId connection) const {
    std::size_t more = 0;
    for (const session::AlertDesk* const desk : session::alertDesksOf(m_context->session()))
        if (desk->connection() == connection) more = desk->more();
    return int(causesOf(connection).size() + more);
}

QStringList ConnectionsModel::alertWords(trace::EntityId connection) const {
    const std::vector<AlertCause> causes = causesOf(connection);
    if (causes.empty()) return {};
    const int all = alertsOf(connection);
    const QString worst = alertWord(causes.front().first.rule.kind);
    const QString number = tr("%n alert(s)", nullptr, all);
    //: On a connection's card: %1 its worst alert, such as "deadlock", %2 how many others there are.
    return {all == 1 ? worst : tr("%1 + %2").arg(worst).arg(all - 1), number};
}

QString ConnectionsModel::alertNames(trace::EntityId connection) const {
    constexpr std::size_t kMost = 6;
    const int all = alertsOf(connection);
    QStringList names;
    for (const AlertCause& cause : causesOf(connection))
        if (std::size_t(names.size()) < kMost) names << causeName(cause);
    if (all > int(names.size())) names << QString(QChar(0x2026));
    return names.join(QStringLiteral("; "));
}

int ConnectionsModel::lockCount() const {
    int count = 0;
    for (const ConnectionFacts& one : m_rows)
        count += one.open ? one.locks : 0;
    return count;
}

int ConnectionsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(m_rows.size());
}

QString ConnectionsModel::costText(const ConnectionFacts& facts) const {
    if (!m_desk) return facts.url == facts.name ? QString() : facts.url; // a script names none
    //: What watching costs a server: commands a second, and the share of its time.
    return tr("%1 commands/s · takes %2 %")
        .arg(facts.commandsPerSecond < kWholeFrom ? QString::number(facts.commandsPerSecond, 'f', 1)
                                                  : countShort(std::round(facts.commandsPerSecond)))
        .arg(facts.share * 100, 0, 'f', facts.share < 0.1 ? 1 : 0);
}

QString ConnectionsModel::lockText(const ConnectionFacts& facts) {
    if (facts.lookedAt < Nanos(0)) return tr("not looked at yet");
    //: %1 how many of them are held.
    const QString text = tr("%n lock(s) · %1 held", nullptr, facts.locks).arg(count(facts.held));
    //: %1 is a number of locks, and how many of them are held; the connection is not observed now.
    return facts.health.level == session::Health::Level::Bad ? tr("last seen: %1").arg(text) : text;
}

QString ConnectionsModel::healthText(const ConnectionFacts& facts) const {
    // "127.0.0.1:6379 · connected": the address stands in its own line.
    QString text = facts.health.text.section(QStringLiteral(" · "), 1);
    if (text.isEmpty() || facts.health.level == session::Health::Level::Bad) text = facts.health.text;
    if (!m_desk || !facts.open || facts.lookedAt < Nanos(0)) return text;
    const Nanos now = m_context->trace()->reached();
    if (facts.health.level != session::Health::Level::Bad) {
        const auto isNews = [now](Nanos at) { return at >= Nanos(0) && now - at < kNews; };
        QStringList parts{text};
        if (isNews(facts.failedOverAt)) parts << tr("failover %1 ago").arg(duration(now - facts.failedOverAt));
        //: %1 is a length of time: a server answers again for so long.
        if (isNews(facts.backAt)) parts << tr("back for %1").arg(duration(now - facts.backAt));
        if (!facts.topology.isEmpty()) parts << facts.topology;
        text = parts.join(QStringLiteral(" · "));
    }
    const Nanos age = now - facts.lookedAt;
    //: %1 is the health of a connection, %2 a time: its locks were looked at so long ago.
    return age > session::oldAfter(facts) ? tr("%1 · seen %2 ago").arg(text, duration(age)) : text;
}

QVariant ConnectionsModel::data(const QModelIndex& index, int role) const {
    const ConnectionFacts* const its = facts(index.row());
    if (!index.isValid() || !its) return {};
    switch (role) {
    case Qt::DisplayRole:
        return its->name;
    case Qt::ToolTipRole:
    case Qt::AccessibleTextRole: {
        const QString access = its->changesAllowed ? tr("changes allowed") : tr("read-only");
        QStringList now = m_desk ? QStringList{costText(*its), access} : QStringList();
        if (const QString alerts = alertNames(its->id); !alerts.isEmpty()) now.prepend(alerts);
        return (QStringList{its->name, its->url, its->kind, healthText(*its), lockText(*its)} + now +
                inspect::textsOf(its->servers))
            .join(role == Qt::ToolTipRole ? QStringLiteral("\n") : QStringLiteral(", "));
    }
    case EntityRole:
        return its->id;
    case AlertsRole:
        return alertsOf(its->id);
    default:
        return {};
    }
}

} // namespace lockscope::views
