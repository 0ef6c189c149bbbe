// SPDX-License-Identifier: Apache-2.0
#include "session/redacted_live_session.h"

#include "trace/connection.h"

#include <algorithm>

namespace lockscope::session {

using trace::EntityKind;

/// The alerts of one connection without names. Wishes of a person go on to the true ones.
class RedactedLiveSession::Desk final : public AlertDesk {
public:
    Desk(AlertDesk& of, const RedactedLiveSession& session) : AlertDesk(of.connection()), m_of(of), m_session(session) {
        connect(&of, &AlertDesk::changed, this, &Desk::show);
        connect(&of, &AlertDesk::wishesChanged, this, &AlertDesk::wishesChanged);
        connect(&of, &AlertDesk::raised, this, [this](inspect::Alert alert) {
            m_session.retell(alert);
            Q_EMIT raised(alert);
        });
        show();
    }
    bool isOf(const AlertDesk* desk) const { return &m_of == desk; }
    void setRules(std::vector<inspect::AlertRule> rules) override { m_of.setRules(std::move(rules)); }
    void setMutes(std::vector<inspect::AlertMute> mutes) override {
        for (inspect::AlertMute& mute : mutes)
            if (mute.lock) mute.lock = m_session.nameBehind(EntityKind::Lock, *mute.lock);
        m_of.setMutes(std::move(mutes));
    }
    void setPinned(const inspect::AlertRule& rule, const QByteArray& lock, bool pinned) override {
        m_of.setPinned(rule, m_session.nameBehind(EntityKind::Lock, lock), pinned);
    }

private:
    void show() {
        mirror(
            m_of, [this](inspect::Alert& alert) { m_session.retell(alert); },
            [this](const QByteArray& lock) { return m_session.aliasOf(EntityKind::Lock, lock); });
    }
    AlertDesk& m_of;
    const RedactedLiveSession& m_session;
};

RedactedLiveSession::RedactedLiveSession(Session& of) : RedactedSession(of), m_true(*connectionDeskOf(&of)) {
    connect(&m_true, &ConnectionDesk::changed, this, &RedactedLiveSession::copied);
    connect(&m_connections, &ConnectionDesk::addWanted, &m_true, &ConnectionDesk::add);
    connect(&m_connections, &ConnectionDesk::endWanted, &m_true, &ConnectionDesk::end);
    connect(&m_connections, &ConnectionDesk::reconnectWanted, &m_true, &ConnectionDesk::reconnect);
    connect(&m_connections, &ConnectionDesk::changesWanted, &m_true, &ConnectionDesk::allowChanges);
    copied();
}

RedactedLiveSession::~RedactedLiveSession() = default;

void RedactedLiveSession::copied() {
    std::vector<ConnectionFacts> all;
    for (const ConnectionFacts& each : m_true.all())
        if (each.id < trace()->entityCount()) all.push_back(redacted(each));
    m_connections.take(std::move(all));
}

ConnectionFacts RedactedLiveSession::redacted(ConnectionFacts facts) const {
    facts.name = trace()->displayName(facts.id);
    facts.url = QString::fromUtf8(trace::urlOfConnection(*trace(), facts.id));
    if (!facts.servers.isEmpty())
        facts.servers = {tr("%n server(s), names hidden", nullptr, int(facts.servers.size()))};
    const auto how = [level = facts.health.level] {
        switch (level) {
        case Health::Level::Good:
            return tr("connected");
        case Health::Level::Working:
            return tr("connecting");
        case Health::Level::Partial:
            return tr("some servers do not answer");
        case Health::Level::Bad:
            break;
        }
        return tr("not seen");
    };
    facts.health.text = QStringLiteral("%1 · %2").arg(facts.name, how());
    if (!facts.health.brief.isEmpty()) facts.health.brief = facts.health.text;
    return facts;
}

QString RedactedLiveSession::title() const {
    const std::vector<ConnectionFacts>& all = m_connections.all();
    return all.size() == 1 ? all.front().name : tr("%n connection(s)", nullptr, int(all.size()));
}

std::vector<AlertDesk*> RedactedLiveSession::alertDesks() {
    std::vector<AlertDesk*> desks;
    for (AlertDesk* const each : alertDesksOf(&of())) {
        auto known = std::ranges::find_if(m_alerts, [&](const auto& desk) { return desk->isOf(each); });
        if (known == m_alerts.end()) known = m_alerts.insert(known, std::make_unique<Desk>(*each, *this));
        desks.push_back(known->get());
    }
    return desks;
}

} // namespace lockscope::session
