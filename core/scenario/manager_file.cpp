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

/// Engines and witnesses are services, or single servers of a service of the shape masters.
QStringList possibleEngines(const Scenario& scenario) {
    QStringList all;
    std::vector<NodeSpec> before;
    for (const ServiceSpec& service : scenario.services) {
        const bool apart = service.kind == ServiceSpec{}.kind && service.shape == ServiceSpec::Shape::Masters;
        const std::vector<NodeSpec> own = serversOf(service, before);
        if (!apart) all += service.id;
        for (const NodeSpec& node : own)
            if (apart) all += node.id;
        before.insert(before.end(), own.begin(), own.end());
    }
    return all;
}

QString idOf(const QJsonValue& engine) {
    return engine.isObject() ? engine[u"id"].toString() : engine.toString();
}

void checkServers(const Fields& fields, const Scenario& scenario) {
    const QStringList known = possibleEngines(scenario);
    QSet<QString> named;
    for (const L key : {L("engines"), L("witnesses")}) {
        const QJsonArray ids = fields[key].toArray();
        for (qsizetype i = 0; i < ids.size(); ++i) {
            const QString id = idOf(ids[i]), path = fields.at(key) + u'/' + QString::number(i);
            if (!known.contains(id))
                fields.complain(
                    path,
                    tr("“%1” cannot be used by a lock manager here; these can: %2").arg(id, known.join(u", "_qs)));
            else if (named.contains(id))
                fields.complain(path, tr("“%1” stands here twice").arg(id));
            named += id;
        }
    }
}

void readEngines(const Fields& fields, ManagerSpec& manager) {
    const QJsonArray engines = fields[L("engines")].toArray();
    for (const QJsonValue engine : engines) {
        manager.engines += idOf(engine);
        if (const QString recipe = engine[u"recipe"].toString(); !recipe.isEmpty())
            manager.recipes[manager.engines.back()] = recipe;
    }
}

} // namespace

void readManager(const Fields& top, Scenario& scenario) {
    if (!top.has(L("manager"))) return;
    const Fields fields = top.in(L("manager"));
    ManagerSpec& manager = scenario.manager.emplace();
    if (const auto* const mode = findManagerMode(fields[L("mode")].toString())) manager.mode = *mode;
    readEngines(fields, manager);
    fields.words(L("witnesses"), manager.witnesses);
    fields.duration(L("drain_for"), manager.drainFor);
    fields.duration(L("confirm_for"), manager.confirmFor);
    fields.flag(L("on_failure"), manager.onFailure);
    for (const auto& [key, time] :
         {std::pair{L("drain_for"), manager.drainFor}, {L("confirm_for"), manager.confirmFor}}) {
        constexpr Nanos kLongest = 24h; // a manager itself takes up to a year
        if (time <= Nanos(0)) fields.complain(fields.at(key), tr("this must be longer than 0 s"));
        if (time > kLongest) fields.complain(fields.at(key), tr("this is longer than a day"));
    }
    if (scenario.services.empty())
        fields.complain(tr("a lock manager changes between servers of their own: write “services”"));
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
    QJsonArray engines;
    for (const QString& id : manager.engines) {
        const auto recipe = manager.recipes.find(id);
        if (recipe == manager.recipes.end())
            engines += id;
        else
            engines += QJsonObject{{u"id"_qs, id}, {u"recipe"_qs, recipe->second}};
    }
    QJsonObject object{
        {u"mode"_qs, QString::fromLatin1(managerModeId(manager.mode))},
        {u"engines"_qs, engines},
        {u"drain_for"_qs, formatDuration(manager.drainFor)},
        {u"confirm_for"_qs, formatDuration(manager.confirmFor)},
        {u"on_failure"_qs, manager.onFailure},
    };
    if (!manager.witnesses.isEmpty()) object[u"witnesses"] = QJsonArray::fromStringList(manager.witnesses);
    return object;
}

} // namespace lockscope::scenario
