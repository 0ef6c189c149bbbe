// SPDX-License-Identifier: Apache-2.0
#include "trace/json_positions.h"

namespace lockscope {

QString pointerStep(QString key) {
    key.replace(QLatin1Char('~'), QStringLiteral("~0")).replace(QLatin1Char('/'), QStringLiteral("~1"));
    return QLatin1Char('/') + key;
}

JsonPositions::JsonPositions(const QByteArray& json) : m_json(json) {
    if (m_json.startsWith("\xEF\xBB\xBF")) m_at = 3; // a byte order mark, which Qt's parser skips too
    value(QString());
}

int JsonPositions::line(const QString& pointer) const {
    for (QString at = pointer;; at.truncate(at.lastIndexOf(QLatin1Char('/')))) {
        if (const auto found = m_lines.find(at); found != m_lines.end()) return found->second;
        if (at.isEmpty()) return 1;
    }
}

int JsonPositions::lineOf(const QByteArray& json, qsizetype offset) {
    return 1 + static_cast<int>(
                   std::count(json.begin(), json.begin() + std::clamp<qsizetype>(offset, 0, json.size()), '\n'));
}

void JsonPositions::skipSpace() {
    while (m_at < m_json.size() && (m_json[m_at] == ' ' || (m_json[m_at] >= '\t' && m_json[m_at] <= '\r'))) {
        if (m_json[m_at++] == '\n') ++m_line;
    }
}

bool JsonPositions::take(char c) {
    skipSpace();
    if (m_at >= m_json.size() || m_json[m_at] != c) return false;
    ++m_at;
    return true;
}

QString JsonPositions::string() {
    const qsizetype start = m_at; // at the opening quote
    for (++m_at; m_at < m_json.size() && m_json[m_at] != '"'; ++m_at) {
        if (m_json[m_at] == '\\') ++m_at;
    }
    ++m_at;
    const QByteArray quoted = "[" + m_json.mid(start, m_at - start) + "]"; // the parser undoes the escapes
    return QJsonDocument::fromJson(quoted).array().at(0).toString();
}

std::optional<JsonPositions::Place> JsonPositions::place(const QString& pointer) const {
    const auto found = m_places.find(pointer);
    return found == m_places.end() ? std::nullopt : std::optional(found->second);
}

void JsonPositions::value(const QString& pointer, std::optional<qsizetype> key) {
    skipSpace();
    m_lines.try_emplace(pointer, m_line);
    const qsizetype begin = m_at;
    const auto ended = qScopeGuard([&] { m_places.try_emplace(pointer, Place{key.value_or(begin), begin, m_at}); });
    if (m_at >= m_json.size()) return;
    switch (m_json[m_at]) {
    case '{':
        object(pointer);
        break;
    case '[':
        array(pointer);
        break;
    case '"':
        string();
        break;
    default:
        while (m_at < m_json.size() && !QByteArrayView(",]} \t\r\n").contains(m_json[m_at]))
            ++m_at;
    }
}

void JsonPositions::object(const QString& pointer) {
    ++m_at;
    std::set<QString> seen;
    while (!take('}') && m_at < m_json.size()) {
        const qsizetype begin = m_at;
        const QString key = string();
        const QString child = pointer + pointerStep(key);
        if (!seen.insert(key).second) m_duplicates.emplace_back(child, m_line);
        m_lines.try_emplace(child, m_line);
        m_inside[pointer] += child;
        take(':');
        value(child, begin);
        take(',');
    }
}

void JsonPositions::array(const QString& pointer) {
    ++m_at;
    for (int i = 0; !take(']') && m_at < m_json.size(); ++i) {
        const QString child = pointer + QLatin1Char('/') + QString::number(i);
        m_inside[pointer] += child;
        value(child);
        take(',');
    }
}

} // namespace lockscope
