// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QString>
#include <QStringList>

namespace lockscope::trace {

/// A translated pattern with `arguments` in its places %1, %2 …. Chinese sets a space beside a name in Latin letters
/// and none among its own characters: where an argument begins or ends with one of these, a space that parts it from
/// another one of the pattern goes.
QString filled(const QString& pattern, const QStringList& arguments);

} // namespace lockscope::trace
