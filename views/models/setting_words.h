// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

namespace lockscope::views {

/// A setting of the run and its value in the words of the form where it is chosen: "Token check = on", "Lease = 3s".
/// Translated. A setting that the form does not have stands as scenarios write it.
QString settingText(const QString& setting, const QString& value);
/// As above, of a text such as "token_check=on".
QString settingText(const QString& assignment);

} // namespace lockscope::views
