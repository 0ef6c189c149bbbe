// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QString>
#include <cstdint>
#include <optional>

namespace lockscope::sql {

/// Which of PostgreSQL's advisory locks a lock's name stands for: the option `key=` of a URL.
enum class KeyKind : std::uint8_t {
    Usual,  ///< no option: a name that is a decimal number is that key, every other name is hashed
    Hash,   ///< `hash`: every name is hashed
    Number, ///< `number`: names are numbers, any other is refused
    TwoInt, ///< `two-int`: names are two 32-bit numbers, "12,34", any other is refused
};

/// The kind that a URL's `key=` means by that word; nullopt: it is none of them, so it is a file with a TLS key.
inline std::optional<KeyKind> keyKindOf(const QString& word) {
    if (word == u"hash") return KeyKind::Hash;
    if (word == u"number") return KeyKind::Number;
    if (word == u"two-int") return KeyKind::TwoInt;
    return std::nullopt;
}

} // namespace lockscope::sql
