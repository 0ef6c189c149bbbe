// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/told_alert.h"

#include <QAbstractButton>

namespace lockscope::views {

/// The verdict as it stands at the playhead, always in sight: one sentence: the invariant, for how long and from when.
/// A click (or Enter) goes to where it happened and asks for its explanation. Where servers are watched and nothing is
/// violated, the worst critical alert of their locks stands here.
class VerdictBanner : public QAbstractButton {
    Q_OBJECT
public:
    explicit VerdictBanner(ViewContext* context, QWidget* parent = nullptr);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    /// Says what happened in a sentence of everyday words where that has room, and not the invariant's name: for people
    /// who have not learnt the names.
    void setPlain(bool plain);
    /// The violation that the sentence is about.
    std::optional<verdict::Violation> shown() const { return m_shown; }
    /// The alert that it is about, if it is about no violation.
    const std::optional<ToldAlert>& alert() const { return m_alert; }
    /// The waiter that it is about, if nothing is violated, and it starves.
    const std::optional<verdict::Starved>& starved() const { return m_starved; }
    verdict::Outcome outcome() const { return m_outcome; }

protected:
    void paintEvent(QPaintEvent*) override;
    bool event(QEvent* event) override;

private:
    void refresh();
    bool isBad() const { return m_shown || m_alert; }
    bool leadsSomewhere() const { return isBad() || m_starved; }
    QString wordingFor(int width, const QFontMetrics& metrics) const;
    ViewContext* m_context;
    ToldAlerts* m_alerts;
    std::optional<ToldAlert> m_alert;
    QStringList m_shorter; ///< of text(), from fuller to shorter; for where it has no room
    std::optional<verdict::Violation> m_shown;
    std::optional<verdict::Starved> m_starved;
    std::size_t m_index = 0; ///< of m_shown in the verdict
    verdict::Outcome m_outcome = verdict::Outcome::Unknown;
    bool m_empty = true, m_plain = false;
};

} // namespace lockscope::views
