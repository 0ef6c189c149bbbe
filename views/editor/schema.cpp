// SPDX-License-Identifier: GPL-3.0-or-later
#include "editor/schema.h"

#include <QJsonArray>
#include <QJsonDocument>

namespace lockscope::views {

QJsonValue valueAt(const QJsonObject& root, const QString& pointer) {
    QJsonValue at = root;
    for (QString step : pointer.split(u'/', Qt::SkipEmptyParts)) {
        step.replace(QLatin1String("~1"), QLatin1String("/")).replace(QLatin1String("~0"), QLatin1String("~"));
        at = at.isArray() ? at.toArray().at(step.toInt()) : at.toObject().value(step);
    }
    return at;
}

QStringList SchemaNode::choices() const {
    QStringList all;
    for (const QJsonValue& one : rules[u"enum"].toArray())
        if (one.isString()) all += one.toString();
    return all;
}

Schema::Schema(const QByteArray& text) : m_root(QJsonDocument::fromJson(text).object()), m_positions(text) {
}

SchemaNode Schema::resolved(const QString& place) const {
    SchemaNode node{valueAt(m_root, place).toObject(), {}, place};
    while (node.rules.contains(u"$ref")) {
        node.place = node.rules[u"$ref"].toString().sliced(1); // "#/definitions/duration"
        node.definition = node.place.section(u'/', -1);
        node.rules = valueAt(m_root, node.place).toObject();
    }
    return node;
}

QStringList Schema::fields(const SchemaNode& object) const {
    QStringList keys;
    for (const QString& place : m_positions.inside(object.place + QStringLiteral("/properties")))
        keys += place.section(u'/', -1);
    return keys;
}

SchemaNode Schema::field(const SchemaNode& object, const QString& key) const {
    return resolved(object.place + QStringLiteral("/properties") + pointerStep(key));
}

} // namespace lockscope::views
