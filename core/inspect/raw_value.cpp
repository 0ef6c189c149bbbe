// SPDX-License-Identifier: Apache-2.0
#include "inspect/raw_value.h"

#include "inspect/text.h"

#include <algorithm>

namespace lockscope::inspect {

namespace {

/// Different bytes may read the same.
bool readSame(const QByteArray& a, const QByteArray& b) {
    return a == b || readable(a) == readable(b);
}

} // namespace

QJsonValue RawValue::json() const {
    if (const QByteArray* const bytes = text()) return readable(*bytes);
    if (const List* const all = list()) {
        QJsonArray array;
        for (const QByteArray& item : *all)
            array.append(readable(item));
        return array;
    }
    QJsonObject object;
    if (const Fields* const all = fields()) {
        for (const auto& [field, value] : *all)
            object.insert(readable(field), readable(value));
        return object;
    }
    if (const Scores* const all = scores()) {
        for (const auto& [member, score] : *all)
            object.insert(readable(member), score);
        return object;
    }
    return std::get<QJsonValue>(m_content);
}

bool operator==(const RawValue& a, const RawValue& b) {
    if (a.text() && b.text()) return readSame(*a.text(), *b.text());
    if (a.list() && b.list()) return a.list() == b.list() || std::ranges::equal(*a.list(), *b.list(), readSame);
    if (a.fields() && b.fields() && *a.fields() == *b.fields()) return true;
    if (a.scores() && b.scores() && *a.scores() == *b.scores()) return true;
    return a.json() == b.json(); // objects have no order
}

} // namespace lockscope::inspect
