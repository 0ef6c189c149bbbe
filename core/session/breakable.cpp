// SPDX-License-Identifier: Apache-2.0
#include "session/breakable.h"

#include "recipes/recipe_info.h"
#include "scenario/disk_refusal.h"
#include "scenario/failover_refusal.h"
#include "scenario/server_messages.h"
#include "workload/lock_plan.h"

#include <QCoreApplication>

namespace lockscope::session {

using scenario::Action;
using trace::EntityId;
using trace::EntityKind;
using trace::kNoEntity;
using Answer = std::expected<void, QString>;
using Life = trace::ClientState::Life;

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Faults)
};

Answer no(const QString& why) {
    return std::unexpected(why);
}

scenario::TargetKind targetOf(Breakable::Kind kind) {
    switch (kind) {
    case Breakable::Kind::Client:
        return scenario::TargetKind::Client;
    case Breakable::Kind::Server:
        return scenario::TargetKind::Node;
    case Breakable::Kind::Link:
        return scenario::TargetKind::Link;
    case Breakable::Kind::World:
        break;
    }
    return scenario::TargetKind::Nothing;
}

/// A party, a client or a server, by its name.
EntityId partyNamed(const trace::Trace& trace, const QByteArray& name) {
    for (EntityId id = 1; id < trace.entityCount(); ++id) {
        const trace::Entity& e = trace.entity(id);
        if ((e.kind == EntityKind::Client || e.kind == EntityKind::Node) && e.name == name) return id;
    }
    return kNoEntity;
}

QByteArray roleOf(const Breakable::Sight& sight, EntityId server) {
    const auto found = sight.state.nodes.find(server);
    return found == sight.state.nodes.end() ? QByteArray() : sight.trace.entity(found->second.role).name;
}

/// Why a server cannot be demoted that is no master, and what to do instead.
QString noMaster(const Breakable::Sight& sight, EntityId server) {
    const QString words = Words::tr("%1 is not the master.").arg(sight.trace.displayName(server));
    const auto found = sight.state.nodes.find(server);
    const EntityId master = found == sight.state.nodes.end() ? trace::kNoEntity : found->second.follows;
    const auto its = sight.state.nodes.find(master);
    // Until it hears of the next master, a replica follows one that has died.
    if (roleOf(sight, master) != "master" || its->second.life == trace::ClientState::Life::Dead) return words;
    //: After a sentence that a server is not the master: %1 is its master.
    return words + u' ' + Words::tr("Demote %1, and a replica is promoted.").arg(sight.trace.displayName(master));
}

/// The kind of a server, "redis", "sentinel", "memcached"; empty: not known.
QString kindOf(const scenario::Scenario& settings, const QString& server) {
    const auto found = std::ranges::find(settings.nodes, server, &scenario::NodeSpec::id);
    return found == settings.nodes.end() ? QString() : found->kind;
}

bool isOfPool(Action action) {
    return action == Action::ExhaustPool || action == Action::FreePool;
}

/// Whether a client reaches no server at all.
bool isCutOff(const Breakable::Sight& sight, EntityId client) {
    const auto cut = std::ranges::count_if(sight.state.links, [&](const auto& link) {
        const trace::Entity& e = sight.trace.entity(link.first);
        return link.second.cut && (e.parent == client || e.other == client);
    });
    return cut > 0 && std::size_t(cut) >= sight.state.nodes.size();
}

/// Whether some server tells clients news without being asked.
bool anybodySends(const scenario::Scenario& settings) {
    return std::ranges::any_of(settings.nodes, scenario::sendsMessages, &scenario::NodeSpec::kind);
}

/// Whether a recipe in use waits for news of its servers, or some servers tell clients of others; nobody knows of a
/// recipe that is not ours.
bool anybodyListens(const scenario::Scenario& settings) {
    QByteArrayList inUse;
    for (const QByteArray& lock : workload::lockNames(settings))
        inUse += workload::lockPlan(settings, lock).recipe;
    for (int i = 0; settings.manager && i < int(settings.manager->engines.size()); ++i)
        inUse += workload::engineRecipe(settings, i);
    // The naive locks of Redis poll, and so does Redlock, whose servers know nothing of each other.
    const auto listens = [](const QByteArray& recipe) {
        const recipes::RecipeInfo* const info = recipes::findRecipe(recipe);
        return !info || !(info->naive || info->id == "redis-redlock") || info->backend != "redis";
    };
    return std::ranges::any_of(inUse, listens) || std::ranges::find(settings.nodes, QLatin1String("sentinel"),
                                                                    &scenario::NodeSpec::kind) != settings.nodes.end();
}

