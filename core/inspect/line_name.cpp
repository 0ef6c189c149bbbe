// SPDX-License-Identifier: Apache-2.0
#include "inspect/line_name.h"

#include "inspect/text.h"

#include <QCoreApplication>

namespace lockscope::inspect {

namespace {
struct Text {
    Q_DECLARE_TR_FUNCTIONS(LineName)
};
} // namespace

QString lineName(const QByteArray& name) {
    constexpr qsizetype kMost = 160, kBegin = 100, kEnd = 40;
    //: A lock whose name is the empty text.
    if (name.isEmpty()) return Text::tr("(empty)");
    const QString text = readable(name);
    if (text.size() <= kMost) return text;
    //: The beginning and the end of a name, and its length.
    return Text::tr("%1…%2 (%n characters)", nullptr, int(text.size())).arg(text.left(kBegin), text.right(kEnd));
}

} // namespace lockscope::inspect
