// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QByteArrayView>
#include <array>
#include <cstdint>
#include <unordered_map>

namespace lockscope::inspect {

/// Remembers how keys of like names have turned out: most servers have a million keys of a few dozen names, such as
/// "user:17" and "user:4711". A guess from that spares a question about each key. It must be one that the server
/// corrects, so that nothing is left out because of its name.
class LikeNames {
public:
    enum class Trait : std::uint8_t {
        String,   ///< the key is a string
        Readable, ///< the string's length may be a lock's
        DullHash, ///< the key is a hash, and no lock
        LockHash, ///< the hash may be a lock
    };
    /// Whether all of the latest keys of such a name had that trait, and enough of them did.
    bool likely(Trait trait, QByteArrayView key) const;
    /// The key has the trait, or it does not.
    void learn(Trait trait, QByteArrayView key, bool has);
    void clear() { m_names.clear(); }

    static constexpr int kEnough = 16;        ///< keys that make a guess
    static constexpr int kMostWrong = 4;      ///< names that misled so often are not guessed from again
    static constexpr int kMostNames = 20'000; ///< about a megabyte

private:
    struct Run {
        std::uint8_t had = 0;   ///< so many in a row, up to kEnough
        std::uint8_t wrong = 0; ///< so often a guess was wrong
    };
    std::unordered_map<std::uint64_t, std::array<Run, 4>> m_names; ///< by the hash of what is common to them
};

/// Equal for names that differ in the numbers and identifiers within them: "user:17:name" and "user:4711:name".
std::uint64_t hashOfLikeNames(QByteArrayView key);

} // namespace lockscope::inspect
