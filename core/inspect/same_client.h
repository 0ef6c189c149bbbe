// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/lock_row.h"

#include <QRegularExpression>
#include <expected>

namespace lockscope::inspect {

/// A rule by which holders and waiters on several servers are one client.
struct ClientRule {
    enum class By : std::uint8_t {
        Name,    ///< "name": the same name, where names are unique beyond their server
        Address, ///< "address": the same network address in the name, or in what the server tells about the client
        Pattern, ///< a regular expression with one group: the same text in the group
    };
    By by = By::Name;
    QString text;               ///< as it was written
    QRegularExpression pattern; ///< of Address and Pattern; the first group is the client
    friend bool operator==(const ClientRule& a, const ClientRule& b) { return a.by == b.by && a.text == b.text; }
};

/// Reads a rule: "name", "address", or a regular expression with one group, such as "app=([a-z-]+)". The error is a
/// sentence.
std::expected<ClientRule, QString> parseClientRule(const QString& text);

/// The rules for somebody who has not chosen any: "name".
std::vector<ClientRule> usualClientRules();

/// The client that a party is by a set of rules.
struct SameClient {
    QByteArray client;       ///< the party's own name, or the part of it that a rule takes
    bool everywhere = false; ///< one client on all connections; else it is a client of its own server
    QString rule{};          ///< of a client that is known by a part of its name, or by what is told about it
};
/// Applies the first rule that says something about the party.
SameClient sameClient(const Party& party, const std::vector<ClientRule>& rules);

/// One text for all parties that are one client by a set of rules, on any of several servers; on one server alone where
/// the rules say nothing. `server`: a text that no other server has. Threads are clients of their own, unless a rule
/// joined several names.
QByteArray clientKey(const Party& party, const std::vector<ClientRule>& rules, const QByteArray& server);

} // namespace lockscope::inspect