/// Whether somewhere between clients and servers something sends a request again by itself.
bool anybodyRepeats(const scenario::Scenario& settings) {
    return std::ranges::any_of(settings.nodes, [](const scenario::NodeSpec& node) {
        const scenario::ServiceKind* const kind = scenario::findServiceKind(node.kind);
        return kind && kind->repeats;
    });
}

} // namespace

Breakable Breakable::client(const Sight& sight, EntityId client) {
    return {sight, Kind::Client, client, kNoEntity};
}

Breakable Breakable::server(const Sight& sight, EntityId server) {
    return {sight, Kind::Server, server, kNoEntity};
}

Breakable Breakable::link(const Sight& sight, EntityId first, EntityId second) {
    return {sight, Kind::Link, first, second};
}

Breakable Breakable::world(const Sight& sight) {
    return {sight, Kind::World, kNoEntity, kNoEntity};
}

std::optional<Breakable> Breakable::named(const Sight& sight, Action action, const QString& target) {
    if (scenario::targetKind(action) == scenario::TargetKind::Nothing) return world(sight);
    // Several are struck by one fault; there is no one thing that suffers.
    if (scenario::targetSetsIn(target) || scenario::targetsIn(target).size() > 1) return std::nullopt;
    if (const EntityId one = partyNamed(sight.trace, target.toUtf8()); one != kNoEntity)
        return sight.trace.entity(one).kind == EntityKind::Client ? client(sight, one) : server(sight, one);
    // Names of servers contain hyphens: each of them may be the one between the two.
    for (qsizetype at = target.indexOf(u'-'); at > 0; at = target.indexOf(u'-', at + 1)) {
        const EntityId a = partyNamed(sight.trace, target.left(at).toUtf8()),
                       b = partyNamed(sight.trace, target.mid(at + 1).toUtf8());
        if (a != kNoEntity && b != kNoEntity && a != b) return link(sight, a, b);
    }
    return std::nullopt;
}

QString Breakable::name() const {
    const QString first = m_sight.trace.displayName(m_first);
    return m_kind == Kind::Link ? first + u'-' + m_sight.trace.displayName(m_second) : first;
}

QString Breakable::displayName() const {
    const QString first = m_sight.trace.displayName(m_first);
    return m_kind == Kind::Link ? Words::tr("%1 ↔ %2").arg(first, m_sight.trace.displayName(m_second)) : first;
}

std::span<const Action> Breakable::actions() const {
    static constexpr std::array kClient{
        Action::PauseClient,   Action::KillClient, Action::RestartClient, Action::LoseReply, Action::LosePush,
        Action::RepeatRequest, Action::HangWork,   Action::StopWatchdog,  Action::CutLink,   Action::DelayLink,
        Action::JitterLink,    Action::ResetLink,  Action::JumpClock,     Action::DriftClock};
    static constexpr std::array kServer{
        Action::KillNode,  Action::CrashNode,   Action::PauseNode,  Action::RestartNode, Action::RestartNodeEmpty,
        Action::CutLink,   Action::JumpClock,   Action::DriftClock, Action::DelayLink,   Action::JitterLink,
        Action::ResetLink, Action::EvictKey,    Action::FlushNode,  Action::StallDisk,   Action::ExhaustPool,
        Action::Failover,  Action::SwitchEngine};
    static constexpr std::array kLink{Action::CutLink, Action::DelayLink, Action::JitterLink, Action::ResetLink};
    static constexpr std::array kWorld{Action::HealAll};
    switch (m_kind) {
    case Kind::Client:
        return kClient;
    case Kind::Server:
        return kServer;
    case Kind::Link:
        return kLink;
    case Kind::World:
        break;
    }
    return kWorld;
}

const trace::ClientState& Breakable::clientState() const {
    static const trace::ClientState kUnknown;
    const auto found = m_sight.state.clients.find(m_first);
    return found == m_sight.state.clients.end() ? kUnknown : found->second;
}

const trace::NodeState& Breakable::serverState(EntityId server) const {
    static const trace::NodeState kUnknown;
    const auto found = m_sight.state.nodes.find(server);
    return found == m_sight.state.nodes.end() ? kUnknown : found->second;
}

Life Breakable::life() const {
    return m_kind == Kind::Client ? clientState().life : serverState(m_first).life;
}

const trace::WallClock& Breakable::clock() const {
    if (m_kind == Kind::Client) return clientState();
    return serverState(m_first);
}

