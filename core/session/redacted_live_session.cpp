// SPDX-License-Identifier: Apache-2.0
#include "session/redacted_live_session.h"

#include "trace/connection.h"

namespace lockscope::session {

RedactedLiveSession::RedactedLiveSession(Session& of)
    : RedactedSession(of), m_true(*connectionDeskOf(&of)), m_alerts(*this, of) {
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
    if (!facts.servers.empty())
        facts.servers = {{.address = tr("%n server(s), names hidden", nullptr, int(facts.servers.size()))}};
    facts.topology.clear(); // it may name a server
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
    return m_alerts.desks();
}

} // namespace lockscope::session
