// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

namespace lockscope::views {

/// A command's text without its mnemonic: "&Save…" → "Save…", "保存(&S)…" → "保存…"; "&&" stays an ampersand.
QString withoutMnemonic(const QString& text);

} // namespace lockscope::views
