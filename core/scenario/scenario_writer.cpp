// SPDX-License-Identifier: Apache-2.0
#include "scenario/scenario_file.h"
#include "scenario/settings.h"

#include <QFileInfo>
#include <QSaveFile>
#include <algorithm>

namespace lockscope::scenario {

namespace {

QJsonValue rangeValue(const Range& range) {
    if (range.low == range.high) return formatDuration(range.low);
    return QJsonArray{formatDuration(range.low), formatDuration(range.high)};
}

QJsonValue valueOf(const Setting& setting, const Scenario& scenario) {
    const QString text = textOf(setting, scenario);
    if (std::holds_alternative<CountSetting>(setting.value)) return text.toInt();
    if (std::holds_alternative<RangeSetting>(setting.value)) return rangeValue(*parseRange(text));
    const auto* const choice = std::get_if<SwitchSetting>(&setting.value);
    if (choice && choice->on == QLatin1String("on")) return text == choice->on;
    return text;
}

/// The object with the settings that stand in it.
QJsonObject settingsOf(const char* name, const Scenario& scenario, QJsonObject object) {
    for (const Setting& setting : allSettings())
        if (setting.object == QLatin1String(name)) object[setting.key] = valueOf(setting, scenario);
    return object;
}

QJsonValue textsValue(const QString& plain, const std::map<QString, QString>& byLanguage) {
    QJsonObject object;
    for (const auto& [language, text] : byLanguage)
        object[language] = text;
    object[u"en"] = plain;
    return object;
}

const char* triggerWord(Trigger::On on) {
    switch (on) {
    case Trigger::On::Granted:
        return "granted";
    case Trigger::On::Requested:
        return "requested";
    case Trigger::On::Released:
        break;
    }
    return "released";
}

QJsonObject faultObject(const Fault& fault) {
    QJsonObject object{{u"do"_qs, QString::fromLatin1(actionId(fault.action))}};
    if (fault.at) object[u"at"] = formatDuration(*fault.at);
    if (fault.when) {
        object[u"when"] = QJsonObject{{u"on"_qs, QLatin1String(triggerWord(fault.when->on))},
                                      {u"nth"_qs, fault.when->nth},
                                      {u"after"_qs, formatDuration(fault.when->after)}};
    }
    if (!fault.target.isEmpty()) object[u"target"] = fault.target;
    if (fault.value != Nanos::zero() || fault.action == Action::DelayLink || fault.action == Action::JumpClock)
        object[u"value"] = formatDuration(fault.value);
    if (fault.duration) object[u"for"] = formatDuration(*fault.duration);
    if (!fault.setting.isEmpty()) object[u"set"] = fault.setting;
    if (!fault.text.isEmpty()) object[u"to"] = fault.text;
    if (fault.byHand) object[u"by"] = u"hand"_qs;
    return object;
}

QJsonObject expectationObject(const Expectation& expectation) {
    QJsonObject object;
    if (!expectation.violates.isEmpty()) object[u"violates"] = QJsonArray::fromStringList(expectation.violates);
    if (!expectation.holds.isEmpty()) object[u"holds"] = QJsonArray::fromStringList(expectation.holds);
    if (expectation.recoversWithin) object[u"recovers_within"] = formatDuration(*expectation.recoversWithin);
    if (expectation.stalls) object[u"stalls"] = true;
    return object;
}

QJsonObject serviceObject(const ServiceSpec& service) {
    QJsonObject object{{u"kind"_qs, u"redis"_qs},
                       {u"shape"_qs, QString::fromLatin1(shapeId(service.shape))},
                       {u"nodes"_qs, service.nodes},
                       {u"persistence"_qs, QString::fromLatin1(persistenceId(service.persistence))}};
    if (service.shape != ServiceSpec::Shape::Sentinel) return object;
    object[u"sentinels"] = service.sentinels;
    object[u"lag"] = formatDuration(service.lag);
    object[u"full_sync"] = formatDuration(service.fullSync);
    object[u"down_after"] = formatDuration(service.downAfter);
    object[u"failover_timeout"] = formatDuration(service.failoverTimeout);
    return object;
}

} // namespace

QByteArray toJson(const Scenario& scenario) {
    QJsonArray nodes, faults;
    for (const NodeSpec& node : scenario.nodes)
        nodes += QJsonObject{{u"id"_qs, node.id}, {u"kind"_qs, node.kind}};
    for (const Fault& fault : scenario.faults)
        faults += faultObject(fault);
    QJsonObject expect;
    for (const auto& [recipe, expectation] : scenario.expect)
        expect[recipe] = expectationObject(expectation);

    QJsonObject document{
        {u"lockscope"_qs, 1},
        {u"id"_qs, scenario.id},
        {u"title"_qs, textsValue(scenario.title, scenario.titles)},
        {u"summary"_qs, textsValue(scenario.summary, scenario.summaries)},
        {u"until"_qs, formatDuration(scenario.until)},
        {u"nodes"_qs, nodes},
        {u"lock"_qs, settingsOf("lock", scenario, {{u"name"_qs, scenario.lock.name}})},
        {u"resource"_qs, settingsOf("resource", scenario, {{u"name"_qs, scenario.resource.name}})},
        {u"clients"_qs, settingsOf("clients", scenario, {})},
        {u"network"_qs, QJsonObject{{u"client_latency"_qs, rangeValue(scenario.network.clientLatency)},
                                    {u"loss_per_mille"_qs, scenario.network.lossPerMille}}},
        {u"faults"_qs, faults},
        {u"expect"_qs, expect},
    };
    if (scenario.service) {
        document[u"service"] = serviceObject(*scenario.service);
        document.remove(u"nodes"_qs);
    }
    document = settingsOf("", scenario, std::move(document));
    if (!scenario.chapter.isEmpty()) document[u"chapter"] = scenario.chapter;
    if (scenario.order > 0) document[u"order"] = scenario.order;
    if (scenario.seed) document[u"seed"] = qint64(*scenario.seed);
    return QJsonDocument(document).toJson(QJsonDocument::Indented);
}

Scenario savedAs(Scenario scenario, const QString& path) {
    if (std::ranges::none_of(scenario.faults, &Fault::byHand)) return scenario;
    QString id;
    for (const QChar c : QFileInfo(path).completeBaseName().toLower()) {
        const bool plain = (c >= u'a' && c <= u'z') || (c >= u'0' && c <= u'9');
        if (plain)
            id += c;
        else if (!id.isEmpty() && !id.endsWith(u'-'))
            id += u'-';
    }
    while (id.endsWith(u'-'))
        id.chop(1);
    if (id.isEmpty()) id = scenario.id;
    if (id == scenario.id || builtinScenarios().contains(id)) id += u"-by-hand"_qs;
    scenario.title = QCoreApplication::translate("scenario", "%1, changed by hand").arg(scenario.id);
    scenario.id = id;
    scenario.summary.clear();
    scenario.chapter.clear();
    scenario.order = 0;
    scenario.titles.clear();
    scenario.summaries.clear();
    scenario.expect.clear();
    return scenario;
}

std::expected<void, QString> saveScenario(const Scenario& scenario, const QString& path) {
    QSaveFile file(path); // an old file stays whole when the disk is full
    if (!file.open(QIODevice::WriteOnly) || file.write(toJson(scenario)) < 0 || !file.commit()) {
        return std::unexpected(
            QCoreApplication::translate("scenario", "%1 could not be written: %2").arg(path, file.errorString()));
    }
    return {};
}

} // namespace lockscope::scenario
