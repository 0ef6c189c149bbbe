// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QByteArray>
#include <QString>

namespace lockscope::trace {

/// A name from a server or a file as readable text, for the window and the command line. UTF-8 stays as it is, except
/// characters that people cannot see or tell apart: control, direction and zero-width characters, blanks other than a
/// space, and a space at either end become \xNN, \uNNNN or \UNNNNNNNN. A backslash becomes two. In a name that is not
/// UTF-8, every byte beyond ASCII becomes \xNN. Two different names never give the same text.
QString readable(const QByteArray& bytes);

/// As readable(), for a sentence that may contain such names: one line, with backslashes and spaces as they are.
QString readableSentence(const QByteArray& bytes);

} // namespace lockscope::trace
