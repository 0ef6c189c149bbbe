// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/plain_tips.h"

#include <QAbstractItemView>
#include <QFontMetricsF>
#include <QHeaderView>
#include <QHelpEvent>
#include <QMenu>
#include <QToolTip>
#include <cmath>

namespace lockscope::views {

namespace {

constexpr int kLettersOfLine = 60; ///< in a line of a tip, before it is broken

/// Where Qt would show markup: what `watched` has to say at this place; a null text leaves it to the widget itself.
QString tipOf(const QWidget* watched, const QPoint& at) {
    if (const auto* menu = qobject_cast<const QMenu*>(watched)) {
        const QAction* const action = menu->toolTipsVisible() ? menu->actionAt(at) : nullptr;
        return action ? action->toolTip() : QString();
    }
    const auto* view = qobject_cast<const QAbstractItemView*>(watched->parentWidget());
    if (view && view->viewport() == watched && !qobject_cast<const QHeaderView*>(view)) {
        const QModelIndex index = view->indexAt(at);
        if (index.isValid()) return index.data(Qt::ToolTipRole).toString();
    }
    return watched->toolTip();
}

} // namespace

void showPlainTip(const QPoint& globalPos, const QString& text, QWidget* widget) {
    if (text.isEmpty()) return QToolTip::hideText();
    const QFontMetricsF metrics(QToolTip::font());
    double width = 0;
    QStringList paragraphs;
    for (const QString& line : text.split(u'\n')) {
        width = std::max(width, metrics.horizontalAdvance(line));
        paragraphs << line.toHtmlEscaped();
    }
    // A table, as Qt would break a text without a width of its own after some twenty letters.
    width = std::min(width + 1, kLettersOfLine * metrics.averageCharWidth());
    QToolTip::showText(globalPos,
                       QStringLiteral("<table width='%1' cellpadding='0' cellspacing='0'><tr><td>%2</td></tr></table>")
                           .arg(int(std::ceil(width)))
                           .arg(paragraphs.join(QStringLiteral("<br>"))),
                       widget);
}

bool PlainTips::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::ToolTip) return false;
    auto* const widget = qobject_cast<QWidget*>(watched);
    if (!widget) return false;
    const auto* help = static_cast<QHelpEvent*>(event);
    const QString tip = tipOf(widget, help->pos());
    if (tip.isEmpty()) return false;
    showPlainTip(help->globalPos(), tip, widget);
    return true;
}

} // namespace lockscope::views
