// SPDX-License-Identifier: Apache-2.0
#include "scenario/scenario_reader.h"

#include "scenario/actions.h"
#include "scenario/fault_check.h"
#include "scenario/fields.h"
#include "scenario/workload_reader.h"

namespace lockscope::scenario {

namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("scenario", text);
}

using L = QLatin1String;

/// The version of a file.
enum class Form : std::uint8_t { First, Second };

Trigger readTrigger(const Fields& fields) {
    Trigger trigger;
    choice(fields, L("on"), triggerId, Trigger::On::Recorded, trigger.on);
    fields.number(L("nth"), trigger.nth);
    fields.duration(L("after"), trigger.after);
    fields.text(L("client"), trigger.client);
    fields.text(L("lock"), trigger.lock);
    // Each condition has a field of its own; of several, none is meant more than the others.
    QStringList conditions;
    const auto by = [&](QLatin1String key, Trigger::On on) {
        if (!fields.has(key)) return false;
        conditions += u'“' + key + u'”';
        trigger.on = on;
        return true;
    };
    if (fields.has(L("on"))) conditions += u"“on”"_qs;
    if (by(L("step"), Trigger::On::Step)) fields.number(L("step"), trigger.step);
    if (by(L("lease_left"), Trigger::On::LeaseLeft)) fields.duration(L("lease_left"), trigger.left);
    if (by(L("leader"), Trigger::On::Leader)) fields.text(L("leader"), trigger.server);
    if (conditions.isEmpty())
        fields.complain(tr("when what? Say so by “on”, “step”, “lease_left” or “leader”"));
    else if (conditions.size() > 1)
        fields.complain(tr("%1 cannot stand together: a fault waits for one thing").arg(conditions.join(u", "_qs)));
    else if (trigger.on == Trigger::On::Leader && !trigger.client.isEmpty())
        fields.complain(tr("a server is the leader, no client: leave out “client”"));
    else if (trigger.on == Trigger::On::Leader && !trigger.lock.isEmpty())
        fields.complain(tr("a server is the leader of all locks: leave out “lock”"));
    if (trigger.server == L("any")) trigger.server.clear();
    return trigger;
}

Fault readFault(const Fields& fields) {
    Fault fault;
    fields.duration(L("at"), fault.at);
    if (fields.has(L("when"))) fault.when = readTrigger(fields.in(L("when")));
    fault.action = actionFromId(fields[L("do")].toString().toUtf8()).value_or(Action::PauseClient);
    fields.text(L("target"), fault.target);
    fields.duration(L("value"), fault.value);
    fields.duration(L("for"), fault.duration);
    fields.duration(L("every"), fault.every);
    fields.number(L("times"), fault.times);
    fields.text(L("set"), fault.setting);
    fields.text(L("to"), fault.text);
    if (fields.has(L("lock")) && fault.action != Action::EvictKey)
        fields.complain(fields.at(L("lock")), tr("this goes with \"do\": \"evict-key\" only"));
    else
        fields.text(L("lock"), fault.text);
    fault.byHand = fields.has(L("by"));
    // Faults by hand were once saved without a value of 0.
    if (takesValue(fault.action) && !fields.has(L("value")) && !fault.byHand) {
        fields.complain(
            tr("%1 needs a “value”, such as \"200ms\"; 0s undoes it").arg(QString::fromLatin1(actionId(fault.action))));
    }
    return fault;
}

Expectation readExpectation(const Fields& fields) {
    Expectation expectation;
    fields.words(L("violates"), expectation.violates);
    fields.words(L("holds"), expectation.holds);
    fields.duration(L("recovers_within"), expectation.recoversWithin);
    fields.flag(L("stalls"), expectation.stalls);
    fields.words(L("reaches"), expectation.reaches);
    if (fields.has(L("longest_wait"))) fields.range(L("longest_wait"), expectation.longestWait.emplace());
    if (fields.has(L("requests_per_second"))) {
        const QJsonValue span = fields[L("requests_per_second")];
        expectation.requestsPerSecond = Span{span[0].toInt(), span[1].toInt()};
        if (span[0].toInt() > span[1].toInt())
            fields.complain(fields.at(L("requests_per_second")), tr("the smaller number comes first"));
    }
    return expectation;
}

