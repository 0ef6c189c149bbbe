// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QByteArray>
#include <QString>

namespace lockscope::trace {

/// Bytes of a name from a server or a file as people can read them, for the window and the command line alike. UTF-8
/// stays as it is, except for what cannot be seen or told apart: control, direction and zero-width characters, blanks
/// other than a space, and a space at either end become \xNN, \uNNNN or \UNNNNNNNN; a backslash becomes two. In what is
/// not UTF-8 every byte beyond ASCII becomes \xNN. Two different byte strings never give the same text.
QString readable(const QByteArray& bytes);

/// The same of a sentence that may hold such names: one line, with backslashes and spaces as they are.
QString readableSentence(const QByteArray& bytes);

} // namespace lockscope::trace
