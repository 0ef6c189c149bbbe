// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QByteArray>

namespace lockscope::sim::redisd {

/// Redis' glob-style match: `*`, `?`, `[a-c]`, `[^a]`, `\` escapes; byte by byte, case matters.
bool globMatches(const QByteArray& pattern, const QByteArray& text);

} // namespace lockscope::sim::redisd
