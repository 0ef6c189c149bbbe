// SPDX-License-Identifier: Apache-2.0
#include "scenario/fields.h"

#include <QCoreApplication>

namespace lockscope::scenario {

namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("scenario", text);
}

} // namespace

void Fields::range(QLatin1String key, Range& to) const {
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

Nanos Fields::parsed(const QString& text, const QString& path) const {
    if (const auto duration = parseDuration(text)) return *duration;
    // The schema saw to the form, so it is the size or a fraction of a nanosecond.
    m_complaints.push_back({path, tr("“%1” is not a whole number of nanoseconds below 292 years").arg(text)});
    return 1s; // harmless, so that one mistake makes one complaint
}

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

} // namespace lockscope::scenario
