// SPDX-License-Identifier: Apache-2.0
#include "inspect/seen_content.h"

#include "inspect/party_about.h"
#include "inspect/text.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <algorithm>
#include <cmath>

namespace lockscope::inspect {

namespace {

constexpr qsizetype kMostBytes = 4096;
constexpr std::int64_t kSameEndMs = 250;

/// How much of everything is kept.
struct Limits {
    int keys, elements, characters;
};
/// From the most to the least; the first that fits is taken, and the last always does.
constexpr Limits kLimits[] = {{16, 32, 200}, {8, 12, 80}, {4, 4, 40}, {2, 1, 16}};

class Cutter {
public:
    explicit Cutter(const Limits& limits) : m_limits(limits) {}

    QJsonObject key(const RawKey& raw) {
        bool cut = false;
        std::int64_t more = raw.more;
        QJsonObject json{{QStringLiteral("key"), text(readable(raw.key), cut)},
                         {QStringLiteral("type"), text(readable(raw.type), cut)}};
        if (raw.ttlMs) json.insert(QStringLiteral("ttl_ms"), qint64(*raw.ttlMs));
        json.insert(QStringLiteral("value"), value(raw.value.json(), cut, more));
        if (more > 0) json.insert(QStringLiteral("more"), qint64(more));
        if (cut) json.insert(QStringLiteral("cut"), true);
        return json;
    }

private:
    QString text(const QString& whole, bool& cut) const {
        if (whole.size() <= m_limits.characters) return whole;
        cut = true;
        return whole.left(m_limits.characters) + QChar(0x2026);
    }
    QJsonValue value(const QJsonValue& whole, bool& cut, std::int64_t& more) const {
        // A list is shortened as it stands where nothing in it needs a cut: to make it again, element by element, is
        // most of the work for a long queue.
        if (whole.isArray()) {
            const QJsonArray all = whole.toArray();
            QJsonArray beginning = all;
            while (beginning.size() > m_limits.elements)
                beginning.removeLast();
            if (fits(beginning)) {
                more += all.size() - beginning.size();
                return beginning;
            }
            QJsonArray part;
            for (const QJsonValue& element : beginning)
                part.append(value(element, cut, more));
            more += all.size() - part.size();
            return part;
        }
        if (fits(whole)) return whole;
        if (whole.isString()) return text(whole.toString(), cut);
        QJsonObject part;
        const QJsonObject all = whole.toObject();
        int kept = 0;
        for (auto it = all.begin(); it != all.end() && kept < m_limits.elements; ++it, ++kept)
            part.insert(text(it.key(), cut), value(it.value(), cut, more));
        more += all.size() - kept;
        return part;
    }
    bool fits(const QString& text) const { return text.size() <= m_limits.characters; }
    bool fits(const QJsonArray& all) const {
        return all.size() <= m_limits.elements &&
               std::ranges::all_of(all, [this](const QJsonValue& element) { return fits(element); });
    }
    bool fits(const QJsonObject& all) const {
        if (all.size() > m_limits.elements) return false;
        for (auto it = all.begin(); it != all.end(); ++it)
            if (!fits(it.key()) || !fits(it.value())) return false;
        return true;
    }
    /// Whether nothing of it has to be left out.
    bool fits(const QJsonValue& whole) const {
        if (whole.isString()) return fits(whole.toString());
        if (whole.isArray()) return fits(whole.toArray());
        return !whole.isObject() || fits(whole.toObject());
    }

    Limits m_limits;
};

/// Writes keys whose texts are plain ASCII and fit, which nearly all are: a list of names is many times cheaper to
/// write than to make into JSON first. It writes what QJsonDocument would.
class PlainKey {
public:
    PlainKey(const RawKey& raw, const Limits& limits) : m_raw(raw), m_limits(limits) {}

    /// False: it cannot, and the text is of no use.
    bool appendTo(QByteArray& text) {
        text.append("{\"key\":");
        if (!append(text, m_raw.key)) return false;
        QByteArray value;
        if (!appendValue(value)) return false;
        if (m_more > 0) text.append(",\"more\":").append(QByteArray::number(qint64(m_more)));
        if (m_raw.ttlMs) text.append(",\"ttl_ms\":").append(QByteArray::number(qint64(*m_raw.ttlMs)));
        text.append(",\"type\":");
        if (!append(text, m_raw.type)) return false;
        text.append(",\"value\":").append(value).append('}');
        return true;
    }

private:
    bool append(QByteArray& text, const QByteArray& plain) const {
        if (plain.size() > m_limits.characters || plain.startsWith(' ') || plain.endsWith(' ')) return false;
        for (const char c : plain)
            if (c < 0x20 || c > 0x7e || c == '"' || c == '\\') return false;
        text.append('"').append(plain).append('"');
        return true;
    }
    static bool append(QByteArray& text, double score) {
        constexpr double kWhole = 1e15; // such numbers have no fraction that a text could show
        if (score != std::trunc(score) || std::abs(score) > kWhole || std::signbit(score)) return false;
        text.append(QByteArray::number(qint64(score)));
        return true;
    }
    /// How many of `size` elements are written.
    std::size_t kept(std::size_t size) {
        const std::size_t kept = std::min(size, std::size_t(m_limits.elements));
        m_more += std::int64_t(size - kept);
        return kept;
    }
    bool appendList(QByteArray& text, const RawValue::List& list) {
        text.append('[');
        const std::size_t count = kept(list.size());
        for (std::size_t i = 0; i < count; ++i) {
            if (i > 0) text.append(',');
            if (!append(text, list[i])) return false;
        }
        text.append(']');
        return true;
    }
    template <typename Elements>
    bool appendObject(QByteArray& text, const Elements& elements) {
        std::vector<const typename Elements::value_type*> ordered;
        ordered.reserve(elements.size());
        for (const auto& element : elements)
            ordered.push_back(&element);
        std::ranges::sort(ordered, [](const auto* a, const auto* b) { return a->first < b->first; });
        text.append('{');
        const std::size_t count = kept(ordered.size());
        for (std::size_t i = 0; i < count; ++i) {
            if (i > 0) text.append(',');
            if (!append(text, ordered[i]->first)) return false;
            text.append(':');
            if (!append(text, ordered[i]->second)) return false;
        }
        text.append('}');
        return true;
    }
    bool appendValue(QByteArray& text) {
        m_more = m_raw.more;
        const RawValue& value = m_raw.value;
        if (value.text()) return append(text, *value.text());
        if (value.list()) return appendList(text, *value.list());
        if (value.fields()) return appendObject(text, *value.fields());
        if (value.scores()) return appendObject(text, *value.scores());
        return false;
    }

