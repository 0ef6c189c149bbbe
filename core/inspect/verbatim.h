// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QString>

namespace lockscope::inspect {

/// A name as programs get it, in a notation that escapes by itself: as it is on the server, where it is UTF-8; else as
/// readable() has it.
QString verbatim(const QByteArray& name);

} // namespace lockscope::inspect
