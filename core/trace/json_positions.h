// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QByteArray>
#include <QHash>
#include <QStringList>
#include <map>
#include <optional>
#include <vector>

namespace lockscope {

/// Where in a JSON text each value stands: Qt's parser forgets that, and a complaint without a line is half a
/// complaint.
class JsonPositions {
public:
    /// `json` must be well-formed.
    explicit JsonPositions(const QByteArray& json);

    /// The 1-based line of the value at a JSON pointer (of its key, in an object); of the nearest parent when there is
    /// nothing at the pointer.
    int line(const QString& pointer) const;
    /// Pointers of keys that stand twice in one object, at their second place. A parser keeps one of them silently.
    const std::vector<std::pair<QString, int>>& duplicates() const { return m_duplicates; }

    /// The bytes that a value takes: from its first to behind its last, and where its key begins (where the value
    /// begins, in a list).
    struct Place {
        qsizetype key = 0, begin = 0, end = 0;
    };
    /// nullopt: there is nothing at the pointer. A key that stands twice has its first place.
    std::optional<Place> place(const QString& pointer) const;
    /// The pointers of what stands directly in an object or a list, in the order of the text.
    QStringList inside(const QString& pointer) const { return m_inside.value(pointer); }

    /// The 1-based line of a byte offset.
    static int lineOf(const QByteArray& json, qsizetype offset);

private:
    void value(const QString& pointer, std::optional<qsizetype> key = {});
    void object(const QString& pointer);
    void array(const QString& pointer);
    QString string();
    void skipSpace();
    bool take(char c);

    QByteArray m_json;
    qsizetype m_at = 0;
    int m_line = 1;
    std::map<QString, int> m_lines;
    std::map<QString, Place> m_places;
    QHash<QString, QStringList> m_inside;
    std::vector<std::pair<QString, int>> m_duplicates;
};

/// A key as one step of a JSON pointer: "~" and "/" escaped.
QString pointerStep(QString key);

} // namespace lockscope
