// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QString>
#include <cstdint>
#include <optional>

namespace lockscope::sql {

/// How a lock's name becomes a key of PostgreSQL's advisory locks: the option `key=` of a URL.
enum class KeyKind : std::uint8_t {
    Usual,  ///< without the option: a name that is a 64-bit decimal number is the key, every other name is hashed
    Hash,   ///< `hash`: every name is hashed
    Number, ///< `number`: names are 64-bit decimal numbers; any other name is refused
    TwoInt, ///< `two-int`: names are two 32-bit decimal numbers, "12,34"; any other name is refused
};

/// The kind that this value of a URL's `key=` names; nullopt for every other value, which is then the path of a TLS
/// key.
inline std::optional<KeyKind> keyKindOf(const QString& word) {
    if (word == u"hash") return KeyKind::Hash;
    if (word == u"number") return KeyKind::Number;
    if (word == u"two-int") return KeyKind::TwoInt;
    return std::nullopt;
}

} // namespace lockscope::sql
