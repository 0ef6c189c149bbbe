// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QDialog>

class QTabBar;
class QTextBrowser;

namespace lockscope::views {

class DimLabel;

/// Tells what the simulated servers leave out: for each kind a few sentences, and below them the whole list.
class LimitsDialog : public QDialog {
    Q_OBJECT
public:
    explicit LimitsDialog(QWidget* parent = nullptr);

    /// Shows that kind of server ("redis", …); one that is not simulated changes nothing.
    void showKind(const QString& kind);
    QString shownKind() const;
    QTabBar* kinds() const { return m_kinds; }
    DimLabel* summary() const { return m_summary; }
    QTextBrowser* list() const { return m_list; }

private:
    void refill();

    QTabBar* m_kinds;
    DimLabel* m_summary;
    QTextBrowser* m_list;
};

} // namespace lockscope::views
