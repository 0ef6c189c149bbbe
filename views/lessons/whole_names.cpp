// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/whole_names.h"

#include <QRegularExpression>

namespace lockscope::views {

QString withWholeNames(const QString& text) {
    static const QRegularExpression name(
        QStringLiteral("(?<![\\w-])(?:redis|zk|zookeeper|sql|mysql|postgresql|memcached|etcd|sentinel)(?:-\\w+)+"));
    constexpr QChar kHyphen(0x2011); // non-breaking
    QString whole = text;
    for (auto names = name.globalMatch(text); names.hasNext();) {
        const QRegularExpressionMatch match = names.next();
        // As long as the other one: places in the text stay the same.
        whole.replace(match.capturedStart(), match.capturedLength(), match.captured().replace(u'-', kHyphen));
    }
    return whole;
}

} // namespace lockscope::views
