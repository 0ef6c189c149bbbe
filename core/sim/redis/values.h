// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QByteArray>
#include <cstdint>
#include <cstring>
#include <deque>
#include <optional>
#include <unordered_map>
#include <variant>
#include <vector>

namespace lockscope::sim::redisd {

/// Hashing for lookups only: nothing ever iterates in this order.
struct BytesHash {
    std::size_t operator()(const QByteArray& bytes) const noexcept {
        constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15u;
        const auto mix = [](std::uint64_t h) { return (h ^ (h >> 29)) * kOdd; };
        const char* at = bytes.constData();
        auto left = std::size_t(bytes.size());
        std::uint64_t h = left;
        for (; left > sizeof h; at += sizeof h, left -= sizeof h) {
            std::uint64_t word = 0;
            std::memcpy(&word, at, sizeof word);
            h = mix(h ^ word);
        }
        std::uint64_t last = 0;
        std::memcpy(&last, at, left);
        h = mix(h ^ last);
        return std::size_t(h ^ (h >> 32));
    }
};
template <typename T>
using BytesIndex = std::unordered_map<QByteArray, T, BytesHash>;

/// Fields in the order in which they were first set, as a small Redis hash keeps them.
class HashValue {
public:
    struct Field {
        QByteArray name, value;
    };
    std::size_t size() const { return m_size; }
    const QByteArray* find(const QByteArray& name) const;
    /// True when the field is new.
    bool set(const QByteArray& name, QByteArray value);
    bool remove(const QByteArray& name);
    /// Calls `visit(name, value)` for every field, in order.
    template <typename F>
    void each(F visit) const {
        for (const Field& field : m_fields)
            if (!field.name.isNull()) visit(field.name, field.value);
    }

private:
    std::size_t slotOf(const QByteArray& name) const;
    void compact();
    std::vector<Field> m_fields; ///< a removed field of a large hash leaves a slot with a null name
    std::size_t m_size = 0;
    BytesIndex<std::size_t> m_index; ///< used above a size at which looking through all fields is slower
    bool m_indexed = false;
};

/// Members by (score, member), as ranges and ranks want them.
class ZsetValue {
public:
    struct Item {
        double score;
        QByteArray member;
    };
    const std::vector<Item>& items() const { return m_items; }
    std::size_t size() const { return m_items.size(); }
    std::optional<double> score(const QByteArray& member) const;
    std::optional<std::size_t> rank(const QByteArray& member) const;
    /// Adds the member or moves it. Precondition: `score` is not NaN.
    void set(const QByteArray& member, double score);
    bool remove(const QByteArray& member);
    /// Removes ranks [first, last).
    void removeRanks(std::size_t first, std::size_t last);

private:
    std::size_t place(double score, const QByteArray& member) const;
    std::vector<Item> m_items;
    BytesIndex<double> m_scores;
};

using ListValue = std::deque<QByteArray>;
using StringValue = QByteArray;
using Value = std::variant<StringValue, HashValue, ZsetValue, ListValue>;

} // namespace lockscope::sim::redisd
