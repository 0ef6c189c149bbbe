// SPDX-License-Identifier: Apache-2.0
#include "scenario/scenario_reader.h"

#include "scenario/fault_check.h"
#include "scenario/settings.h"
#include "trace/json_positions.h"

namespace lockscope::scenario {

namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("scenario", text);
}

/// Reads fields of one object; what is not there leaves its default alone.
class Fields {
public:
    Fields(const QJsonValue& value, QString path, std::vector<Complaint>& complaints)
        : m_object(value.toObject()), m_path(std::move(path)), m_complaints(complaints) {}

    bool has(QLatin1String key) const { return m_object.contains(key); }
    const QString& path() const { return m_path; }
    QString at(QLatin1String key) const { return m_path + pointerStep(key); }
    QJsonValue operator[](QLatin1String key) const { return m_object[key]; }

    void text(QLatin1String key, QString& to) const {
        if (has(key)) to = m_object[key].toString();
    }
    void flag(QLatin1String key, bool& to) const {
        if (has(key)) to = m_object[key].toBool();
    }
    void number(QLatin1String key, int& to) const {
        if (has(key)) to = m_object[key].toInt();
    }
    /// `word` stands for `special`.
    void duration(QLatin1String key, Nanos& to, QLatin1String word = {}, Nanos special = {}) const {
        if (!has(key)) return;
        const QString text = m_object[key].toString();
        to = !word.isEmpty() && text == word ? special : parsed(text, at(key));
    }
    void duration(QLatin1String key, std::optional<Nanos>& to) const {
        if (has(key)) to = parsed(m_object[key].toString(), at(key));
    }
    void range(QLatin1String key, Range& to) const {
        if (!has(key)) return;
        const std::size_t complaints = m_complaints.size();
        const QJsonValue value = m_object[key];
        if (value.isString()) {
            to.low = to.high = parsed(value.toString(), at(key));
            return;
        }
        to.low = parsed(value[0].toString(), at(key) + QStringLiteral("/0"));
        to.high = parsed(value[1].toString(), at(key) + QStringLiteral("/1"));
        if (m_complaints.size() == complaints && to.low > to.high) {
            m_complaints.push_back(
                {at(key),
                 tr("the shorter time comes first: [\"%1\", \"%2\"]").arg(value[1].toString(), value[0].toString())});
        }
    }
    void words(QLatin1String key, QStringList& to) const {
        for (const QJsonValue& word : m_object[key].toArray())
            to += word.toString();
    }
    /// A text, or texts by language of which English is the plain one.
    void texts(QLatin1String key, QString& plain, std::map<QString, QString>& byLanguage) const {
        const QJsonValue value = m_object[key];
        if (value.isString()) plain = value.toString();
        const QJsonObject object = value.toObject();
        for (auto it = object.begin(); it != object.end(); ++it) {
            if (it.key() == QLatin1String("en"))
                plain = it->toString();
            else
                byLanguage[it.key()] = it->toString();
        }
    }

private:
    Nanos parsed(const QString& text, const QString& path) const {
        if (const auto duration = parseDuration(text)) return *duration;
        // The schema saw to the form, so it is the size or a fraction of a nanosecond.
        m_complaints.push_back({path, tr("“%1” is not a whole number of nanoseconds below 292 years").arg(text)});
        return 1s; // harmless, so that one mistake makes one complaint
    }

    QJsonObject m_object;
    QString m_path;
    std::vector<Complaint>& m_complaints;
};

using L = QLatin1String;

/// A missing field leaves its default alone.
void readSetting(const Fields& fields, const Setting& setting, Scenario& scenario) {
    const auto into = [&](auto& place) -> auto& {
        return place.of(scenario);
    };
    if (const auto* text = std::get_if<TextSetting>(&setting.value)) fields.text(setting.key, into(*text));
    if (const auto* count = std::get_if<CountSetting>(&setting.value)) fields.number(setting.key, into(*count));
    if (const auto* time = std::get_if<TimeSetting>(&setting.value))
        fields.duration(setting.key, into(*time), time->word, time->meaning);
    if (const auto* range = std::get_if<RangeSetting>(&setting.value)) fields.range(setting.key, into(*range));
    if (const auto* choice = std::get_if<SwitchSetting>(&setting.value); choice && fields.has(setting.key)) {
        const QJsonValue value = fields[setting.key];
        into(*choice) = value.isString() ? value.toString() == choice->on : value.toBool();
    }
}

/// The value whose id is the field's text.
template <typename Enum>
void choice(const Fields& fields, QLatin1String key, QByteArray (*id)(Enum), Enum last, Enum& to) {
    for (int i = 0; i <= int(last); ++i)
        if (fields[key].toString().toUtf8() == id(Enum(i))) to = Enum(i);
}

ServiceSpec readService(const Fields& fields) {
    ServiceSpec service;
    using Shape = ServiceSpec::Shape;
    choice(fields, L("shape"), shapeId, Shape::Masters, service.shape);
    choice(fields, L("persistence"), persistenceId, ServiceSpec::Persistence::Always, service.persistence);
    service.nodes = service.shape == Shape::Single ? 1 : service.shape == Shape::Sentinel ? 3 : 5;
    service.sentinels = service.shape == Shape::Sentinel ? 3 : 0;
    fields.number(L("nodes"), service.nodes);
    fields.number(L("sentinels"), service.sentinels);
    fields.duration(L("lag"), service.lag);
    fields.duration(L("full_sync"), service.fullSync);
    fields.duration(L("down_after"), service.downAfter);
    fields.duration(L("failover_timeout"), service.failoverTimeout);
    return service;
}

