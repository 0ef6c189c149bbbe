// SPDX-License-Identifier: Apache-2.0
#include "inspect/redis/like_names.h"

namespace lockscope::inspect {

namespace {

constexpr qsizetype kLongWord = 20; // a longer one is an identifier, even without a digit
constexpr std::uint64_t kOffset = 14695981039346656037u, kPrime = 1099511628211u; // FNV-1a

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

bool isWithinWord(char c) {
    return isDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
}

} // namespace

// Runs for each key of a server, so it makes no text.
std::uint64_t hashOfLikeNames(QByteArrayView key) {
    std::uint64_t hash = kOffset;
    const auto add = [&hash](char c) { hash = (hash ^ static_cast<unsigned char>(c)) * kPrime; };
    for (qsizetype at = 0; at < key.size();) {
        const std::uint64_t before = hash;
        const qsizetype began = at;
        bool varies = false;
        for (; at < key.size() && isWithinWord(key[at]); ++at) {
            varies = varies || isDigit(key[at]);
            add(key[at]);
        }
        if (varies || at - began > kLongWord) {
            hash = before;
            add('0');
        }
        if (at < key.size()) add(key[at++]);
    }
    return hash;
}

bool LikeNames::likely(Trait trait, QByteArrayView key) const {
    const auto found = m_names.find(hashOfLikeNames(key));
    if (found == m_names.end()) return false;
    const Run& run = found->second[std::size_t(trait)];
    return run.had >= kEnough && run.wrong < kMostWrong;
}

void LikeNames::learn(Trait trait, QByteArrayView key, bool has) {
    const std::uint64_t hash = hashOfLikeNames(key);
    auto found = m_names.find(hash);
    if (found == m_names.end()) {
        if (m_names.size() >= std::size_t(kMostNames)) return;
        found = m_names.try_emplace(hash).first;
    }
    Run& run = found->second[std::size_t(trait)];
    if (has) {
        if (run.had < kEnough) ++run.had;
        return;
    }
    if (run.had >= kEnough && run.wrong < kMostWrong) ++run.wrong;
    run.had = 0;
}

} // namespace lockscope::inspect
