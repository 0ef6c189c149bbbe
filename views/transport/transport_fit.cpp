// SPDX-License-Identifier: GPL-3.0-or-later
// The room of the bar's row: which of its parts stand in it.
#include "theme/fonts.h"
#include "theme/widgets.h"
#include "transport/transport_bar.h"
#include "transport/verdict_banner.h"

#include <QBoxLayout>
#include <QLabel>
#include <QSlider>
#include <QToolButton>

namespace lockscope::views {
namespace {

constexpr int kLeastTitle = 180; ///< px of a title that is worth its place although its end is missing

} // namespace

void TransportBar::setRecording(const QString& text, const QString& tip) {
    if (text == m_recordingText && (!m_recording || tip == m_recording->toolTip())) return;
    m_recordingText = text;
    if (!m_recording) return;
    m_recording->setText(text);
    m_recording->setToolTip(tip);
    m_recording->setAccessibleName(text);
    m_recording->setAccessibleDescription(tip);
    m_recording->updateGeometry();
    fold();
}

/// Hides the parts that the row has no room for beside a whole verdict, the least needed first. They have keys or stand
/// elsewhere, too; the verdict does not.
void TransportBar::fold() {
    if (!m_field) return;
    constexpr int kVerdictLetters = 46; // of most sentences: the parts do not come and go with each of them
    m_verdictRoom = std::max({m_verdictRoom, m_banner->minimumSizeHint().width(),
                              kVerdictLetters * QFontMetrics(uiFont(0, QFont::DemiBold)).averageCharWidth()});
    const QMargins margins = layout()->contentsMargins();
    int room = width() - margins.left() - margins.right() - m_verdictRoom;
    const QWidget* const speed = m_speed->parentWidget();
    for (int i = 0; i < layout()->count(); ++i) {
        const QLayoutItem* const item = layout()->itemAt(i);
        const QWidget* const widget = item->widget();
        if (widget == speed)
            room -= m_speedLabel->minimumWidth() + kGrid;
        else if (!widget)
            room -= item->sizeHint().width();
        else if (widget != m_banner && widget != m_health && widget != m_seed && widget != m_field &&
                 widget != m_recording)
            room -= widget->isHidden() ? 0 : item->sizeHint().width() + kGrid;
    }
    struct Part {
        QWidget* widget;
        int width;
        bool wanted;
    };
    const bool open = m_session != nullptr;
    const bool live = open && m_session->abilities().live; // it goes at the world's own pace
    const bool well = open && m_session->health().level == session::Health::Level::Good;
    // A long title is shortened before it goes away, a simulation's by its first word; its tool tip has it whole.
    const int forTitle = room - CommandField::kLeastWidth - 2 * kGrid;
    const bool named = well && m_session->abilities().restart;
    if (named) m_health->setText(m_session->health().text);
    if (named && m_health->sizeHint().width() > forTitle) m_health->setText(m_session->title());
    const int whole = m_health->sizeHint().width();
    const int title = forTitle >= kLeastTitle ? std::min(whole, forTitle) : whole;
    for (const Part& part : {Part{m_health, title, open}, Part{m_field, CommandField::kLeastWidth, true},
                             Part{m_seed, m_seed->minimumWidth(), m_seeded},
                             Part{m_recording, m_recording->sizeHint().width(), !m_recordingText.isEmpty()},
                             Part{m_speed, m_speed->minimumWidth(), !live}}) {
        const bool fits = room >= part.width + kGrid;
        // Trouble is told in any width, and nothing goes away under a person's hands.
        const bool needed = part.widget->hasFocus() || (part.widget == m_health && !well);
        part.widget->setVisible(part.wanted && (fits || needed));
        if (part.widget == m_health) m_health->setMinimumWidth(fits ? part.width : 0);
        if (part.wanted) room -= part.width + kGrid;
    }
    m_field->setFixedWidth(std::clamp(CommandField::kLeastWidth + room, CommandField::kLeastWidth,
                                      std::max(CommandField::kLeastWidth, m_field->wholeWidth())));
}

void TransportBar::fitClock() {
    // As wide as any time with so many letters: what stands beside it moves when an hour is full, and not before.
    m_clockLetters = m_clock->text().size();
    const QString widest(m_clockLetters, QLatin1Char('0'));
    m_clock->setFixedWidth(QFontMetrics(m_clock->font()).horizontalAdvance(widest) + 4);
}

} // namespace lockscope::views
