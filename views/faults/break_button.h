// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QToolButton>

namespace lockscope::views {

/// A quiet button for an action: icon, words, and its key at the right end, where there is room for it.
class BreakButton : public QToolButton {
    Q_OBJECT
public:
    explicit BreakButton(QAction* action, QWidget* parent = nullptr);
    /// Fewer words than the action's text, for a narrow button.
    void setWords(const QString& words);
    QString words() const { return m_words; }
    /// Centred words on green: makes things good again.
    void setHealing(bool healing);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {40, sizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent*) override;

private:
    QString m_words;
    bool m_healing = false;
};

} // namespace lockscope::views
