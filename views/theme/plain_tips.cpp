// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/plain_tips.h"

#include <QAbstractItemView>
#include <QHeaderView>
#include <QHelpEvent>
#include <QMenu>
#include <QToolTip>

namespace lockscope::views {

namespace {

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
    QStringList paragraphs;
    for (const QString& line : text.split(u'\n'))
        paragraphs << line.toHtmlEscaped();
    QToolTip::showText(
        globalPos, QStringLiteral("<p style='white-space:normal'>%1</p>").arg(paragraphs.join(QStringLiteral("<br>"))),
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
