// SPDX-License-Identifier: GPL-3.0-or-later
#include "faults/target_picker.h"

#include "models/fault_words.h"
#include "models/role_words.h"
#include "scenario/actions.h"

#include <QComboBox>
#include <QFormLayout>
#include <QLineEdit>
#include <QSignalBlocker>

namespace lockscope::views {

using scenario::Action;
using session::Breakable;
using On = scenario::Trigger::On;
using Ways = scenario::TargetSets::Ways;

namespace {

constexpr int kNameRole = Qt::UserRole, kEndsRole = Qt::UserRole + 1;
/// No target has this name: it stands for those that are written.
const QString kSeveral = QStringLiteral(",");

/// "A, B" as a person writes it, without its gaps.
QString namesIn(const QLineEdit* field) {
    QStringList names;
    for (const QString& name : field->text().split(u',', Qt::SkipEmptyParts))
        if (!name.trimmed().isEmpty()) names += name.trimmed();
    return names.join(u',');
}

QString spread(const QStringList& names) {
    return names.join(QStringLiteral(", "));
}

} // namespace

QStringList clientsOf(const scenario::Scenario& scenario) {
    QStringList names;
    for (int i = 0; i < scenario.workload.clients; ++i)
        names += scenario::clientName(i);
    return names;
}

TargetPicker::TargetPicker(const ViewContext* context, QFormLayout* form, QObject* parent)
    : QObject(parent),
      m_context(context),
      m_form(form),
      m_target(new QComboBox),
      m_names(new QLineEdit),
      m_others(new QLineEdit),
      m_ways(new QComboBox) {
    form->addRow(tr("&Target"), m_target);
    form->addRow(tr("Na&mes"), m_names);
    form->addRow(tr("and tho&se"), m_others);
    form->addRow(tr("D&irection"), m_ways);
    // Names for screen readers and for scripts.
    m_target->setObjectName(QStringLiteral("target"));
    m_names->setObjectName(QStringLiteral("names"));
    m_others->setObjectName(QStringLiteral("others"));
    m_ways->setObjectName(QStringLiteral("ways"));
    for (const Ways ways : {Ways::Both, Ways::FromFirst, Ways::ToFirst})
        m_ways->addItem({}, int(ways));
    nameWays();
    connect(m_target, &QComboBox::currentIndexChanged, this, [this] {
        showRows();
        Q_EMIT changed();
    });
    connect(m_ways, &QComboBox::currentIndexChanged, this, &TargetPicker::changed);
    for (QLineEdit* const field : {m_names, m_others})
        connect(field, &QLineEdit::textChanged, this, &TargetPicker::changed);
}

void TargetPicker::list(Breakable::Kind kind, Action action, std::optional<On> on) {
    const QString before = m_target->currentData(kNameRole).toString();
    const QSignalBlocker quiet(m_target);
    if (m_kind != kind) { // a server's names are no client's
        const QSignalBlocker names(m_names), others(m_others);
        m_names->clear();
        m_others->clear();
    }
    m_kind = kind;
    m_action = action;
    m_target->clear();
    const scenario::Scenario& settings = m_context->settings();
    QStringList clients{QStringLiteral("holder"), QStringLiteral("waiter")};
    if (on && *on != On::Leader) clients.prepend(QStringLiteral("same"));
    clients += clientsOf(settings);
    QStringList servers;
    for (const scenario::NodeSpec& node : settings.nodes)
        servers += node.id;
    const auto add = [this](const QString& words, const QString& name) { m_target->addItem(words, name); };
    switch (kind) {
    case Breakable::Kind::Client:
        for (const QString& client : clients)
            add(partyText(client), client);
        m_names->setPlaceholderText(tr("such as A, B, holder"));
        break;
    case Breakable::Kind::Server:
        if (on == On::Leader) add(partyText(QStringLiteral("same")), QStringLiteral("same"));
        for (const QString& server : servers)
            add(server, server);
        for (const scenario::ServiceSpec& service : settings.services)
            for (const QString& role : scenario::findServiceKind(service.kind)->roles(service))
                if (!role.contains(u'[') && !lists(role))
                    //: %1 a role: whichever server is the master, or the leader, when the fault strikes.
                    add(tr("the present %1").arg(roleWords(role.toUtf8(), {}, false)), role);
        m_names->setPlaceholderText(tr("such as %1").arg(spread(servers.mid(0, 2))));
        break;
    case Breakable::Kind::Link:
        addLinks(clients, servers);
        m_names->setPlaceholderText(tr("one side, such as A, B"));
        m_others->setPlaceholderText(tr("the other side, such as %1").arg(spread(servers.mid(0, 2))));
        break;
    case Breakable::Kind::World:
        break;
    }
    if (kind != Breakable::Kind::World) add(tr("several…"), kSeveral);
    if (const int index = m_target->findData(before, kNameRole); index >= 0) m_target->setCurrentIndex(index);
    showRows();
}

void TargetPicker::addLinks(const QStringList& clients, const QStringList& servers) {
    const auto add = [this](const QString& a, const QString& b) {
        m_target->addItem(tr("%1 ↔ %2").arg(partyText(a), b), a + u'-' + b);
        m_target->setItemData(m_target->count() - 1, QStringList{a, b}, kEndsRole);
    };
    for (const QString& client : clients)
        for (const QString& server : servers)
            add(client, server);
    for (qsizetype i = 0; i < servers.size(); ++i)
        for (qsizetype k = i + 1; k < servers.size(); ++k)
            add(servers[i], servers[k]);
}

bool TargetPicker::several() const {
    return m_target->currentData(kNameRole).toString() == kSeveral;
}

QChar TargetPicker::sign() const {
    if (m_action != Action::CutLink) return u'|'; // nothing else strikes one direction alone
    const auto ways = Ways(m_ways->currentData().toInt());
    return ways == Ways::FromFirst ? u'>' : ways == Ways::ToFirst ? u'<' : u'|';
}

void TargetPicker::nameWays() {
    const QStringList ends = m_target->currentData(kEndsRole).toStringList();
    const bool named = !several() && ends.size() == 2;
    const QString a = named ? partyText(ends[0]) : tr("these"), b = named ? ends[1] : tr("those");
    m_ways->setItemText(m_ways->findData(int(Ways::Both)), tr("both directions"));
    //: Two sides of a link: what the first one sends to the second one is lost.
    m_ways->setItemText(m_ways->findData(int(Ways::FromFirst)), tr("only from %1 to %2").arg(a, b));
    m_ways->setItemText(m_ways->findData(int(Ways::ToFirst)), tr("only from %1 to %2").arg(b, a));
}

void TargetPicker::showRows() {
    nameWays();
    const bool link = m_kind == Breakable::Kind::Link;
    m_form->setRowVisible(m_target, m_kind != Breakable::Kind::World);
    m_form->setRowVisible(m_names, several());
    m_form->setRowVisible(m_others, several() && link);
    m_form->setRowVisible(m_ways, link && m_action == Action::CutLink);
    if (auto* label = qobject_cast<QLabel*>(m_form->labelForField(m_names)))
        label->setText(link ? tr("Between t&hese") : tr("Na&mes"));
}

QString TargetPicker::target() const {
    const QChar between = sign();
    if (!several()) {
        const QStringList ends = m_target->currentData(kEndsRole).toStringList();
        return ends.size() == 2 && between != u'|' ? ends.join(between) : m_target->currentData(kNameRole).toString();
    }
    const QString names = namesIn(m_names), others = namesIn(m_others);
    // Without another side it is all links that these have, or a list of links as it was written.
    return m_kind == Breakable::Kind::Link && !names.isEmpty() && !others.isEmpty() ? names + between + others : names;
}

bool TargetPicker::lists(const QString& target) const {
    return std::ranges::all_of(scenario::targetsIn(target),
                               [this](const QString& one) { return m_target->findData(one, kNameRole) >= 0; });
}

void TargetPicker::choose(const QString& target) {
    if (const int index = m_target->findData(target, kNameRole); index >= 0) {
        m_ways->setCurrentIndex(0);
        return m_target->setCurrentIndex(index);
    }
    const auto sets = scenario::targetSetsIn(target);
    m_ways->setCurrentIndex(sets ? m_ways->findData(int(sets->ways)) : 0);
    if (sets && sets->first.size() == 1 && sets->second.size() == 1) {
        const int index = m_target->findData(sets->first.front() + u'-' + sets->second.front(), kNameRole);
        if (index >= 0 && sets->ways != Ways::Both) return m_target->setCurrentIndex(index);
    }
    m_target->setCurrentIndex(m_target->findData(kSeveral, kNameRole));
    m_names->setText(spread(sets ? sets->first : scenario::targetsIn(target)));
    m_others->setText(sets ? spread(sets->second) : QString());
}

} // namespace lockscope::views
