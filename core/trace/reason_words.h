// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QString>

namespace lockscope::trace {

/// The reason that an event gives by an identifier ("unreachable", "server-emptied"), as words, translated. Any other
/// text is returned as it is.
QString reasonWords(const QString& reason);

} // namespace lockscope::trace
