// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QString>

namespace lockscope::detail {

/// Why an engine is proposed, or left. Stands in the shared record, so that every process can report it.
enum class SwitchReason : std::uint8_t {
    Unknown,       ///< the record does not say
    Start,         ///< the first process begins
    Hand,          ///< LockManager::switchTo
    Configuration, ///< the configuration names another primary
    Health,        ///< the engine in use fails its checks
    FailBack,      ///< the primary has been healthy for long enough: NamespaceConfig::failBackAfter
    Split,         ///< two proposals, neither of which could win
    Unreadable,    ///< too few servers answer for the record
};

/// Stable identifier for records and traces; not translated.
QByteArray idOf(SwitchReason reason);
/// SwitchReason::Unknown for an unknown id.
SwitchReason switchReasonOf(const QByteArray& id);
/// Whether a person chose the engine, so that no process returns to the primary by itself.
bool isChoice(SwitchReason reason);
/// A translated sentence; empty for SwitchReason::Unknown.
QString sentenceOf(SwitchReason reason);

} // namespace lockscope::detail