bool Breakable::anyLink(bool (*holds)(const trace::LinkState&)) const {
    return std::ranges::any_of(m_sight.state.links, [&](const auto& link) {
        const trace::Entity& e = m_sight.trace.entity(link.first);
        const bool own = m_kind == Kind::Link ? (e.parent == m_first && e.other == m_second) ||
                                                    (e.parent == m_second && e.other == m_first)
                                              : e.parent == m_first || e.other == m_first;
        return own && holds(link.second);
    });
}

bool Breakable::suffers(Action fault) const {
    switch (fault) {
    case Action::PauseClient:
    case Action::PauseNode:
        return life() == Life::Paused;
    case Action::KillClient:
    case Action::KillNode:
    case Action::CrashNode:
        return life() == Life::Dead;
    case Action::StopWatchdog:
        return clientState().watchdogStopped;
    case Action::HangWork:
        return clientState().workHung;
    case Action::JumpClock:
        // Nobody can set right by how much a client's clock has gained: its process counts by it.
        return clock().clockOffset != 0 ||
               (m_kind == Kind::Server && clock().clockGain == 0 && clock().clockDrifted != 0);
    case Action::DriftClock:
        return clock().clockGain != 0;
    case Action::ExhaustPool:
        return m_kind == Kind::Server && poolExhausted();
    case Action::StallDisk:
        return m_kind == Kind::Server && serverState(m_first).diskStalled;
    case Action::CutLink:
        return anyLink([](const trace::LinkState& link) { return link.cut; });
    case Action::DelayLink:
        return anyLink([](const trace::LinkState& link) { return link.extraLatency != 0; });
    default:
        return false;
    }
}

std::optional<scenario::Fault> Breakable::cure(Action fault) const {
    const auto undo = scenario::undoing(fault);
    if (!undo || !suffers(fault)) return std::nullopt;
    scenario::Fault good;
    good.action = *undo;
    good.target = name();
    return good;
}

Answer Breakable::can(Action action) const {
    if (!m_sight.session) return no(Words::tr("Nothing is open."));
    if (Answer allowed = m_sight.session->allows(action, targetOf(m_kind)); !allowed) return allowed;
    switch (m_kind) {
    case Kind::Client:
        return clientCan(action);
    case Kind::Server:
        return serverCan(action);
    case Kind::Link:
        return linkCan(action);
    case Kind::World:
        break;
    }
    return {};
}

Answer Breakable::everCan(const Sight& sight, Kind kind, Action action) {
    if (!sight.session) return {};
    if (Answer allowed = sight.session->allows(action, targetOf(kind)); !allowed) return allowed;
    // A party that is dead, paused or cut off now need not be when the fault strikes.
    trace::State healthy = sight.state;
    healthy.links.clear();
    for (auto& [id, client] : healthy.clients) {
        client = {};
        client.life = Life::Running;
    }
    for (auto& [id, node] : healthy.nodes) {
        node.life = Life::Running;
        node.poolExhausted = node.diskStalled = false;
    }
    const Sight then{sight.session, sight.trace, healthy, sight.settings};
    std::optional<Answer> refusal;
    const auto bears = [&](const Breakable& target) {
        Answer answer = target.can(action);
        const bool can = answer.has_value();
        if (!can && !refusal) refusal = std::move(answer);
        return can;
    };
    for (const auto& [id, client] : healthy.clients) {
        if (kind == Kind::Client && bears(Breakable::client(then, id))) return {};
        // All links of clients can bear what one of them can.
        if (kind == Kind::Link) return {};
    }
    for (const auto& [id, node] : healthy.nodes)
        if (kind == Kind::Server && bears(server(then, id))) return {};
    return refusal.value_or(Answer()); // nobody is there yet to be asked
}

