// SPDX-License-Identifier: Apache-2.0
#include "experiment/replay_faults.h"

#include "experiment/replay_lock.h"
#include "scenario/fault_check.h"
#include "scenario/settings.h"
#include "trace/connection.h"
#include "trace/cut_ways.h"
#include "trace/death.h"
#include "trace/duration.h"

#include <QCoreApplication>
#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace lockscope::experiment {

namespace {

using scenario::Action;
using scenario::Fault;
using trace::EntityId;
using trace::EntityKind;
using trace::Event;
using trace::EventKind;
using trace::kNoEntity;

constexpr Nanos kGrain = 1ms;
constexpr Nanos kShortestOutage = 100ms; ///< of a server that was seen to be another process than before
constexpr Nanos kSeenSoon = 2s;          ///< after a connection is there again, a new process shows

struct Text {
    Q_DECLARE_TR_FUNCTIONS(Replay)
};

class Reader {
public:
    Reader(const trace::Trace& trace, const scenario::Scenario& scenario, const std::vector<ReplayClient>& clients,
           Nanos from)
        : m_trace(trace), m_clients(clients), m_trial(scenario), m_from(from) {}

    void take(const Event& event) {
        const bool fault = event.flags & trace::kFault;
        switch (event.kind) {
        case EventKind::ClientPaused:
            return onClient(Action::PauseClient, event);
        case EventKind::ClientResumed:
            return onClient(Action::ResumeClient, event);
        case EventKind::ClientKilled:
            return onClient(Action::KillClient, event);
        case EventKind::WatchdogStopped:
            return onClient(Action::StopWatchdog, event);
        case EventKind::WorkHung:
            return onClient(Action::HangWork, event);
        case EventKind::NodePaused:
            return onNode(Action::PauseNode, event);
        case EventKind::NodeResumed:
            return onNode(Action::ResumeNode, event);
        case EventKind::NodeKilled:
            return !fault                  ? restarted(event)
                   : trace::isCrash(event) ? onNode(Action::CrashNode, event)
                                           : onNode(Action::KillNode, event);
        case EventKind::NodeStarted:
            if (fault) onNode(Action::RestartNode, event);
            return;
        case EventKind::LinkCut:
            return onCut(event);
        case EventKind::LinkMended:
            m_cut.erase(event.subject);
            return onLink(Action::MendLink, event);
        case EventKind::LinkDelayed:
            return onLink(Action::DelayLink, event);
        case EventKind::ReplyLossArmed:
            return onClientOfLink(Action::LoseReply, event);
        case EventKind::PushLossArmed:
            return onClientOfLink(Action::LosePush, event);
        case EventKind::RepeatArmed:
            return onClientOfLink(Action::RepeatRequest, event);
        case EventKind::ClockJumped:
            return isClient(event.actor) ? onClient(Action::JumpClock, event) : onNode(Action::JumpClock, event);
        case EventKind::Healed:
            m_cut.clear();
            return add(Action::HealAll, {}, event);
        case EventKind::SettingChanged:
            return setting(event);
        case EventKind::ConnectionLost:
            m_lostAt[event.subject] = event.time();
            return;
        case EventKind::ConnectionRestored:
            m_backAt[event.subject] = event.time();
            return;
        default:
            return;
        }
    }

    ReplayFaults result() {
        if (m_leftOut > 0)
            m_result.notes +=
                Text::tr("%n fault(s) of the recording cannot be repeated here, and are left out.", nullptr, m_leftOut);
        return std::move(m_result);
    }

private:
    bool isClient(EntityId id) const { return m_trace.entity(id).kind == EntityKind::Client; }

    /// The names of a client's threads that lived at that instant.
    QStringList namesOf(EntityId client, Nanos at) const {
        QStringList names;
        std::set<EntityId> found;
        for (const ReplayClient& each : m_clients)
            if (m_trace.clientOf(each.thread) == client && each.death >= at && found.insert(each.thread).second)
                names += each.name;
        return names;
    }

    /// The server that stands for one of the trace: of its name, or else the next one of its kind. Empty: none is left.
    QString nodeOf(EntityId node) {
        if (const auto known = m_nodes.find(node); known != m_nodes.end()) return known->second;
        const QString name = QString::fromUtf8(m_trace.entity(node).name);
        const bool own = std::ranges::find(m_trial.nodes, name, &scenario::NodeSpec::id) != m_trial.nodes.end();
        QString& stands = m_nodes[node];
        if (own) return stands = name;
        const QByteArray kind = kindOfService(trace::urlOfConnection(m_trace, trace::connectionOf(m_trace, node)));
        for (const scenario::NodeSpec& spec : m_trial.nodes) {
            const bool sameKind = spec.kind.toUtf8() == kind;
            const bool taken = std::ranges::any_of(m_nodes, [&](const auto& entry) { return entry.second == spec.id; });
            if (sameKind && !taken) return stands = spec.id;
        }
        return stands;
    }

    void add(Action action, const QString& target, const Event& event, std::optional<Nanos> at = {}) {
        Fault fault;
        fault.action = action;
        fault.target = target;
        fault.at = std::max<Nanos>((at.value_or(event.time()) - m_from) / kGrain * kGrain, 0ns);
        if (action == Action::DelayLink || action == Action::JumpClock) fault.value = Nanos(event.value);
        keep(fault);
    }

    /// A fault that the scenario would refuse is left out.
    void keep(const Fault& fault) {
        m_trial.faults = {fault};
        std::vector<scenario::Complaint> complaints;
        scenario::checkFaults(m_trial, complaints);
        if (complaints.empty())
            m_result.faults.push_back(fault);
        else
            ++m_leftOut;
    }

