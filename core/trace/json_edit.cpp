// SPDX-License-Identifier: Apache-2.0
#include "trace/json_edit.h"

#include "trace/json_positions.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>

namespace lockscope {

namespace {

constexpr qsizetype kLineWidth = 110; ///< what is longer is broken into lines
constexpr int kStep = 2;              ///< spaces for each level, as in the built-in files

/// A key, a text or a number, as it stands in a file.
QByteArray scalarText(const QJsonValue& value) {
    const QByteArray list = QJsonDocument(QJsonArray{value}).toJson(QJsonDocument::Compact);
    return list.sliced(1, list.size() - 2);
}

QStringList keysOf(const QJsonObject& object, const QStringList& order) {
    QStringList keys = object.keys();
    const auto rank = [&](const QString& key) {
        const qsizetype at = order.indexOf(key);
        return at < 0 ? order.size() : at;
    };
    std::ranges::stable_sort(keys, {}, rank);
    return keys;
}

QByteArray oneLine(const QJsonValue& value, const QStringList& order) {
    QByteArrayList parts;
    if (value.isArray()) {
        for (const QJsonValue& one : value.toArray())
            parts += oneLine(one, order);
        return '[' + parts.join(", ") + ']';
    }
    if (!value.isObject()) return scalarText(value);
    const QJsonObject object = value.toObject();
    for (const QString& key : keysOf(object, order))
        parts += scalarText(key) + ": " + oneLine(object[key], order);
    return parts.isEmpty() ? "{}" : "{ " + parts.join(", ") + " }";
}

QByteArray broken(const QByteArrayList& parts, char open, char close, int indent) {
    const QByteArray inner = ",\n" + QByteArray(indent + kStep, ' ');
    return open + inner.sliced(1) + parts.join(inner) + '\n' + QByteArray(indent, ' ') + close;
}

QString parentOf(const QString& pointer) {
    return pointer.left(pointer.lastIndexOf(u'/'));
}

/// The last step of a pointer, as a key.
QString lastKey(const QString& pointer) {
    QString key = pointer.sliced(pointer.lastIndexOf(u'/') + 1);
    return key.replace(QLatin1String("~1"), QLatin1String("/")).replace(QLatin1String("~0"), QLatin1String("~"));
}

QJsonValue valueAt(const QByteArray& json, const JsonPositions::Place& place) {
    return QJsonDocument::fromJson('[' + json.sliced(place.begin, place.end - place.begin) + ']')[0];
}

/// The spaces that the line of a byte begins with.
int indentAt(const QByteArray& json, qsizetype at) {
    const qsizetype line = at > 0 ? json.lastIndexOf('\n', at - 1) + 1 : 0;
    int spaces = 0;
    while (line + spaces < json.size() && json[line + spaces] == ' ')
        ++spaces;
    return spaces;
}

bool standsOnOneLine(const QByteArray& json, const JsonPositions::Place& place) {
    return !json.sliced(place.begin, place.end - place.begin).contains('\n');
}

} // namespace

QByteArray jsonText(const QJsonValue& value, const QStringList& order, int indent) {
    const QByteArray line = oneLine(value, order);
    if (line.size() + indent <= kLineWidth || !(value.isObject() || value.isArray())) return line;
    QByteArrayList parts;
    if (value.isArray()) {
        for (const QJsonValue& one : value.toArray())
            parts += jsonText(one, order, indent + kStep);
        return broken(parts, '[', ']', indent);
    }
    const QJsonObject object = value.toObject();
    for (const QString& key : keysOf(object, order))
        parts += scalarText(key) + ": " + jsonText(object[key], order, indent + kStep);
    return broken(parts, '{', '}', indent);
}

QByteArray withValue(const QByteArray& json, const QString& pointer, const QJsonValue& value,
                     const QStringList& order) {
    const JsonPositions positions(json);
    if (const auto place = positions.place(pointer)) {
        const QByteArray text = jsonText(value, order, indentAt(json, place->begin));
        return json.left(place->begin) + text + json.sliced(place->end);
    }
    Q_ASSERT(!pointer.isEmpty()); // a well-formed text has a value there
    const QString parent = parentOf(pointer), key = lastKey(pointer);
    const auto around = positions.place(parent);
    if (!around) {
        const QJsonValue inner = key == u'0' ? QJsonValue(QJsonArray{value}) : QJsonValue(QJsonObject{{key, value}});
        return withValue(json, parent, inner, order);
    }
    const QStringList inside = positions.inside(parent);
    const bool list = json[around->begin] == '[';
    if (inside.isEmpty() || standsOnOneLine(json, *around)) {
        QJsonValue whole = valueAt(json, *around);
        if (list) {
            QJsonArray array = whole.toArray();
            array += value;
            whole = array;
        } else {
            QJsonObject object = whole.toObject();
            object[key] = value;
            whole = object;
        }
        // A whole document is better read in lines, however short it is.
        const int indent = indentAt(json, around->begin);
        QByteArray text = jsonText(whole, order, indent);
        if (parent.isEmpty() && !text.contains('\n')) text = "{\n  " + text.sliced(2, text.size() - 4) + "\n}";
        return json.left(around->begin) + text + json.sliced(around->end);
    }
    const JsonPositions::Place last = *positions.place(inside.last());
    const int indent = indentAt(json, last.key);
    const QByteArray name = list ? QByteArray() : scalarText(key) + ": ";
    return json.left(last.end) + ",\n" + QByteArray(indent, ' ') + name + jsonText(value, order, indent) +
           json.sliced(last.end);
}

QByteArray withoutValue(const QByteArray& json, const QString& pointer) {
    const JsonPositions positions(json);
    const auto place = positions.place(pointer);
    if (!place || pointer.isEmpty()) return json;
    const QStringList inside = positions.inside(parentOf(pointer));
    const qsizetype at = inside.indexOf(pointer);
    if (at + 1 < inside.size()) return json.left(place->key) + json.sliced(positions.place(inside[at + 1])->key);
    if (at > 0) return json.left(positions.place(inside[at - 1])->end) + json.sliced(place->end);
    const JsonPositions::Place around = *positions.place(parentOf(pointer));
    return json.left(around.begin + 1) + json.sliced(around.end - 1);
}

QByteArray withElements(const QByteArray& json, const QString& pointer, const std::vector<int>& numbers) {
    const JsonPositions positions(json);
    const auto around = positions.place(pointer);
    if (!around || json[around->begin] != '[') return json;
    const QStringList inside = positions.inside(pointer);
    QByteArrayList parts;
    for (const int number : numbers) {
        if (number < 0 || number >= inside.size()) continue;
        const JsonPositions::Place place = *positions.place(inside[number]);
        parts += json.sliced(place.begin, place.end - place.begin);
    }
    const int indent = indentAt(json, around->begin);
    const bool one = parts.isEmpty() || standsOnOneLine(json, *around);
    const QByteArray text = one ? '[' + parts.join(", ") + ']' : broken(parts, '[', ']', indent);
    return json.left(around->begin) + text + json.sliced(around->end);
}

QStringList fieldOrder(const QByteArray& schema) {
    const JsonPositions positions(schema);
    QStringList order;
    const auto collect = [&](const auto& self, const QString& pointer) -> void {
        for (const QString& child : positions.inside(pointer)) {
            if (pointer.endsWith(QLatin1String("/properties")) && !order.contains(lastKey(child)))
                order += lastKey(child);
            self(self, child);
        }
    };
    collect(collect, QString());
    return order;
}

} // namespace lockscope
