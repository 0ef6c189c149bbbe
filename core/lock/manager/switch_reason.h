// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QString>

namespace lockscope::detail {

/// Why an engine is proposed, or left. Stands in the record that processes agree on, so that all of them can say it.
enum class SwitchReason : std::uint8_t {
    Unknown,       ///< of a record that does not tell
    Start,         ///< nobody had begun
    Hand,          ///< LockManager::switchTo
    Configuration, ///< another primary
    Health,        ///< the engine in use fails its checks
    Split,         ///< two proposals, of which neither could win
    Unreadable,    ///< too few servers answer for the record
};

/// For records and traces; the same in every language.
QByteArray idOf(SwitchReason reason);
/// SwitchReason::Unknown for what is none.
SwitchReason switchReasonOf(const QByteArray& id);
/// Translated; empty of SwitchReason::Unknown.
QString sentenceOf(SwitchReason reason);

} // namespace lockscope::detail
