// SPDX-License-Identifier: Apache-2.0
#include "sim/redis/values.h"

#include <algorithm>
#include <cmath>

namespace lockscope::sim::redisd {

namespace {
constexpr std::size_t kNone = std::size_t(-1);
constexpr std::size_t kIndexAbove = 16;
} // namespace

std::size_t HashValue::slotOf(const QByteArray& name) const {
    if (m_indexed) {
        const auto it = m_index.find(name);
        return it == m_index.end() ? kNone : it->second;
    }
    for (std::size_t i = 0; i < m_fields.size(); ++i)
        if (m_fields[i].name == name && !m_fields[i].name.isNull()) return i;
    return kNone;
}

const QByteArray* HashValue::find(const QByteArray& name) const {
    const std::size_t slot = slotOf(name);
    return slot == kNone ? nullptr : &m_fields[slot].value;
}

bool HashValue::set(const QByteArray& name, QByteArray value) {
    if (const std::size_t slot = slotOf(name); slot != kNone) {
        m_fields[slot].value = std::move(value);
        return false;
    }
    // A null name marks a free slot, so an empty name must not be null.
    m_fields.push_back({name.isNull() ? QByteArray("") : name, std::move(value)});
    ++m_size;
    if (m_indexed) {
        m_index.emplace(m_fields.back().name, m_fields.size() - 1);
    } else if (m_size > kIndexAbove) {
        m_indexed = true;
        compact();
    }
    return true;
}

bool HashValue::remove(const QByteArray& name) {
    const std::size_t slot = slotOf(name);
    if (slot == kNone) return false;
    --m_size;
    if (!m_indexed) {
        m_fields.erase(m_fields.begin() + std::ptrdiff_t(slot));
        return true;
    }
    m_index.erase(m_fields[slot].name);
    m_fields[slot] = {};
    if (m_fields.size() > 2 * m_size + kIndexAbove) compact();
    return true;
}

void HashValue::compact() {
    std::erase_if(m_fields, [](const Field& field) { return field.name.isNull(); });
    m_index.clear();
    for (std::size_t i = 0; i < m_fields.size(); ++i)
        m_index.emplace(m_fields[i].name, i);
}

std::size_t ZsetValue::place(double score, const QByteArray& member) const {
    const auto it = std::lower_bound(m_items.begin(), m_items.end(), score, [&](const Item& item, double wanted) {
        return item.score < wanted || (item.score == wanted && item.member < member);
    });
    return std::size_t(it - m_items.begin());
}

std::optional<double> ZsetValue::score(const QByteArray& member) const {
    const auto it = m_scores.find(member);
    if (it == m_scores.end()) return std::nullopt;
    return it->second;
}

std::optional<std::size_t> ZsetValue::rank(const QByteArray& member) const {
    const auto it = m_scores.find(member);
    if (it == m_scores.end()) return std::nullopt;
    return place(it->second, member);
}

void ZsetValue::set(const QByteArray& member, double score) {
    Q_ASSERT(!std::isnan(score));
    score += 0.0; // a small sorted set of Redis keeps integers as such and knows no minus zero
    const auto [it, added] = m_scores.try_emplace(member, score);
    if (!added) {
        m_items.erase(m_items.begin() + std::ptrdiff_t(place(it->second, member)));
        it->second = score;
    }
    m_items.insert(m_items.begin() + std::ptrdiff_t(place(score, member)), {score, member});
}

bool ZsetValue::remove(const QByteArray& member) {
    const auto found = rank(member);
    if (!found) return false;
    removeRanks(*found, *found + 1);
    return true;
}

void ZsetValue::removeRanks(std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i)
        m_scores.erase(m_items[i].member);
    m_items.erase(m_items.begin() + std::ptrdiff_t(first), m_items.begin() + std::ptrdiff_t(last));
}

} // namespace lockscope::sim::redisd
