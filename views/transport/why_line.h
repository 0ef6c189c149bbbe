// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/view_context.h"

#include <QAbstractButton>
#include <QTimer>

namespace lockscope::views {

/// One sentence, as wide as the window, on the violation that goes on at the playhead: what happened, and why the lock
/// allowed it. A click explains it at length. After a leader's death that the lock survived it says why nobody got in
/// twice. At other instants it is as high, so that nothing below it moves, and says how it stands with the locks. In a
/// narrow window it has two lines, so that the sentence is whole.
class WhyLine : public QAbstractButton {
    Q_OBJECT
public:
    explicit WhyLine(ViewContext* context, QWidget* parent = nullptr);
    /// The sentence that is shown; empty: no violation goes on at the playhead, and nothing was survived.
    QString sentence() const { return m_sentence; }
    /// How it stands with the locks, where there is no such sentence.
    QString story() const { return m_story; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {100, sizeHint().height()}; }
    /// Whether the whole sentence is in sight.
    bool isWhole() const;

protected:
    void paintEvent(QPaintEvent*) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    bool event(QEvent* event) override;

private:
    void refresh();
    /// Refreshes the length so far of a violation that goes on, and how it stands with the locks.
    void refreshAtPace();
    void setSentence(QString sentence);
    QString whyNow() const;
    void name();
    /// How many lines there is room for.
    int lines() const;
    /// The first word: what the sentence is about.
    QString heading() const;
    /// Where the sentence stands.
    QRect room() const;
    QFont fontOfSentence() const;
    bool fits(const QFont& font) const;
    ViewContext* m_context;
    std::shared_ptr<const verdict::Verdict> m_verdict; ///< of which m_index is told
    std::optional<std::size_t> m_index;
    bool m_keepsRoom = true;
    QString m_sentence, m_story;
    QTimer m_pace; ///< of refreshAtPace(): the playhead moves with each frame
};

} // namespace lockscope::views
