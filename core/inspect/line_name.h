// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QByteArray>
#include <QString>

namespace lockscope::inspect {

/// A name from a server for a line of text: readable(), but an empty one says so, and of one that is longer than a line
/// only the beginning and the end are there, which tell it from others.
QString lineName(const QByteArray& name);

} // namespace lockscope::inspect
