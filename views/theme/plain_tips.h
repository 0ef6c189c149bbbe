// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QString>

class QPoint;
class QWidget;

namespace lockscope::views {

/// A tool tip shows its text as it is, broken into lines of a comfortable width: names come from servers and files, and
/// Qt would read them as markup. Empty = no tip.
void showPlainTip(const QPoint& globalPos, const QString& text, QWidget* widget);

/// Shows the tool tips of all widgets, menus and item views by showPlainTip(). Install on the application.
class PlainTips : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

} // namespace lockscope::views
