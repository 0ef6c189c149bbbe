// SPDX-License-Identifier: Apache-2.0
#include "session/connection_desk.h"

#include "inspect/look_age.h"
#include "trace/connection.h"

#include <algorithm>

namespace lockscope::session {

Nanos oldAfter(const ConnectionFacts& connection) {
    return inspect::oldAfter(connection.period);
}

const ConnectionFacts* ConnectionDesk::find(trace::EntityId id) const {
    const auto found = std::ranges::find(m_all, id, &ConnectionFacts::id);
    return found == m_all.end() ? nullptr : &*found;
}

int ConnectionDesk::openCount() const {
    return int(std::ranges::count(m_all, true, &ConnectionFacts::open));
}

void ConnectionDesk::take(std::vector<ConnectionFacts> all) {
    if (all == m_all) return;
    const bool same = std::ranges::equal(all, m_all, [](const ConnectionFacts& a, const ConnectionFacts& b) {
        return a.id == b.id && a.open == b.open && a.changesAllowed == b.changesAllowed;
    });
    m_all = std::move(all);
    Q_EMIT changed();
    if (!same) Q_EMIT arranged();
}

void ConnectionDesk::setClientRules(std::vector<inspect::ClientRule> rules) {
    if (rules == m_rules) return;
    m_rules = std::move(rules);
    Q_EMIT clientRulesWanted();
}

ConnectionDesk* connectionDeskOf(Session* session) {
    // By the interface's name: a live session comes from a library with a copy of this code.
    auto* const source = qobject_cast<ConnectionSource*>(session);
    return source ? source->connectionDesk() : nullptr;
}

bool mayForce(Session* session, trace::EntityId lock) {
    if (!session || !session->abilities().forceRelease) return false;
    const ConnectionDesk* const desk = connectionDeskOf(session);
    if (!desk) return true;
    const ConnectionFacts* const its = desk->find(trace::connectionOf(*session->trace(), lock));
    return its && its->open && its->changesAllowed;
}

Health healthOf(const std::vector<ConnectionFacts>& connections) {
    std::vector<const ConnectionFacts*> open;
    for (const ConnectionFacts& one : connections)
        if (one.open) open.push_back(&one);
    if (open.empty()) return {Health::Level::Bad, Session::tr("No connection is open. Add one to see locks."), {}};
    if (open.size() == 1) return open.front()->health;
    const auto worst = *std::ranges::max_element(
        open, {}, [](const ConnectionFacts* one) { return static_cast<int>(one->health.level); });
    const auto good = std::ranges::count_if(
        open, [](const ConnectionFacts* one) { return one->health.level == Health::Level::Good; });
    const auto partial = std::ranges::count_if(
        open, [](const ConnectionFacts* one) { return one->health.level == Health::Level::Partial; });
    const int all = int(open.size());
    if (good == all) return {Health::Level::Good, Session::tr("%n connection(s), all up", nullptr, all), {}};
    //: %1 how many connections are up, %n how many there are.
    const QString counted = Session::tr("%1 of %n connection(s) up", nullptr, all).arg(good + partial);
    Health health{worst->health.level, {}, {}};
    //: %1 is "3 of 4 connections up", %2 the name of a connection, %3 how it stands with it.
    QString how = worst->health.text;
    const QString named = worst->name + QStringLiteral(" · ");
    if (how.startsWith(named)) how.remove(0, named.size()); // it is named already
    health.text = Session::tr("%1 · %2: %3").arg(counted, worst->name, how);
    if (health.level == Health::Level::Bad)
        health.brief = Session::tr("%1 · %2: %3").arg(counted, worst->name, Session::tr("not seen"));
    return health;
}

} // namespace lockscope::session
