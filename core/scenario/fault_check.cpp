// SPDX-License-Identifier: Apache-2.0
#include "scenario/fault_check.h"

#include "scenario/actions.h"
#include "scenario/disk_refusal.h"
#include "scenario/failover_refusal.h"
#include "scenario/lock_times.h"
#include "scenario/server_messages.h"
#include "scenario/settings.h"

namespace lockscope::scenario {

namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("scenario", text);
}

/// Empty when `text` is a value of `setting`, else what would be one.
QString rightValue(const QString& setting, const QString& text) {
    const Setting* const known = findSetting(setting);
    Scenario unused;
    return !known || setText(*known, unused, text) ? QString() : tr(known->form);
}

constexpr Nanos kSecond = 1s;
const QString kSame = QStringLiteral("same");

class Checker {
public:
    Checker(const Scenario& scenario, std::vector<Complaint>& complaints) : m_complaints(complaints) {
        int most = scenario.workload.clients;
        for (const Fault& fault : scenario.faults) {
            if (fault.setting == QLatin1String("clients"))
                most = std::max(most, std::min(fault.text.toInt(), kMostClients));
        }
        m_clients = {QStringLiteral("holder"), QStringLiteral("waiter")};
        for (int i = 0; i < most; ++i)
            m_clients += clientName(i);
        for (const NodeSpec& node : scenario.nodes) {
            m_nodes += node.id;
            m_kinds[node.id] = node.kind;
        }
        if (scenario.manager) m_engines = scenario.manager->engines;
        for (const NodeSpec& node : scenario.nodes) // a server stands for the engine that it belongs to
            if (!m_engines.contains(node.id) && scenario.engineNumber(node.id) >= 0) m_engines += node.id;
        for (const NodeSpec& node : scenario.nodes)
            if (serviceHaving(scenario.services, scenario.nodes, node.id).pool > 0) m_pooled += node.id;
        for (const NodeSpec& node : scenario.nodes)
            if (!diskRefusal(scenario.services, scenario.nodes, node.id).isEmpty()) m_diskless += node.id;
        for (const NodeSpec& node : scenario.nodes)
            m_noFailover[node.id] = failoverRefusal(serviceHaving(scenario.services, scenario.nodes, node.id), node.id);
        m_servers = m_nodes;
        m_locks = scenario.lockNames();
        m_several = !scenario.services.empty();
        for (const ServiceSpec& service : scenario.services) {
            addRoles(service, scenario.services.size() > 1);
            m_handsOver = m_handsOver || failoverRefusal(service, {}).isEmpty();
        }
    }

    void check(const Fault& fault, const QString& path) {
        m_path = path;
        if (!fault.at && !fault.when) complain({}, tr("a fault needs a time: “at”, such as \"3s\", or “when”"));
        if (fault.when) checkCondition(*fault.when);
        checkTarget(fault);
        if (!takesValue(fault.action) && fault.value != Nanos::zero()) {
            complain("/value", tr("only delay-link, jitter-link, jump-clock and drift-clock take a value"));
        }
        if (fault.action == Action::DriftClock && (fault.value <= -kSecond || fault.value >= kSecond))
            complain("/value", tr("a clock gains or loses less than a second each second"));
        const bool latency = fault.action == Action::DelayLink || fault.action == Action::JitterLink;
        if (latency && fault.value < Nanos::zero()) {
            complain("/value", tr("a latency cannot be negative"));
        }
        if (fault.duration && !undoing(fault.action)) {
            complain("/for", tr("%1 cannot be undone after a time: leave out “for”")
                                 .arg(QString::fromLatin1(actionId(fault.action))));
        }
        if (fault.action == Action::Failover && !m_handsOver)
            complain("/do",
                     tr("only Sentinels, etcd members and databases with replicas can be asked for a failover, and "
                        "there are none here"));
        if (fault.every && *fault.every <= Nanos(0)) complain("/every", tr("this must be longer than 0 s"));
        if (fault.times > 0 && !fault.every) complain("/times", tr("this goes with “every”"));
        checkSetting(fault);
    }

