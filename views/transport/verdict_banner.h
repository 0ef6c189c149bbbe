// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/view_context.h"

#include <QAbstractButton>

namespace lockscope::views {

/// The verdict as it stands at the playhead, always in sight: one sentence: the invariant, for how long and from when.
/// A click (or Enter) goes to where it happened and asks for its explanation.
class VerdictBanner : public QAbstractButton {
    Q_OBJECT
public:
    explicit VerdictBanner(ViewContext* context, QWidget* parent = nullptr);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    /// The violation that the sentence is about.
    std::optional<verdict::Violation> shown() const { return m_shown; }
    verdict::Outcome outcome() const { return m_outcome; }

protected:
    void paintEvent(QPaintEvent*) override;
    bool event(QEvent* event) override;

private:
    void refresh();
    QString wordingFor(int width, const QFontMetrics& metrics) const;
    ViewContext* m_context;
    QStringList m_shorter; ///< of text(), from fuller to shorter; for where it has no room
    std::optional<verdict::Violation> m_shown;
    std::size_t m_index = 0; ///< of m_shown in the verdict
    verdict::Outcome m_outcome = verdict::Outcome::Unknown;
    bool m_empty = true;
};

} // namespace lockscope::views