Trigger readTrigger(const Fields& fields) {
    Trigger trigger;
    const QString on = fields[L("on")].toString();
    trigger.on = on == L("granted")     ? Trigger::On::Granted
                 : on == L("requested") ? Trigger::On::Requested
                                        : Trigger::On::Released;
    fields.number(L("nth"), trigger.nth);
    fields.duration(L("after"), trigger.after);
    return trigger;
}

Fault readFault(const Fields& fields, std::vector<Complaint>& complaints) {
    Fault fault;
    fields.duration(L("at"), fault.at);
    if (fields.has(L("when"))) fault.when = readTrigger({fields[L("when")], fields.at(L("when")), complaints});
    fault.action = actionFromId(fields[L("do")].toString().toUtf8()).value_or(Action::PauseClient);
    fields.text(L("target"), fault.target);
    fields.duration(L("value"), fault.value);
    fields.duration(L("for"), fault.duration);
    fields.text(L("set"), fault.setting);
    fields.text(L("to"), fault.text);
    fault.byHand = fields.has(L("by"));
    // Faults by hand were once saved without a value of 0.
    const bool wantsValue = fault.action == Action::DelayLink || fault.action == Action::JumpClock;
    if (wantsValue && !fields.has(L("value")) && !fault.byHand) {
        complaints.push_back({fields.path(), tr("%1 needs a “value”, such as \"200ms\"; 0s undoes it")
                                                 .arg(QString::fromLatin1(actionId(fault.action)))});
    }
    return fault;
}

Expectation readExpectation(const Fields& fields) {
    Expectation expectation;
    fields.words(L("violates"), expectation.violates);
    fields.words(L("holds"), expectation.holds);
    fields.duration(L("recovers_within"), expectation.recoversWithin);
    fields.flag(L("stalls"), expectation.stalls);
    return expectation;
}

void checkWhole(const Scenario& scenario, std::vector<Complaint>& complaints) {
    const auto positive = [&](Nanos value, const char* path) {
        if (value <= Nanos::zero()) complaints.push_back({QLatin1String(path), tr("this must be longer than 0 s")});
    };
    positive(scenario.until, "/until");
    if (scenario.lock.lease < 1ms) { // what the servers count in
        complaints.push_back({QStringLiteral("/lock/lease"), tr("a lease is at least 1ms")});
    }
    positive(scenario.workload.writeEvery.low, "/clients/write_every"); // writes without end at one instant, otherwise
    // A client that neither works nor thinks would take and free the lock for ever at one instant.
    if (scenario.workload.hold.low == Nanos::zero() && scenario.workload.think.low == Nanos::zero()) {
        complaints.push_back({QStringLiteral("/clients"), tr("hold and think cannot both be 0 s")});
    }
    if (scenario.service && scenario.service->shape == ServiceSpec::Shape::Single && scenario.service->nodes > 1) {
        complaints.push_back({QStringLiteral("/service/nodes"), tr("a single server is one node: leave out “nodes”")});
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

} // namespace

Scenario readDocument(const QJsonObject& document, std::vector<Complaint>& complaints) {
    Scenario scenario;
    const Fields top(document, QString(), complaints);
    const auto inner = [&](QLatin1String key) { return Fields(top[key], top.at(key), complaints); };

    top.text(L("id"), scenario.id);
    top.text(L("chapter"), scenario.chapter);
    top.number(L("order"), scenario.order);
    top.texts(L("title"), scenario.title, scenario.titles);
    top.texts(L("summary"), scenario.summary, scenario.summaries);
    top.duration(L("until"), scenario.until);
    if (top.has(L("seed"))) scenario.seed = std::uint64_t(top[L("seed")].toInteger());
    if (top.has(L("nodes"))) {
        scenario.nodes.clear();
        for (const QJsonValue& node : top[L("nodes")].toArray()) {
            scenario.nodes.push_back({node[u"id"].toString(), node[u"kind"].toString()});
        }
    }
    if (top.has(L("service"))) {
        scenario.service = readService(inner(L("service")));
        scenario.nodes = scenario.service->servers();
    }
    inner(L("lock")).text(L("name"), scenario.lock.name);
    inner(L("resource")).text(L("name"), scenario.resource.name);
    for (const Setting& setting : allSettings())
        readSetting(setting.object.isEmpty() ? top : inner(setting.object), setting, scenario);
    const Fields network = inner(L("network"));
    network.range(L("client_latency"), scenario.network.clientLatency);
    network.number(L("loss_per_mille"), scenario.network.lossPerMille);
    const QJsonArray faults = top[L("faults")].toArray();
    for (qsizetype i = 0; i < faults.size(); ++i) {
        const QString path = QStringLiteral("/faults/%1").arg(i);
        scenario.faults.push_back(readFault({faults[i], path, complaints}, complaints));
    }
    const QJsonObject expect = top[L("expect")].toObject();
    for (auto it = expect.begin(); it != expect.end(); ++it) {
        scenario.expect[it.key()] = readExpectation({*it, top.at(L("expect")) + pointerStep(it.key()), complaints});
    }
    checkWhole(scenario, complaints);
    checkFaults(scenario, complaints);
    return scenario;
}

} // namespace lockscope::scenario