    /// Complains of a fault that nothing here can ever have: messages that no server sends or nothing sends again,
    /// connections that no client makes. In a file it may stand: the scenario is for other servers, too.
    void checkEffect(const Fault& fault) {
        const auto any = [this](const auto& fits) {
            return std::ranges::any_of(m_servers, [&](const QString& server) { return fits(m_kinds.at(server)); });
        };
        const auto repeats = [](const QString& id) {
            const ServiceKind* const kind = findServiceKind(id);
            return kind && kind->repeats;
        };
        if (fault.action == Action::LosePush && !any(sendsMessages))
            complain({}, tr("the servers here send no messages of their own: clients ask"));
        if (fault.action == Action::RepeatRequest && !any(repeats))
            complain({}, tr("TCP brings each request once, and only drivers and proxies of Redis send one again"));
        const auto ofServers = [&](const QString& node) {
            const QString end = QLatin1Char('-') + node;
            return fault.target.endsWith(end) && m_nodes.contains(fault.target.chopped(end.size()));
        };
        if (fault.action == Action::ResetLink && std::ranges::any_of(m_nodes, ofServers))
            complain({}, tr("servers connect again at once: only connections of clients can be reset"));
    }

private:
    /// A service's servers go by their present roles, too: "leader", and of one of several services "locks/leader".
    void addRoles(const ServiceSpec& service, bool oneOfSeveral) {
        for (const QString& role : findServiceKind(service.kind)->roles(service)) {
            // The first service's that has it.
            if (!m_nodes.contains(role)) addRole(role, service);
            if (oneOfSeveral) addRole(service.id + QLatin1Char('/') + role, service);
        }
    }

    void addRole(const QString& name, const ServiceSpec& service) {
        m_nodes += name;
        if (service.pool > 0) m_pooled += name;
        m_noFailover[name] = failoverRefusal(service, name);
        const bool sentinel = name.contains(QLatin1String("sentinel["));
        m_kinds[name] = sentinel ? QStringLiteral("sentinel") : service.kind;
        if (sentinel || !diskRefusal(service, name).isEmpty()) m_diskless += name;
    }

    /// Complains of faults that only servers of some kinds can have.
    void checkKind(const Fault& fault) {
        if (fault.action == Action::ExhaustPool || fault.action == Action::FreePool) {
            if (m_nodes.contains(fault.target) && !m_pooled.contains(fault.target))
                complain("/target", tr("%1 cannot be done to “%2”: only the clients of a database with \"pool\" share "
                                       "connections")
                                        .arg(QString::fromLatin1(actionId(fault.action)), fault.target));
            return;
        }
        if (fault.action == Action::StallDisk || fault.action == Action::FreeDisk) {
            if (m_diskless.contains(fault.target))
                complain("/target", tr("%1 cannot be done to “%2”: no answer of it waits for a disk")
                                        .arg(QString::fromLatin1(actionId(fault.action)), fault.target));
            return;
        }
        if (fault.action == Action::Failover) {
            const auto refused = m_noFailover.find(fault.target);
            // Where nobody can be asked at all, that was said of the fault as a whole.
            if (m_handsOver && refused != m_noFailover.end() && !refused->second.isEmpty())
                complain("/target", refused->second);
            return;
        }
        if (fault.action == Action::EvictKey) checkLock("/lock", fault.text);
        if (fault.action != Action::EvictKey && fault.action != Action::FlushNode) return;
        const auto known = m_kinds.find(fault.target);
        const ServiceKind* const kind = known == m_kinds.end() ? nullptr : findServiceKind(known->second);
        if (known != m_kinds.end() && !(kind && kind->dropsKeys))
            complain("/target", tr("%1 cannot be done to “%2”: only Redis and memcached servers throw keys out")
                                    .arg(QString::fromLatin1(actionId(fault.action)), fault.target));
    }

    void complain(const char* where, const QString& message) {
        m_complaints.push_back({m_path + QLatin1String(where), message});
    }