void checkWhole(const Scenario& scenario, Form form, std::vector<Complaint>& complaints) {
    const QString clients = form == Form::Second ? QStringLiteral("/workload") : QStringLiteral("/clients");
    const auto positive = [&](Nanos value, const QString& path) {
        if (value <= Nanos::zero()) complaints.push_back({path, tr("this must be longer than 0 s")});
    };
    positive(scenario.until, QStringLiteral("/until"));
    if (scenario.liveness && *scenario.liveness >= scenario.until)
        complaints.push_back({QStringLiteral("/liveness"), tr("this must be before the end, “until”")});
    if (form == Form::First && scenario.lock.lease < 1ms) { // what the servers count in
        complaints.push_back({QStringLiteral("/lock/lease"), tr("a lease is at least 1ms")});
    }
    positive(scenario.workload.writeEvery.low,
             clients + QStringLiteral("/write_every")); // writes without end at one instant, otherwise
    // A client that neither works nor thinks would take and free the lock for ever at one instant.
    if (scenario.programs.empty() && scenario.workload.hold.low == Nanos::zero() &&
        scenario.workload.think.low == Nanos::zero()) {
        complaints.push_back({clients, tr("hold and think cannot both be 0 s")});
    }
    for (auto it = scenario.expect.begin(); it != scenario.expect.end(); ++it) {
        for (const QString& invariant : it->second.violates) {
            if (it->second.holds.contains(invariant)) {
                complaints.push_back({QStringLiteral("/expect") + pointerStep(it->first),
                                      tr("“%1” cannot both hold and be violated").arg(invariant)});
            }
        }
    }
}

/// The objects of both versions that hold settings of the table, by the name that the table has for them.
void readSettings(const Fields& top, Form form, Scenario& scenario) {
    for (const Setting& setting : allSettings()) {
        const bool workload = setting.object == L("clients");
        if (form == Form::Second && setting.object == L("lock")) continue; // of several locks: readParts()
        const QLatin1String object = form == Form::Second && workload ? L("workload") : setting.object;
        readSetting(object.isEmpty() ? top : top.in(object), setting, scenario);
    }
}

/// A file that names no servers runs on those that its recipe brings: its faults may strike them. It is read with them
/// then, so that it can be written again.
void checkFaultsOnItsServers(Scenario& scenario, const Fields& top, std::vector<Complaint>& complaints) {
    std::vector<Complaint> found;
    checkFaults(scenario, found);
    const bool named = top.has(L("nodes")) || top.has(L("service")) || top.has(L("services"));
    const auto brings = [&](const ServiceKind& kind) { return scenario.recipe.startsWith(kind.server + L("-")); };
    const auto kind = std::ranges::find_if(serviceKinds(), brings);
    if (!found.empty() && !named && kind != serviceKinds().end()) {
        Scenario moved = scenario;
        moved.setServices({defaultService(kind->id)});
        found.clear();
        checkFaults(moved, found);
        if (found.empty()) scenario = std::move(moved);
    }
    std::ranges::move(found, std::back_inserter(complaints));
}

} // namespace

Scenario readDocument(const QJsonObject& document, std::vector<Complaint>& complaints) {
    Scenario scenario;
    const Form form = document[u"lockscope"].toInt() == 2 ? Form::Second : Form::First;
    const Fields top(document, QString(), complaints);
    top.text(L("id"), scenario.id);
    top.text(L("chapter"), scenario.chapter);
    top.number(L("order"), scenario.order);
    top.texts(L("title"), scenario.title, scenario.titles);
    top.texts(L("summary"), scenario.summary, scenario.summaries);
    top.duration(L("until"), scenario.until);
    top.duration(L("liveness"), scenario.liveness);
    if (top.has(L("seed"))) scenario.seed = std::uint64_t(top[L("seed")].toInteger());
    if (top.has(L("nodes"))) {
        scenario.nodes.clear();
        for (const QJsonValue& node : top[L("nodes")].toArray()) {
            scenario.nodes.push_back({node[u"id"].toString(), node[u"kind"].toString()});
        }
    }
    if (top.has(L("service"))) scenario.setServices({readService(top.in(L("service")))});
    top.in(L("lock")).text(L("name"), scenario.lock.name);
    top.in(L("resource")).text(L("name"), scenario.resource.name);
    top.words(L("recipes"), scenario.recipes);
    readSettings(top, form, scenario);
    if (form == Form::Second) readParts(top, scenario);
    const Fields network = top.in(L("network"));
    network.range(L("client_latency"), scenario.network.clientLatency);
    network.number(L("loss_per_mille"), scenario.network.lossPerMille);
    top.each(L("faults"), [&](const Fields& fault) { scenario.faults.push_back(readFault(fault)); });
    const QJsonObject expect = top[L("expect")].toObject();
    for (auto it = expect.begin(); it != expect.end(); ++it) {
        scenario.expect[it.key()] = readExpectation({*it, top.at(L("expect")) + pointerStep(it.key()), complaints});
    }
    checkWhole(scenario, form, complaints);
    checkFaultsOnItsServers(scenario, top, complaints);
    return scenario;
}

std::optional<Fault> readFault(const QJsonObject& fault) {
    if (!actionFromId(fault[L("do")].toString().toUtf8())) return std::nullopt;
    std::vector<Complaint> unheard;
    return readFault(Fields(fault, {}, unheard));
}

} // namespace lockscope::scenario
