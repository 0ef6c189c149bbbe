// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QString>
#include <lockscope/hold_event.h>

namespace lockscope::detail {

/// Writes the line of an event of a lock's holds to the log handler, if it wants that level.
void writeDown(HoldEvent event, const QByteArray& name, const QString& reason);
/// The sentence for a hold of that lock that could not be given back.
QString notGivenBack(const QByteArray& name, const QString& reason);

} // namespace lockscope::detail
