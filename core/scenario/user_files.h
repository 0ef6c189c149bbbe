// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QStringList>

namespace lockscope::scenario {

/// A person's own files, beside those that ship with the program.
enum class Shelf : std::uint8_t { Scenarios, Lessons };

/// The folder of the person's own files of a kind, in the data folder of the account; it may not exist yet.
QString userFolder(Shelf shelf);
/// The file of that name in it, without ".json"; empty: there is none.
QString userFile(Shelf shelf, const QString& name);
/// The names of all its files, without ".json", sorted. A built-in one of the same name goes before them.
QStringList userFiles(Shelf shelf);

} // namespace lockscope::scenario
