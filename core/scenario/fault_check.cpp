// SPDX-License-Identifier: Apache-2.0
#include "scenario/fault_check.h"

#include "scenario/actions.h"
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
        for (const NodeSpec& node : scenario.nodes)
            m_nodes += node.id;
        if (scenario.manager) m_engines = scenario.manager->engines;
        m_servers = m_nodes;
        m_several = !scenario.services.empty();
        for (const ServiceSpec& service : scenario.services) {
            addRoles(service, scenario.services.size() > 1);
            const bool others = service.kind == QLatin1String("etcd") || service.kind == QLatin1String("sql");
            m_handsOver = m_handsOver || service.sentinels > 0 || (others && service.nodes > 1);
        }
    }

    void check(const Fault& fault, const QString& path) {
        m_path = path;
        if (fault.at.has_value() == fault.when.has_value()) {
            complain({},
                     fault.at
                         ? tr("a fault strikes either at a time or when something happens: leave out “at” or “when”")
                         : tr("a fault needs a time: “at”, such as \"3s\", or “when”"));
        }
        if (fault.when) checkCondition(*fault.when);
        checkTarget(fault);
        const bool wantsValue = fault.action == Action::DelayLink || fault.action == Action::JumpClock;
        if (!wantsValue && fault.value != Nanos::zero()) {
            complain("/value", tr("only delay-link and jump-clock take a value"));
        }
        if (fault.action == Action::DelayLink && fault.value < Nanos::zero()) {
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
        checkSetting(fault);
    }

private:
    /// A service's servers go by their present roles, too: "leader", and of one of several services "locks/leader".
    void addRoles(const ServiceSpec& service, bool oneOfSeveral) {
        for (const QString& role : findServiceKind(service.kind)->roles(service)) {
            if (!m_nodes.contains(role)) m_nodes += role; // the first service's that has it
            if (oneOfSeveral) m_nodes += service.id + QLatin1Char('/') + role;
        }
    }

    void complain(const char* where, const QString& message) {
        m_complaints.push_back({m_path + QLatin1String(where), message});
    }

    void checkCondition(const Trigger& when) {
        const QStringList& clients = m_clients;
        if (!when.client.isEmpty() && !clients.contains(when.client))
            complain("/when/client", tr("there is no client “%1”%2").arg(when.client, hint(when.client, clients)));
        if (!when.server.isEmpty() && !m_servers.contains(when.server))
            complain(
                "/when/leader",
                tr("there is no server “%1”; servers are %2").arg(when.server, m_servers.join(QStringLiteral(", "))));
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
        if (fault.target == kSame) {
            checkSame(fault, kind);
            return;
        }
        if (kind == TargetKind::Link) {
            // The other end is looked at as if a client stood before it.
            QString target = fault.target;
            if (fault.when && target.startsWith(kSame + QLatin1Char('-')))
                target.replace(0, kSame.size(), m_clients.front());
            checkLink(target, action);
            return;
        }
        QStringList known;
        if (fault.action == Action::SwitchEngine && m_engines.isEmpty()) {
            complain({}, tr("there is no lock manager here whose engine could be changed: write “manager”"));
            return;
        }
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
        if (m_several && m_nodes.contains(target)) return;
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
    QStringList m_clients, m_nodes;
    QStringList m_engines;    ///< of a lock manager
    QStringList m_servers;    ///< m_nodes without the roles
    bool m_several = false;   ///< servers
    bool m_handsOver = false; ///< Sentinels, etcd members or a database's replicas can be asked for a failover
    QString m_path;
};

} // namespace

void checkFaults(const Scenario& scenario, std::vector<Complaint>& complaints) {
    if (scenario.nodes.empty()) return;
    Checker checker(scenario, complaints);
    for (std::size_t i = 0; i < scenario.faults.size(); ++i) {
        checker.check(scenario.faults[i], QStringLiteral("/faults/%1").arg(i));
    }
}

} // namespace lockscope::scenario
