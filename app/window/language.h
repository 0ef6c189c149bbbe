// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <QStringList>

namespace lockscope::app {

/// The languages that Lockscope speaks: "en", "zh_CN".
QStringList languages();
/// A language's name in itself: "English", "简体中文".
QString languageName(const QString& language);
/// The language that a wish stands for: "" = the system's language, or English when there is no translation into that.
QString resolvedLanguage(const QString& wanted);
/// Makes the application speak it from now on. Texts that are on screen already stay as they are: build the window
/// anew. English has a file of its own, for plural forms.
void speak(const QString& language);

} // namespace lockscope::app