    const RawKey& m_raw;
    const Limits& m_limits;
    std::int64_t m_more = 0; ///< elements that are left out
};

QByteArray textWithin(const std::vector<RawKey>& keys, const Limits& limits) {
    Cutter cutter(limits);
    QByteArray text("[");
    const std::size_t kept = std::min(keys.size(), std::size_t(limits.keys));
    for (std::size_t i = 0; i < kept; ++i) {
        if (i > 0) text.append(',');
        const qsizetype before = text.size();
        if (PlainKey(keys[i], limits).appendTo(text)) continue;
        text.truncate(before);
        text.append(QJsonDocument(cutter.key(keys[i])).toJson(QJsonDocument::Compact));
    }
    if (kept < keys.size()) {
        const QJsonObject others{{QStringLiteral("more_keys"), qint64(keys.size() - kept)}};
        if (kept > 0) text.append(',');
        text.append(QJsonDocument(others).toJson(QJsonDocument::Compact));
    }
    return text.append(']');
}

} // namespace

LockRow withPlaces(LockRow row) {
    constexpr std::size_t kMostClients = 8;
    std::size_t left = kMostClients;
    const auto add = [&](const std::vector<Party>& parties) {
        for (const Party& party : parties) {
            if (party.about.isEmpty() || left == 0) continue;
            // A statement may contain a password, and this goes into recordings: a session's is left out.
            const QByteArray about = aboutWithoutStatement(party);
            row.raw.push_back({party.client, kClientEntry, {}, readable(about)});
            if (party.gone) row.raw.push_back({party.client, kGoneEntry, {}, QJsonValue(QJsonValue::Null)});
            --left;
        }
    };
    if (!row.server.isEmpty()) row.raw.push_back({row.server, kServerEntry, {}, QJsonValue(QJsonValue::Null)});
    add(row.holders);
    if (row.waiters) add(*row.waiters);
    return row;
}

QByteArray contentText(const std::vector<RawKey>& keys) {
    QByteArray text;
    for (const Limits& limits : kLimits) {
        text = textWithin(keys, limits);
        if (text.size() <= kMostBytes) break;
    }
    return text;
}

QByteArray ContentTexts::of(const std::vector<RawKey>& keys) {
    constexpr std::size_t kKept = 4;
    for (const Known& known : m_known)
        if (known.keys == keys) return known.text;
    m_known.push_front({keys, contentText(keys)});
    if (m_known.size() > kKept) m_known.pop_back();
    return m_known.front().text;
}

std::optional<SeenContent> contentFrom(const QByteArray& text) {
    const QJsonDocument document = QJsonDocument::fromJson(text);
    if (!document.isArray()) return std::nullopt;
    SeenContent seen;
    for (const QJsonValue& element : document.array()) {
        const QJsonObject json = element.toObject();
        if (const QJsonValue more = json.value(QLatin1String("more_keys")); more.isDouble()) {
            seen.moreKeys = more.toInteger();
            continue;
        }
        RawKey raw;
        raw.key = json.value(QLatin1String("key")).toString().toUtf8();
        raw.type = json.value(QLatin1String("type")).toString().toUtf8();
        if (const QJsonValue ttl = json.value(QLatin1String("ttl_ms")); ttl.isDouble()) raw.ttlMs = ttl.toInteger();
        raw.value = json.value(QLatin1String("value"));
        raw.more = json.value(QLatin1String("more")).toInteger();
        seen.cut = seen.cut || json.value(QLatin1String("cut")).toBool();
        seen.keys.push_back(std::move(raw));
    }
    return seen;
}

std::map<QByteArray, SeenClient> seenClientsIn(const QByteArray& contentText) {
    std::map<QByteArray, SeenClient> clients;
    // Most contents name nobody, and reading one takes longer than looking for the word.
    const auto seen = contentText.contains(kClientEntry) ? contentFrom(contentText) : std::nullopt;
    if (!seen) return clients;
    for (const RawKey& key : seen->keys) {
        if (key.type == kClientEntry) clients[key.key].about = key.value.json().toString().toUtf8();
        if (key.type == kGoneEntry) clients[key.key].gone = true;
    }
    return clients;
}

bool sameContent(const std::vector<RawKey>& before, const std::vector<RawKey>& now, std::chrono::nanoseconds between) {
    const std::int64_t ms = std::chrono::duration_cast<std::chrono::milliseconds>(between).count();
    return std::ranges::equal(before, now, [ms](const RawKey& a, const RawKey& b) {
        if (a.key != b.key || a.type != b.type || a.more != b.more || a.ttlMs.has_value() != b.ttlMs.has_value())
            return false;
        if (a.ttlMs && std::abs(*a.ttlMs - ms - *b.ttlMs) > kSameEndMs) return false;
        return a.value == b.value;
    });
}

} // namespace lockscope::inspect