Answer Breakable::clientCan(Action action) const {
    if (m_first == kNoEntity) return no(Words::tr("There is no client yet."));
    // At somebody's server there are strangers and the observer besides our own clients. Only those of our own are seen
    // to start, so only they are in the state.
    if (m_sight.session->abilities().live && !m_sight.state.clients.contains(m_first))
        return no(
            Words::tr("%1 is no client of ours at this instant: only those can be broken here.").arg(displayName()));
    if (action == Action::CutLink && isCutOff(m_sight, m_first)) return no(Words::tr("It is cut off already."));
    if (action == Action::MendLink && !suffers(Action::CutLink)) return no(Words::tr("None of its links is cut."));
    // Links stay as they are while nobody uses them.
    const bool whereDead = action == Action::RestartClient || action == Action::CutLink || action == Action::MendLink ||
                           action == Action::DelayLink || action == Action::JitterLink;
    if (whereDead) return {};
    if (life() == Life::Dead) return no(Words::tr("%1 is dead.").arg(displayName()));
    if (action == Action::PauseClient && life() == Life::Paused) return no(Words::tr("It is paused already."));
    if (action == Action::ResumeClient && life() != Life::Paused) return no(Words::tr("It is not paused."));
    if (action == Action::HangWork && clientState().workHung)
        return no(Words::tr("It hangs already: “Heal everything” lets it go on."));
    if (action == Action::LosePush && !anybodySends(m_sight.settings))
        return no(Words::tr("The servers here send no messages of their own: clients ask."));
    if (action == Action::LosePush && !anybodyListens(m_sight.settings))
        return no(Words::tr("There is no message to lose: waiters poll, and no server tells them anything."));
    if (action == Action::RepeatRequest && !anybodyRepeats(m_sight.settings))
        return no(Words::tr("TCP brings each request once, and only drivers and proxies of Redis send one again."));
    if (action == Action::StopWatchdog) {
        if (watchdogPeriod(m_sight.settings) == Nanos::zero())
            return no(Words::tr("There is no watchdog: see the workload's settings."));
        if (clientState().watchdogStopped) return no(Words::tr("It is stopped already."));
    }
    return {};
}

Answer Breakable::serverCan(Action action) const {
    if (m_first == kNoEntity) return no(Words::tr("There is no server yet."));
    const bool whereDead = action == Action::RestartNode || action == Action::RestartNodeEmpty ||
                           action == Action::CutLink || action == Action::MendLink || action == Action::DelayLink ||
                           action == Action::JitterLink || action == Action::FreeDisk || isOfPool(action);
    // An operator promotes a database's replica, whether its master runs or not.
    const bool promotes = action == Action::Failover && kindOf(m_sight.settings, name()) == QLatin1String("sql");
    if (!whereDead && !promotes && life() == Life::Dead)
        return no(Words::tr("%1 is dead.", "a server").arg(displayName()));
    if (action == Action::PauseNode && life() == Life::Paused) return no(Words::tr("It is paused already."));
    if (action == Action::ResumeNode && life() != Life::Paused) return no(Words::tr("It is not paused."));
    if (action == Action::MendLink && !suffers(Action::CutLink)) return no(Words::tr("None of its links is cut."));
    if (action == Action::Failover) return canFailOver();
    if (action == Action::EvictKey || action == Action::FlushNode) return canDrop();
    if (action == Action::StallDisk || action == Action::FreeDisk) return canStall(action);
    if (isOfPool(action)) return canPool(action);
    if (action == Action::SwitchEngine) {
        if (!m_sight.settings.manager) return no(Words::tr("There is no lock manager that could change its engine."));
        if (m_sight.settings.engineNumber(name()) < 0)
            return no(Words::tr("The lock manager does not have %1 among its engines.").arg(displayName()));
    }
    return {};
}

Answer Breakable::linkCan(Action action) const {
    if (m_first == kNoEntity || m_second == kNoEntity) return no(Words::tr("There is no link yet."));
    const auto isServer = [this](EntityId end) { return m_sight.trace.entity(end).kind == EntityKind::Node; };
    if (action == Action::ResetLink && isServer(m_first) && isServer(m_second))
        return no(Words::tr("Servers connect again at once: only connections of clients can be reset."));
    if (action == Action::CutLink && suffers(Action::CutLink)) return no(Words::tr("It is cut already."));
    if (action == Action::MendLink && !suffers(Action::CutLink)) return no(Words::tr("It is not cut."));
    return {};
}

Answer Breakable::canDrop() const {
    const QString kind = kindOf(m_sight.settings, name());
    const scenario::ServiceKind* const known = scenario::findServiceKind(kind);
    if (!known || !known->dropsKeys)
        return no(Words::tr("%1 keeps its data: only Redis and memcached servers throw keys out.").arg(displayName()));
    if (roleOf(m_sight, m_first) == "replica")
        return no(Words::tr("%1 is a replica: it drops only the data that its master drops.").arg(displayName()));
    if (life() == Life::Paused) return no(Words::tr("It is paused."));
    if (serverState(m_first).diskStalled) return no(Words::tr("Its disk stalls: a command may wait for it."));
    return {};
}