    void checkLock(const char* where, const QString& lock) {
        if (!lock.isEmpty() && !m_locks.contains(lock))
            complain(where, tr("there is no lock “%1”; locks are %2").arg(lock, m_locks.join(QStringLiteral(", "))));
    }

    void checkCondition(const Trigger& when) {
        const QStringList& clients = m_clients;
        if (!when.client.isEmpty() && !clients.contains(when.client))
            complain("/when/client", tr("there is no client “%1”%2").arg(when.client, hint(when.client, clients)));
        if (!when.server.isEmpty() && !m_servers.contains(when.server))
            complain(
                "/when/leader",
                tr("there is no server “%1”; servers are %2").arg(when.server, m_servers.join(QStringLiteral(", "))));
        checkLock("/when/lock", when.lock);
    }

    /// "same": what the condition has found, a client or a server.
    void checkSame(const Fault& fault, TargetKind kind) {
        const bool server = fault.when && fault.when->on == Trigger::On::Leader;
        if (!fault.when)
            complain("/target",
                     tr("“same” is the client or the server that “when” has found: there is no “when” here"));
        else if (kind != TargetKind::ClientOrNode && kind != TargetKind::Link && server != (kind == TargetKind::Node))
            complain("/target",
                     tr("“same” is %1 here, and %2 is done to %3")
                         .arg(server ? tr("a server") : tr("a client"), QString::fromLatin1(actionId(fault.action)),
                              server ? tr("a client") : tr("a server")));
    }

    void checkTarget(const Fault& fault) {
        const TargetKind kind = targetKind(fault.action);
        const QString action = QString::fromLatin1(actionId(fault.action));
        if (kind == TargetKind::Nothing) {
            if (!fault.target.isEmpty()) complain("/target", tr("%1 has no target").arg(action));
            return;
        }
        if (targetSetsIn(fault.target)) {
            checkSets(fault, kind);
            return;
        }
        const QStringList several = targetsIn(fault.target);
        for (const QString& one : several)
            checkOne(fault, one, kind);
    }

    /// "A,B|redis-1": each of them is a client or a server.
    void checkSets(const Fault& fault, TargetKind kind) {
        const TargetSets sets = *targetSetsIn(fault.target);
        const QString action = QString::fromLatin1(actionId(fault.action));
        if (kind != TargetKind::Link) {
            complain("/target", tr("%1 cannot be done to the links between two sets").arg(action));
            return;
        }
        if (sets.ways != TargetSets::Ways::Both && fault.action != Action::CutLink && fault.action != Action::MendLink)
            complain("/target", tr("%1 strikes both directions: write “|” between the sets").arg(action));
        for (const QStringList& side : {sets.first, sets.second}) {
            for (const QString& name : side) {
                const bool found = fault.when && name == kSame;
                if (!found && !m_clients.contains(name) && !m_nodes.contains(name))
                    complain("/target", tr("there is no client and no server “%1”").arg(name));
            }
        }
    }

    void checkOne(const Fault& whole, const QString& target, TargetKind kind) {
        const QString action = QString::fromLatin1(actionId(whole.action));
        Fault fault = whole;
        fault.target = target;
        if (fault.target == kSame) {
            checkSame(fault, kind);
            return;
        }
        if (kind == TargetKind::Link) {
            // The other end is looked at as if a client stood before it.
            QString link = fault.target;
            if (fault.when && link.startsWith(kSame + QLatin1Char('-')))
                link.replace(0, kSame.size(), m_clients.front());
            checkLink(link, action);
            return;
        }
        QStringList known;
        if (fault.action == Action::SwitchEngine && m_engines.isEmpty()) {
            complain({}, tr("there is no lock manager here whose engine could be changed: write “manager”"));
            return;
        }
        checkKind(fault);
        if (kind != TargetKind::Node) known += m_clients;
        if (kind != TargetKind::Client) known += fault.action == Action::SwitchEngine ? m_engines : m_nodes;
        if (fault.target.isEmpty()) {
            complain({}, tr("%1 needs a target, such as “%2”").arg(action, known.front()));
        } else if (!known.contains(fault.target)) {
            complain("/target", tr("%1 cannot be done to “%2”%3").arg(action, fault.target, hint(fault.target, known)));
        }
    }

