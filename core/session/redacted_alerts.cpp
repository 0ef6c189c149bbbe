// SPDX-License-Identifier: Apache-2.0
#include "session/redacted_alerts.h"

#include "session/redacted_session.h"

#include <algorithm>

namespace lockscope::session {

using trace::EntityKind;

/// The alerts of one connection without names.
class RedactedAlerts::Desk final : public AlertDesk {
public:
    Desk(AlertDesk& of, const RedactedSession& session) : AlertDesk(of.connection()), m_of(of), m_session(session) {
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
    void lookAt(Nanos t) override {
        m_of.lookAt(t);
        if (m_of.now() != now()) show();
    }

private:
    void show() {
        mirror(
            m_of, [this](inspect::Alert& alert) { m_session.retell(alert); },
            [this](const QByteArray& lock) { return m_session.aliasOf(EntityKind::Lock, lock); });
    }
    AlertDesk& m_of;
    const RedactedSession& m_session;
};

RedactedAlerts::RedactedAlerts(RedactedSession& session, Session& of) : m_session(session), m_of(of) {
}

RedactedAlerts::~RedactedAlerts() = default;

std::vector<AlertDesk*> RedactedAlerts::desks() {
    std::vector<AlertDesk*> desks;
    for (AlertDesk* const each : alertDesksOf(&m_of)) {
        if (each->connection() >= m_session.trace()->entityCount()) continue;
        auto known = std::ranges::find_if(m_desks, [&](const auto& desk) { return desk->isOf(each); });
        if (known == m_desks.end()) known = m_desks.insert(known, std::make_unique<Desk>(*each, m_session));
        desks.push_back(known->get());
    }
    return desks;
}

} // namespace lockscope::session
