// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "trace/json_positions.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QStringList>

namespace lockscope::views {

/// The part of a JSON Schema that describes one value.
struct SchemaNode {
    QJsonObject rules;
    QString definition; ///< the name of the definition that it uses; empty: none
    QString place;      ///< JSON pointer of the rules in the schema's text
    /// The values that it lists; empty: it lists none.
    QStringList choices() const;
    bool isType(const char* type) const { return rules[u"type"].toString() == QLatin1String(type); }
    bool needs(const QString& key) const { return rules[u"required"].toArray().contains(key); }
};

/// A published schema as the forms of the editor read it: which fields there are, in which order, of which kind.
class Schema {
public:
    explicit Schema(const QByteArray& text);

    SchemaNode root() const { return resolved(QString()); }
    /// The fields of an object, in the order of the schema's text.
    QStringList fields(const SchemaNode& object) const;
    SchemaNode field(const SchemaNode& object, const QString& key) const;
    /// The elements of a list.
    SchemaNode element(const SchemaNode& list) const { return resolved(list.place + QStringLiteral("/items")); }

private:
    SchemaNode resolved(const QString& place) const;
    QJsonObject m_root;
    JsonPositions m_positions;
};

/// The value at a JSON pointer; undefined: there is none.
QJsonValue valueAt(const QJsonObject& root, const QString& pointer);

} // namespace lockscope::views
