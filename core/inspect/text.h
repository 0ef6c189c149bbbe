// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QByteArray>
#include <QString>

namespace lockscope::inspect {

/// Bytes from a server as people can read them: UTF-8 as it is; control characters, and every byte of what is not UTF-8
/// and not ASCII, as \xNN. Two different byte strings never look the same unless one contains such an escape itself.
QString readable(const QByteArray& bytes);

} // namespace lockscope::inspect
