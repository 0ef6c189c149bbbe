// SPDX-License-Identifier: Apache-2.0
#include "inspect/same_client.h"

#include "inspect/party_about.h"

#include <QCoreApplication>
#include <algorithm>

namespace lockscope::inspect {

namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(ClientRule)
};

/// IPv4, or IPv6 in brackets or alone. Ports are left out: a client has one for each of its connections.
constexpr const char* kAddress =
    "(?<![\\w.:])(\\d{1,3}(?:\\.\\d{1,3}){3}|[0-9a-fA-F]{1,4}(?::[0-9a-fA-F]{0,4}){2,7})(?![\\w.])";

/// Numbers that servers give to their sessions mean something on that server only.
bool isOfOneServer(const QByteArray& name) {
    if (name.isEmpty() || isSessionName(name) || name.startsWith("0x") || name.startsWith("session 0x")) return true;
    return std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
}

QByteArray taken(const QRegularExpression& pattern, const QByteArray& from) {
    const QRegularExpressionMatch match = pattern.match(QString::fromUtf8(from));
    return match.hasMatch() ? match.captured(1).toUtf8() : QByteArray();
}

} // namespace

std::expected<ClientRule, QString> parseClientRule(const QString& text) {
    const QString trimmed = text.trimmed();
    if (trimmed == QLatin1String("name")) return ClientRule{ClientRule::By::Name, trimmed, {}};
    if (trimmed == QLatin1String("address"))
        return ClientRule{ClientRule::By::Address, trimmed, QRegularExpression(QLatin1String(kAddress))};
    QRegularExpression pattern(trimmed);
    if (!pattern.isValid())
        return std::unexpected(Text::tr("“%1” is no rule: %2 at letter %3. Write name, address, or a pattern with one "
                                        "group, such as app=([a-z-]+).")
                                   .arg(trimmed, pattern.errorString())
                                   .arg(pattern.patternErrorOffset() + 1));
    if (pattern.captureCount() != 1)
        return std::unexpected(Text::tr("“%1” is no rule: put the part that names the client in one pair of brackets, "
                                        "such as app=([a-z-]+); or write name, or address.")
                                   .arg(trimmed));
    return ClientRule{ClientRule::By::Pattern, trimmed, std::move(pattern)};
}

std::vector<ClientRule> usualClientRules() {
    return {ClientRule{ClientRule::By::Name, QStringLiteral("name"), {}}};
}

SameClient sameClient(const Party& party, const std::vector<ClientRule>& rules) {
    for (const ClientRule& rule : rules) {
        if (rule.by == ClientRule::By::Name) {
            if (!isOfOneServer(party.client)) return {party.client, true};
            continue;
        }
        QByteArray client = taken(rule.pattern, party.client);
        if (client.isEmpty()) client = taken(rule.pattern, party.about);
        if (!client.isEmpty()) return {std::move(client), true, rule.text};
    }
    return {party.client, false};
}

QByteArray clientKey(const Party& party, const std::vector<ClientRule>& rules, const QByteArray& server) {
    const SameClient same = sameClient(party, rules);
    QByteArray key = (same.everywhere ? QByteArray() : server) + '\0' + same.client;
    if (same.rule.isEmpty() && party.thread) key += '\0' + *party.thread;
    return key;
}

} // namespace lockscope::inspect
