// SPDX-License-Identifier: Apache-2.0
#include "scenario/manager_file.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QSet>

namespace lockscope::scenario {

namespace {

using L = QLatin1String;

QString tr(const char* text) {
    return QCoreApplication::translate("scenario", text);
}

void checkServers(const Fields& fields, const Scenario& scenario) {
    QStringList servers;
    for (const NodeSpec& node : scenario.nodes)
        servers += node.id;
    QSet<QString> named;
    for (const L key : {L("engines"), L("witnesses")}) {
        const QJsonArray ids = fields[key].toArray();
        for (qsizetype i = 0; i < ids.size(); ++i) {
            const QString id = ids[i].toString(), path = fields.at(key) + u'/' + QString::number(i);
            if (!servers.contains(id))
                fields.complain(path, tr("there is no server “%1”; servers are %2").arg(id, servers.join(u", "_qs)));
            else if (named.contains(id))
                fields.complain(path, tr("“%1” stands here twice").arg(id));
            named += id;
        }
    }
}

} // namespace

void readManager(const Fields& top, Scenario& scenario) {
    if (!top.has(L("manager"))) return;
    const Fields fields(top[L("manager")], top.at(L("manager")), top.complaints());
    ManagerSpec& manager = scenario.manager.emplace();
    choice(fields, L("mode"), managerModeId, ManagerSpec::Mode::Naive, manager.mode);
    fields.words(L("engines"), manager.engines);
    fields.words(L("witnesses"), manager.witnesses);
    fields.duration(L("drain_for"), manager.drainFor);
    fields.duration(L("confirm_for"), manager.confirmFor);
    fields.flag(L("on_failure"), manager.onFailure);
    for (const auto& [key, time] :
         {std::pair{L("drain_for"), manager.drainFor}, {L("confirm_for"), manager.confirmFor}})
        if (time <= Nanos(0)) fields.complain(fields.at(key), tr("this must be longer than 0 s"));
    const auto& services = scenario.services;
    const bool masters = services.size() == 1 && services.front().kind == ServiceSpec{}.kind &&
                         services.front().shape == ServiceSpec::Shape::Masters;
    if (!masters)
        fields.complain(tr("a lock manager changes between servers of their own: a service of the shape “masters”"));
    else
        checkServers(fields, scenario);
    if (manager.onFailure && manager.engines.size() + manager.witnesses.size() < 3)
        fields.complain(fields.at(L("on_failure")), tr("this takes three servers that keep the record: add a witness"));
    const qsizetype colon = scenario.lock.name.indexOf(u':');
    if (colon <= 0 || colon + 1 == scenario.lock.name.size())
        fields.complain(QStringLiteral("/locks/0/name"),
                        tr("with a lock manager it is a namespace and a name, such as “shop:orders”"));
    if (!scenario.moreLocks.empty())
        fields.complain(QStringLiteral("/locks/1"), tr("a lock manager keeps one lock here: leave out the others"));
}

QJsonObject managerObject(const ManagerSpec& manager) {
    QJsonObject object{
        {u"mode"_qs, QString::fromLatin1(managerModeId(manager.mode))},
        {u"engines"_qs, QJsonArray::fromStringList(manager.engines)},
        {u"drain_for"_qs, formatDuration(manager.drainFor)},
        {u"confirm_for"_qs, formatDuration(manager.confirmFor)},
        {u"on_failure"_qs, manager.onFailure},
    };
    if (!manager.witnesses.isEmpty()) object[u"witnesses"] = QJsonArray::fromStringList(manager.witnesses);
    return object;
}

} // namespace lockscope::scenario
