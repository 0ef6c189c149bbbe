// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QByteArray>
#include <QJsonObject>

namespace lockscope::scenario {

/// A scenario file's object in the words of the second version of files; one that is of it already comes back as it
/// is. It says the same: read, both are equal scenarios. Precondition: `document` is a valid file.
QJsonObject inFormTwo(QJsonObject document);

} // namespace lockscope::scenario
