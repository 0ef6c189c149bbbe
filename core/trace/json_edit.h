// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QByteArray>
#include <QJsonValue>
#include <QStringList>
#include <vector>

namespace lockscope {

/// Changes of a JSON text at one place, which leave everything else as a person has written it: the order of fields,
/// the line breaks, the spelling of numbers. Every text given here must be well-formed. `order` is the order in which
/// the fields of new objects stand; fields that it does not name come last, by name.

/// A value as text. A value that fits into a line stands on one, as in the built-in files. `indent`: spaces before the
/// line that it begins on.
QByteArray jsonText(const QJsonValue& value, const QStringList& order = {}, int indent = 0);

/// The text with this value at a JSON pointer: a value that stands there is replaced; a field that is missing comes
/// behind the others, a missing object around it too; the number behind a list's last one makes it longer by one.
QByteArray withValue(const QByteArray& json, const QString& pointer, const QJsonValue& value,
                     const QStringList& order = {});

/// The text without the value at a JSON pointer; the same text when there is none.
QByteArray withoutValue(const QByteArray& json, const QString& pointer);

/// The text with the elements of a list in another order: each number names an element of before, from 0. One that is
/// named twice stands there twice, one that is not named is gone. Numbers out of range are left out.
QByteArray withElements(const QByteArray& json, const QString& pointer, const std::vector<int>& numbers);

/// The names of all fields that a JSON Schema describes, in the order of its text.
QStringList fieldOrder(const QByteArray& schema);

} // namespace lockscope