Answer Breakable::keepsItsData() const {
    const QString kind = kindOf(m_sight.settings, name());
    if (kind == QLatin1String("memcached"))
        return no(Words::tr("%1 keeps its data in memory only: it starts without them.").arg(displayName()));
    if (kind != QLatin1String("redis")) return {};
    const auto service = scenario::serviceHaving(m_sight.settings.services, m_sight.settings.nodes, name());
    const QString refusal = scenario::diskRefusal(service, displayName());
    if (refusal.isEmpty()) return {};
    // A server that was ever a replica has the last full copy that it got. The first master never got one.
    using Shape = scenario::ServiceSpec::Shape;
    const bool copies = service.shape == Shape::Sentinel || service.shape == Shape::Cluster;
    return copies && serverState(m_first).wasReplica ? Answer{} : no(refusal);
}

bool Breakable::poolExhausted() const {
    // The pool is the service's: each of its servers suffers.
    const auto service = m_sight.settings.serviceNamed(name());
    return service && std::ranges::any_of(m_sight.state.nodes, [&](const auto& node) {
               return node.second.poolExhausted &&
                      m_sight.settings.serviceNamed(m_sight.trace.displayName(node.first)) == service;
           });
}

Answer Breakable::canStall(Action action) const {
    const QString refusal = scenario::diskRefusal(m_sight.settings.services, m_sight.settings.nodes, name());
    if (!refusal.isEmpty()) return no(refusal);
    const bool stalls = serverState(m_first).diskStalled;
    if (action == Action::StallDisk && stalls) return no(Words::tr("Its disk stalls already."));
    if (action == Action::FreeDisk && !stalls) return no(Words::tr("Its disk does not stall."));
    return {};
}

Answer Breakable::canPool(Action action) const {
    if (kindOf(m_sight.settings, name()) != QLatin1String("sql"))
        return no(Words::tr("%1 is no database: its clients have no pool of connections.").arg(displayName()));
    if (scenario::serviceHaving(m_sight.settings.services, m_sight.settings.nodes, name()).pool <= 0)
        return no(Words::tr("The clients of %1 share no pool: each has connections of its own.").arg(displayName()));
    const bool exhausted = poolExhausted();
    if (action == Action::ExhaustPool && exhausted) return no(Words::tr("Its pool is exhausted already."));
    if (action == Action::FreePool && !exhausted) return no(Words::tr("Its pool is not exhausted."));
    return {};
}

Answer Breakable::canFailOver() const {
    scenario::ServiceSpec service = scenario::serviceHaving(m_sight.settings.services, m_sight.settings.nodes, name());
    bool runs = false;
    service.sentinels = 0; // the trace knows those that were found on the way, too
    for (const auto& [id, state] : m_sight.state.nodes) {
        if (roleOf(m_sight, id) != "sentinel") continue;
        ++service.sentinels;
        runs = runs || state.life == Life::Running;
    }
    if (service.kind == QLatin1String("etcd") && roleOf(m_sight, m_first) != "leader")
        return no(Words::tr("%1 is not the leader.").arg(displayName()));
    const QString refusal = scenario::failoverRefusal(service, displayName());
    if (!refusal.isEmpty()) return no(refusal);
    if (service.kind == QLatin1String("sql")) {
        if (roleOf(m_sight, m_first) != "master") return no(noMaster(m_sight, m_first));
        const bool other = std::ranges::any_of(m_sight.state.nodes, [this](const auto& node) {
            return roleOf(m_sight, node.first) == "replica" && node.second.life == Life::Running;
        });
        return other ? Answer() : no(Words::tr("No replica runs that could replace %1.").arg(displayName()));
    }
    if (service.sentinels == 0) return {};
    if (!runs) return no(Words::tr("No Sentinel runs."));
    return roleOf(m_sight, m_first) == "master" ? Answer() : no(noMaster(m_sight, m_first));
}

std::expected<std::optional<scenario::Fault>, QString> Breakable::strike(Action action, Nanos value, Nanos at,
                                                                         const QString& text) const {
    if (const Answer possible = can(action); !possible) return std::unexpected(possible.error());
    scenario::Fault fault;
    fault.action = action;
    fault.target = name();
    fault.value = value;
    fault.text = text;
    fault.at = at;
    fault.byHand = true;
    std::optional<scenario::Fault> undo;
    if (const auto end = scenario::undoing(action)) {
        undo = scenario::Fault{};
        undo->action = *end;
        undo->target = fault.target;
    }
    m_sight.session->apply(std::move(fault), at);
    return undo;
}

Nanos watchdogPeriod(const scenario::Scenario& settings) {
    const recipes::RecipeInfo* const info = recipes::findRecipe(settings.recipe.toUtf8());
    return info && !info->watchdog ? Nanos::zero() : settings.lock.watchdog;
}

} // namespace lockscope::session
