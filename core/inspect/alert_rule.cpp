// SPDX-License-Identifier: Apache-2.0
#include "inspect/alert_rule.h"

#include "trace/duration.h"
#include "trace/suggestion.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <QStringList>
#include <algorithm>

namespace lockscope::inspect {

namespace {

using Kind = AlertRule::Kind;
using Takes = AlertForm::Takes;

constexpr AlertForm kForms[] = {
    {Kind::Held, "held", ">", Takes::Time, "held>5m"},
    {Kind::Left, "left", "<", Takes::Time, "left<2s"},
    {Kind::NoExpiry, "no-expiry", "", Takes::Nothing, "no-expiry"},
    {Kind::Waiters, "waiters", ">", Takes::Count, "waiters>10"},
    {Kind::Waited, "waited", ">", Takes::Time, "waited>30s"},
    {Kind::DeadWaiters, "dead-waiters", ">", Takes::Count, "dead-waiters>0"},
    {Kind::HandOvers, "hand-overs", ">", Takes::Count, "hand-overs>60"},
    {Kind::Unusual, "unusual", ">", Takes::Count, "unusual>10"},
    {Kind::Herd, "herd", ">", Takes::Count, "herd>20"},
    {Kind::Deadlock, "deadlock", "", Takes::Nothing, "deadlock"},
    {Kind::TokenBack, "token-back", "", Takes::Nothing, "token-back"},
    {Kind::Unreachable, "unreachable", ">", Takes::Time, "unreachable>10s"},
    {Kind::RenewalLate, "renewal-late", ">", Takes::Time, "renewal-late>2s"},
    {Kind::FailedOver, "failed-over", "", Takes::Nothing, "failed-over"},
    {Kind::HolderGone, "holder-gone", "", Takes::Nothing, "holder-gone"},
    {Kind::MayEvict, "may-evict", "", Takes::Nothing, "may-evict"},
    {Kind::ZkRate, "zookeeper-rate", ">", Takes::Count, "zookeeper-rate>100"},
    {Kind::ZkLocks, "zookeeper-locks", ">", Takes::Count, "zookeeper-locks>500000"},
    {Kind::DeadHead, "dead-head", "", Takes::Nothing, "dead-head"},
    {Kind::HeldTwice, "held-twice", "", Takes::Nothing, "held-twice"},
};

QString examples() {
    QStringList all;
    for (const AlertForm& form : kForms)
        all << QString::fromLatin1(form.example);
    return all.join(QStringLiteral(", "));
}

} // namespace

std::vector<AlertForm> alertForms() {
    return {std::begin(kForms), std::end(kForms)};
}

const AlertForm& formOf(Kind kind) {
    const AlertForm& form = kForms[std::size_t(kind)];
    Q_ASSERT(form.kind == kind);
    return form;
}

AlertSeverity severityOf(Kind kind) {
    switch (kind) {
    case Kind::Deadlock:
    case Kind::TokenBack:
    case Kind::Unreachable:
    case Kind::FailedOver:
    case Kind::HeldTwice:
        return AlertSeverity::Critical;
    case Kind::Held:
    case Kind::Unusual:
    case Kind::Left:
    case Kind::NoExpiry:
    case Kind::Waiters:
    case Kind::Waited:
    case Kind::RenewalLate:
    case Kind::HolderGone:
    case Kind::DeadHead:
        return AlertSeverity::Warning;
    case Kind::DeadWaiters:
    case Kind::HandOvers:
    case Kind::Herd:
    case Kind::MayEvict:
    case Kind::ZkRate:
    case Kind::ZkLocks:
        break;
    }
    return AlertSeverity::Info;
}

bool isOfServer(Kind kind) {
    return kind == Kind::Unreachable || kind == Kind::MayEvict || kind == Kind::ZkRate || kind == Kind::ZkLocks;
}

std::vector<AlertRule> usualAlertRules() {
    // The figures for ZooKeeper are a rule of thumb: beyond them its one leader, which orders every change, is what
    // everybody waits for.
    // Not among them: long holds, hand-overs and full queues, which are normal for some locks and not for others.
    std::vector<AlertRule> rules;
    for (const char* text : {"renewal-late>2s", "no-expiry", "waited>30s", "dead-waiters>0", "dead-head", "deadlock",
                             "token-back", "unreachable>5s", "failed-over", "held-twice", "holder-gone", "may-evict",
                             "zookeeper-rate>100", "zookeeper-locks>500000"})
        rules.push_back(*parseAlertRule(QString::fromLatin1(text)));
    return rules;
}

std::expected<AlertRule, QString> parseAlertRule(const QString& text) {
    static const QRegularExpression kRule(QStringLiteral("^\\s*([a-z-]+)\\s*(?:([<>])\\s*(\\S+(?: \\S+)?))?\\s*$"));
    const auto wrong = [&text](const QString& why) {
        return std::unexpected(
            QCoreApplication::translate("Alerts", "“%1” is no alert: %2. There are %3.").arg(text, why, examples()));
    };
    const auto parts = kRule.match(text);
    if (!parts.hasMatch())
        return wrong(QCoreApplication::translate("Alerts", "it should be a name, a sign and a threshold"));
    const QString name = parts.captured(1), sign = parts.captured(2), threshold = parts.captured(3);
    const auto form =
        std::ranges::find_if(kForms, [&](const AlertForm& each) { return name == QLatin1String(each.name); });
    if (form == std::end(kForms)) {
        QStringList names;
        for (const AlertForm& each : kForms)
            names << QString::fromLatin1(each.name);
        return wrong(
            QCoreApplication::translate("Alerts", "nothing is called %1%2").arg(name, suggestion(name, names)));
    }
    if (sign != QLatin1String(form->sign))
        return wrong(
            form->takes == Takes::Nothing
                ? QCoreApplication::translate("Alerts", "%1 has no threshold").arg(name)
                : QCoreApplication::translate("Alerts", "behind %1 comes %2").arg(name, QLatin1String(form->sign)));
    AlertRule rule;
    rule.kind = form->kind;
    rule.text = name + sign + threshold;
    rule.text.remove(QLatin1Char(' '));
    if (form->takes == Takes::Time) {
        const auto time = parseDuration(threshold);
        if (!time || *time < Nanos(0))
            return wrong(QCoreApplication::translate("Alerts", "%1 is no time with its unit").arg(threshold));
        rule.time = *time;
    } else if (form->takes == Takes::Count) {
        bool ok = false;
        rule.count = threshold.toLongLong(&ok);
        if (!ok || rule.count < 0)
            return wrong(QCoreApplication::translate("Alerts", "%1 is no whole number from 0 on").arg(threshold));
    }
    return rule;
}

} // namespace lockscope::inspect
