// SPDX-License-Identifier: Apache-2.0
#include "scenario/actions.h"
#include "scenario/manager_file.h"
#include "scenario/program_text.h"
#include "scenario/scenario_file.h"

#include <QFileInfo>
#include <QSaveFile>
#include <algorithm>

namespace lockscope::scenario {

namespace {

QJsonValue valueOf(const Setting& setting, const Scenario& scenario) {
    const QString text = textOf(setting, scenario);
    if (std::holds_alternative<CountSetting>(setting.value)) return text.toInt();
    if (std::holds_alternative<RangeSetting>(setting.value)) return rangeValue(*parseRange(text));
    const auto* const choice = std::get_if<SwitchSetting>(&setting.value);
    if (choice && choice->on == QLatin1String("on")) return text == choice->on;
    return text;
}

/// The object with the settings that stand in it.
QJsonObject settingsOf(const char* name, const Scenario& scenario, int form, QJsonObject object) {
    for (const Setting& setting : allSettings()) {
        if (setting.object != QLatin1String(name) || setting.since > form) continue;
        // A bound that nobody set is left out: it says nothing.
        if (setting.key == QLatin1String("max_hold") && scenario.lock.maxHold == Nanos(0)) continue;
        object[setting.key] = valueOf(setting, scenario);
    }
    return object;
}

QJsonValue textsValue(const QString& plain, const std::map<QString, QString>& byLanguage) {
    QJsonObject object;
    for (const auto& [language, text] : byLanguage)
        object[language] = text;
    object[u"en"] = plain;
    return object;
}

QJsonObject triggerObject(const Trigger& trigger) {
    QJsonObject object{{u"nth"_qs, trigger.nth}, {u"after"_qs, formatDuration(trigger.after)}};
    switch (trigger.on) {
    case Trigger::On::Step:
        object[u"step"] = trigger.step;
        break;
    case Trigger::On::LeaseLeft:
        object[u"lease_left"] = formatDuration(trigger.left);
        break;
    case Trigger::On::Leader:
        object[u"leader"] = trigger.server.isEmpty() ? u"any"_qs : trigger.server;
        break;
    default:
        object[u"on"] = QString::fromLatin1(triggerId(trigger.on));
        break;
    }
    if (!trigger.client.isEmpty()) object[u"client"] = trigger.client;
    if (!trigger.lock.isEmpty()) object[u"lock"] = trigger.lock;
    return object;
}

QJsonObject faultObject(const Fault& fault) {
    QJsonObject object{{u"do"_qs, QString::fromLatin1(actionId(fault.action))}};
    if (fault.at) object[u"at"] = formatDuration(*fault.at);
    if (fault.when) object[u"when"] = triggerObject(*fault.when);
    if (!fault.target.isEmpty()) object[u"target"] = fault.target;
    if (fault.value != Nanos::zero() || takesValue(fault.action)) object[u"value"] = formatDuration(fault.value);
    if (fault.duration) object[u"for"] = formatDuration(*fault.duration);
    if (fault.every) object[u"every"] = formatDuration(*fault.every);
    if (fault.times > 0) object[u"times"] = fault.times;
    if (!fault.setting.isEmpty()) object[u"set"] = fault.setting;
    if (!fault.text.isEmpty()) object[fault.action == Action::EvictKey ? u"lock"_qs : u"to"_qs] = fault.text;
    if (fault.byHand) object[u"by"] = u"hand"_qs;
    return object;
}

QJsonObject expectationObject(const Expectation& expectation) {
    QJsonObject object;
    if (!expectation.violates.isEmpty()) object[u"violates"] = QJsonArray::fromStringList(expectation.violates);
    if (!expectation.holds.isEmpty()) object[u"holds"] = QJsonArray::fromStringList(expectation.holds);
    if (expectation.recoversWithin) object[u"recovers_within"] = formatDuration(*expectation.recoversWithin);
    if (expectation.stalls) object[u"stalls"] = true;
    if (expectation.longestWait) object[u"longest_wait"] = rangeValue(*expectation.longestWait);
    if (!expectation.reaches.isEmpty()) object[u"reaches"] = QJsonArray::fromStringList(expectation.reaches);
    if (const auto& span = expectation.requestsPerSecond)
        object[u"requests_per_second"] = QJsonArray{span->low, span->high};
    return object;
}

QJsonObject serviceObject(const ServiceSpec& service) {
    QJsonObject object{{u"kind"_qs, service.kind},
                       {u"shape"_qs, QString::fromLatin1(shapeId(service.shape))},
                       {u"nodes"_qs, service.nodes}};
    if (service.kind == ServiceSpec{}.kind)
        object[u"persistence"] = QString::fromLatin1(persistenceId(service.persistence));
    if (service.kind == QLatin1String("sql")) {
        object[u"dialect"] = QString::fromLatin1(dialectId(service.dialect));
        object[u"unique_index"] = service.uniqueIndex;
    }
    for (const ServiceOption& option : serviceOptions()) {
        if (!concerns(option, service)) continue;
        const auto* const time = std::get_if<Nanos ServiceSpec::*>(&option.value);
        if (!time)
            object[option.key] = service.*std::get<int ServiceSpec::*>(option.value);
        else if (*time != &ServiceSpec::session || service.session != Nanos(0)) // 0: the lock's lease
            object[option.key] = formatDuration(service.**time);
    }
    return object;
}

/// Whether the first version of files knows such a service.
bool isPlain(const ServiceSpec& service) {
    const ServiceSpec plain;
    return service.kind == plain.kind && service.id == plain.id && service.shape != ServiceSpec::Shape::Cluster;
}

bool isOfFormTwo(const Fault& fault) {
    constexpr std::array kNewer{Action::LosePush,    Action::HangWork,   Action::SwitchEngine,  Action::EvictKey,
                                Action::FlushNode,   Action::JitterLink, Action::ResetLink,     Action::DriftClock,
                                Action::ExhaustPool, Action::FreePool,   Action::RepeatRequest, Action::StallDisk,
                                Action::FreeDisk};
    const Setting* const set = fault.action == Action::Set ? findSetting(fault.setting) : nullptr;
    const bool action = std::ranges::find(kNewer, fault.action) != kNewer.end() || (set && set->since > 1);
    const bool condition = fault.when && (fault.at || fault.when->on > Trigger::On::Released ||
                                          !fault.when->client.isEmpty() || !fault.when->lock.isEmpty());
    const bool several = targetSetsIn(fault.target) || targetsIn(fault.target).size() > 1;
    return action || condition || several || fault.every || fault.target.startsWith(u"same");
}

/// The first version of files that can say all of it: recordings and built-in files keep their form.
int formOf(const Scenario& scenario) {
    const auto isNewer = [](const auto& entry) {
        const Expectation& promised = entry.second;
        return promised.requestsPerSecond || promised.longestWait;
    };
    const bool services = scenario.services.size() > 1 || !std::ranges::all_of(scenario.services, isPlain);
    const bool parts = scenario.manager || !scenario.moreLocks.empty() || !scenario.programs.empty() ||
                       !scenario.groups.empty() || !scenario.recipes.empty() || scenario.lock.permits != 1 ||
                       scenario.lock.maxHold != Nanos(0) || services || !scenario.lock.service.isEmpty() ||
                       scenario.liveness;
    const bool faults = std::ranges::any_of(scenario.faults, isOfFormTwo);
    return parts || faults || std::ranges::any_of(scenario.expect, isNewer) ? 2 : 1;
}

QJsonObject lockObject(const Scenario& scenario, int form) {
    return settingsOf("lock", scenario, form, {{u"name"_qs, scenario.lock.name}});
}

QJsonArray lockList(const Scenario& scenario) {
    std::vector<NamedLock> all{{scenario.lock, {}}};
    all.insert(all.end(), scenario.moreLocks.begin(), scenario.moreLocks.end());
    QJsonArray locks;
    for (const NamedLock& lock : all) {
        Scenario alone; // the table of settings knows the place of one lock
        alone.lock = lock.settings;
        QJsonObject object = lockObject(alone, 2);
        if (!lock.recipe.isEmpty()) object[u"recipe"] = lock.recipe;
        if (!lock.settings.service.isEmpty()) object[u"service"] = lock.settings.service;
        locks += object;
    }
    return locks;
}

/// The parts that the second version says in another way than the first.
void writeParts(const Scenario& scenario, QJsonObject& document) {
    document[u"locks"] = lockList(scenario);
    if (scenario.manager) document[u"manager"] = managerObject(*scenario.manager);
    QJsonArray services;
    for (const ServiceSpec& service : scenario.services) {
        QJsonObject object = serviceObject(service);
        object[u"id"] = service.id;
        services += object;
    }
    if (!services.isEmpty()) document[u"services"] = services;
    document[u"workload"] = settingsOf("clients", scenario, 2, {});
    QJsonArray programs, groups;
    for (const Program& program : scenario.programs)
        programs += programObject(program);
    for (const ClientGroup& group : scenario.groups) {
        QJsonObject object{{u"count"_qs, group.count}};
        if (!group.program.isEmpty()) object[u"program"] = group.program;
        groups += object;
    }
    if (!programs.isEmpty()) document[u"programs"] = programs;
    if (!groups.isEmpty()) document[u"clients"] = groups;
    if (!scenario.recipes.isEmpty()) document[u"recipes"] = QJsonArray::fromStringList(scenario.recipes);
}

} // namespace

QByteArray toJson(const Scenario& scenario) {
    const int form = formOf(scenario);
    QJsonArray nodes, faults;
    for (const NodeSpec& node : scenario.nodes)
        nodes += QJsonObject{{u"id"_qs, node.id}, {u"kind"_qs, node.kind}};
    for (const Fault& fault : scenario.faults)
        faults += faultObject(fault);
    QJsonObject expect;
    for (const auto& [recipe, expectation] : scenario.expect)
        expect[recipe] = expectationObject(expectation);

    QJsonObject document{
        {u"lockscope"_qs, form},
        {u"id"_qs, scenario.id},
        {u"title"_qs, textsValue(scenario.title, scenario.titles)},
        {u"summary"_qs, textsValue(scenario.summary, scenario.summaries)},
        {u"until"_qs, formatDuration(scenario.until)},
        {u"resource"_qs, settingsOf("resource", scenario, form, {{u"name"_qs, scenario.resource.name}})},
        {u"network"_qs, QJsonObject{{u"client_latency"_qs, rangeValue(scenario.network.clientLatency)},
                                    {u"loss_per_mille"_qs, scenario.network.lossPerMille}}},
        {u"faults"_qs, faults},
        {u"expect"_qs, expect},
    };
    if (scenario.services.empty()) document[u"nodes"] = nodes;
    if (form == 2) {
        writeParts(scenario, document);
    } else {
        if (!scenario.services.empty()) document[u"service"] = serviceObject(scenario.services.front());
        document[u"lock"] = lockObject(scenario, form);
        document[u"clients"] = settingsOf("clients", scenario, form, {});
    }
    document = settingsOf("", scenario, form, std::move(document));
    if (!scenario.chapter.isEmpty()) document[u"chapter"] = scenario.chapter;
    if (scenario.order > 0) document[u"order"] = scenario.order;
    if (scenario.liveness) document[u"liveness"] = formatDuration(*scenario.liveness);
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
    // The file's texts are by language: English, and the one that the program speaks.
    const QString language = QCoreApplication::translate("Language", "en"), here = scenario.titleIn(language);
    const QString english = scenario.titleIn(QStringLiteral("en"));
    scenario.title = QStringLiteral("%1, changed by hand").arg(english.isEmpty() ? scenario.id : english);
    scenario.titles.clear();
    if (language != QLatin1String("en"))
        scenario.titles[language] =
            QCoreApplication::translate("scenario", "%1, changed by hand").arg(here.isEmpty() ? scenario.id : here);
    scenario.id = id;
    scenario.summary.clear();
    scenario.chapter.clear();
    scenario.order = 0;
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