    void onClient(Action action, const Event& event) {
        const QStringList names = namesOf(event.actor, event.time());
        if (!names.isEmpty()) add(action, names.join(u','), event); // one that used no lock is no client here
    }

    void onNode(Action action, const Event& event) {
        const QString node = nodeOf(event.actor);
        if (node.isEmpty())
            ++m_leftOut;
        else
            add(action, node, event);
    }

    QString partyOf(EntityId party, Nanos at) {
        return isClient(party) ? namesOf(party, at).join(u',') : nodeOf(party);
    }

    /// `sign`: the ways between its two ends, as in targets of scenarios.
    void onLink(Action action, const Event& event, QChar sign = u'|') {
        const trace::Entity& link = m_trace.entity(event.subject);
        const QString first = partyOf(link.parent, event.time()), second = partyOf(link.other, event.time());
        const bool idle = isClient(link.parent) && first.isEmpty(); // a client that used no lock
        if (!first.isEmpty() && !second.isEmpty())
            add(action, first + sign + second, event);
        else if (!idle)
            ++m_leftOut;
    }

    /// One way of a link cut, or the other one mended, is a fault on that way only.
    void onCut(const Event& event) {
        using trace::CutWays;
        const CutWays now = trace::cutWays(event.value);
        const auto known = m_cut.find(event.subject);
        const bool wasBoth = known != m_cut.end() && known->second == CutWays::Both;
        m_cut[event.subject] = now;
        if (now == CutWays::Both) return onLink(Action::CutLink, event);
        const bool forth = now == CutWays::Forth;
        // It was cut both ways: the other way is mended.
        if (wasBoth) return onLink(Action::MendLink, event, forth ? u'<' : u'>');
        onLink(Action::CutLink, event, forth ? u'>' : u'<');
    }

    void onClientOfLink(Action action, const Event& event) {
        const QStringList names = namesOf(m_trace.entity(event.subject).parent, event.time());
        for (const QString& name : names)
            add(action, name, event);
    }

    /// A watcher that found another process where it had left one: it was away for as long as it could not be reached.
    void restarted(const Event& event) {
        const QString node = nodeOf(event.actor);
        if (node.isEmpty()) {
            ++m_leftOut;
            return;
        }
        Nanos gone = event.time();
        const auto lost = m_lostAt.find(event.actor), back = m_backAt.find(event.actor);
        if (lost != m_lostAt.end() && back != m_backAt.end() && event.time() - back->second < kSeenSoon)
            gone = std::max(lost->second, m_from);
        add(Action::KillNode, node, event, gone);
        add(Action::RestartNode, node, event, std::max(event.time(), gone + kShortestOutage));
    }

    void setting(const Event& event) {
        // The clients' programs say how long each waits, holds and rests.
        constexpr std::array<QByteArrayView, 5> kOfPrograms{"wait", "clients", "hold", "think", "write_every"};
        const QString text = QString::fromUtf8(m_trace.entity(event.aux).name);
        const qsizetype sign = text.indexOf(u'=');
        if (event.actor != kNoEntity) return ofOne(event, text.left(sign), text.mid(sign + 1));
        const bool known = sign > 0 && scenario::findSetting(text.left(sign));
        if (!known || std::ranges::count(kOfPrograms, QByteArrayView(text.left(sign).toUtf8())) > 0) return;
        Fault fault;
        fault.action = Action::Set;
        fault.setting = text.left(sign);
        fault.text = text.mid(sign + 1);
        fault.at = (event.time() - m_from) / kGrain * kGrain;
        keep(fault);
    }

    /// A change of one client or server that is told by its name only.
    void ofOne(const Event& event, const QString& name, const QString& text) {
        constexpr std::pair<const char*, Action> kChanges[] = {{"drift", Action::DriftClock},
                                                               {"evict", Action::EvictKey},
                                                               {"flush", Action::FlushNode},
                                                               {"pool", Action::ExhaustPool},
                                                               {"disk", Action::StallDisk}};
        const auto* const change =
            std::ranges::find_if(kChanges, [&](const auto& one) { return name == QLatin1String(one.first); });
        const QString target = partyOf(event.actor, event.time());
        if (change == std::end(kChanges) || target.isEmpty()) {
            ++m_leftOut;
            return;
        }
        Fault fault;
        fault.action = change->second;
        if (name == u"pool") fault.action = text == u"free" ? Action::FreePool : Action::ExhaustPool;
        if (name == u"disk") fault.action = text == u"free" ? Action::FreeDisk : Action::StallDisk;
        fault.at = (event.time() - m_from) / kGrain * kGrain;
        fault.target = target;
        if (fault.action == Action::DriftClock) fault.value = parseDuration(text).value_or(Nanos(0));
        keep(fault);
    }

    const trace::Trace& m_trace;
    const std::vector<ReplayClient>& m_clients;
    scenario::Scenario m_trial;
    Nanos m_from;
    std::map<EntityId, QString> m_nodes;
    std::map<EntityId, trace::CutWays> m_cut;     ///< by link
    std::map<EntityId, Nanos> m_lostAt, m_backAt; ///< by node
    int m_leftOut = 0;
    ReplayFaults m_result;
};

} // namespace

ReplayFaults replayFaults(const trace::Trace& trace, const scenario::Scenario& scenario,
                          const std::vector<ReplayClient>& clients, Nanos from, Nanos to) {
    Reader reader(trace, scenario, clients, from);
    const std::size_t end = trace.upperBound(to);
    for (std::size_t i = trace.lowerBound(from); i < end; ++i)
        if (trace::isLife(trace.kindAt(i)) || trace.kindAt(i) >= EventKind::ConnectionLost) reader.take(trace.at(i));
    return reader.result();
}

} // namespace lockscope::experiment