    void checkLink(const QString& target, const QString& action) {
        // One link where there is one server; of several, all that the client or the server has.
        if (m_clients.contains(target) && (m_nodes.size() == 1 || m_several)) return;
        if (m_nodes.contains(target)) return;
        for (const QString& node : m_nodes) {
            if (!target.endsWith(QLatin1Char('-') + node)) continue;
            const QString client = target.chopped(node.size() + 1);
            if (m_clients.contains(client) || (client != node && m_nodes.contains(client))) return;
            complain("/target", tr("there is no client “%1”%2").arg(client, hint(client, m_clients)));
            return;
        }
        complain(
            target.isEmpty() ? "" : "/target",
            tr("%1 needs a link as its target, a client and a node, such as “holder-%2”").arg(action, m_nodes.front()));
    }

    /// Names of clients are a letter or two: anything would be near them, so only the words and the range are told.
    QString hint(const QString& word, const QStringList& known) const {
        if (known.size() <= m_clients.size() - 2 || word.size() > 3) {
            QStringList words;
            std::ranges::copy_if(known, std::back_inserter(words), [](const QString& name) { return name.size() > 3; });
            const QString near = suggestion(word, words);
            if (near.contains(QLatin1Char('?'))) return near;
        }
        if (known == m_nodes) return tr("; nodes are %1").arg(m_nodes.join(QStringLiteral(", ")));
        return tr("; clients are A to %1, holder and waiter").arg(m_clients.back());
    }

    void checkSetting(const Fault& fault) {
        if (fault.action != Action::Set) {
            if (!fault.setting.isEmpty()) complain("/set", tr("this goes with \"do\": \"set\" only"));
            return;
        }
        if (fault.setting.isEmpty()) {
            complain({}, tr("what is to be set? Say so by “set”, such as \"lease\""));
            return;
        }
        if (const QString right = rightValue(fault.setting, fault.text); !right.isEmpty()) {
            complain(fault.text.isEmpty() ? "" : "/to", tr("%1 is set “to” %2").arg(fault.setting, right));
        }
    }

    std::vector<Complaint>& m_complaints;
    QStringList m_clients, m_nodes, m_locks;
    QStringList m_engines;                   ///< of a lock manager
    QStringList m_servers;                   ///< m_nodes without the roles
    std::map<QString, QString> m_kinds;      ///< of m_nodes: NodeSpec::kind
    QStringList m_diskless;                  ///< those of m_nodes that write to no disk
    std::map<QString, QString> m_noFailover; ///< of m_nodes: failoverRefusal()
    QStringList m_pooled;                    ///< those of m_nodes whose clients share a pool of connections
    bool m_several = false;                  ///< servers
    bool m_handsOver = false;                ///< Sentinels, etcd members or replicas can be asked for a failover
    QString m_path;
};

} // namespace

QString refusalOf(const Fault& fault, Scenario scenario) {
    const auto complaints = [&scenario] {
        std::vector<Complaint> all;
        checkFaults(scenario, all);
        checkLockTimes(scenario, 1, all);
        return all;
    };
    const std::size_t before = complaints().size();
    scenario.faults.push_back(fault);
    const std::vector<Complaint> after = complaints();
    if (after.size() > before) return after.back().message;
    std::vector<Complaint> vain;
    if (!scenario.nodes.empty()) Checker(scenario, vain).checkEffect(fault);
    return vain.empty() ? QString() : vain.back().message;
}

void checkFaults(const Scenario& scenario, std::vector<Complaint>& complaints) {
    if (scenario.nodes.empty()) return;
    Checker checker(scenario, complaints);
    for (std::size_t i = 0; i < scenario.faults.size(); ++i) {
        checker.check(scenario.faults[i], QStringLiteral("/faults/%1").arg(i));
    }
}

} // namespace lockscope::scenario
