// SPDX-License-Identifier: GPL-3.0-or-later
// The room of the bar's row: which of its parts stand in it.
#include "theme/fonts.h"
#include "theme/format.h"
#include "theme/widgets.h"
#include "transport/transport_bar.h"
#include "transport/verdict_banner.h"

#include <QBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QSlider>
#include <QToolButton>
#include <array>

namespace lockscope::views {
namespace {

constexpr int kLeastTitle = 180; ///< px of a title that is worth its place although its end is missing
constexpr int kRowHeight = 32;   ///< px of a button

/// A simulation's id or its title, whichever takes less room.
QString shortNameOf(const session::Session& session) {
    const QString id = session.settings().id, title = session.title();
    const QFontMetrics metrics(uiFont());
    return id.isEmpty() || metrics.horizontalAdvance(title) <= metrics.horizontalAdvance(id) ? title : id;
}

/// Writes a simulation's name: as much of it as that room has, or its short name. Returns the width it takes.
int writeName(Pill* pill, const session::Session& session, int room) {
    const QString title = session.title();
    const auto width = [pill](const QString& text) {
        pill->setText(text);
        return pill->sizeHint().width();
    };
    int taken = width(session.health().text);
    if (taken > room) taken = width(title);
    if (taken > room && room >= kLeastTitle * textScale()) {
        const QFontMetrics metrics(uiFont());
        const int beside = taken - metrics.horizontalAdvance(title); // of the pill itself
        taken = width(metrics.elidedText(title, Qt::ElideMiddle, room - beside));
    }
    if (taken > room) taken = width(shortNameOf(session));
    pill->setMinimumWidth(taken);
    return taken;
}

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

void TransportBar::makeOverflow() {
    m_overflow = new QToolButton;
    m_overflow->setObjectName(QStringLiteral("transport.overflow"));
    m_overflow->setMenu(new QMenu(m_overflow));
    m_overflow->setPopupMode(QToolButton::InstantPopup);
    m_overflow->setToolButtonStyle(Qt::ToolButtonTextOnly);
    //: A button at the end of a row; its menu has what the row has no room for.
    m_overflow->setText(tr("more"));
    m_overflow->setFocusPolicy(Qt::TabFocus);
    m_overflow->setToolTip(tr("What this row has no room for"));
    m_overflow->setAccessibleName(m_overflow->toolTip());
    m_overflow->setFixedHeight(kRowHeight);
    m_overflow->hide();
    connect(m_overflow->menu(), &QMenu::aboutToShow, this, &TransportBar::fillOverflow);
}

void TransportBar::fillOverflow() {
    QMenu* const menu = m_overflow->menu();
    qDeleteAll(menu->findChildren<QMenu*>(Qt::FindDirectChildrenOnly)); // clear() leaves them
    menu->clear();
    const auto plain = [](QString text) { return text.replace(u'&', QLatin1String("&&")); };
    const bool open = m_session != nullptr;
    if (open && m_health->isHidden()) {
        menu->addAction(plain(m_session->health().text))->setEnabled(false); // it tells, and does nothing
        menu->addSeparator();
    }
    if (m_recording->isHidden() && !m_recordingText.isEmpty())
        menu->addAction(plain(m_recordingText), this, &TransportBar::recordingActivated);
    if (m_speed->isHidden() && m_speed->isEnabled()) {
        QMenu* const speeds = menu->addMenu(tr("Speed: %1").arg(speedText(m_player->speed())));
        constexpr std::array kSpeeds{0.01, 0.1, 0.5, Player::kNormal, 2., 5., 10., 100., 1000.};
        for (const double speed : kSpeeds) {
            QAction* const one =
                speeds->addAction(speedText(speed), this, [this, speed] { m_player->setSpeed(speed); });
            one->setCheckable(true);
            one->setChecked(speedText(speed) == speedText(m_player->speed()));
        }
    }
    if (m_seed->isHidden() && m_seeded) {
        menu->addAction(tr("seed %1").arg(m_session->seed()))->setEnabled(false); // a recording tells its own, too
        if (!m_seed->isReadOnly()) menu->addActions({command("transport.seed"), command("transport.restart-new-seed")});
    }
    if (m_field->isHidden()) menu->addAction(command("transport.find"));
}

/// Hides the parts that the row has no room for beside a whole verdict, the least needed first. The menu of a button at
/// its end has them then.
void TransportBar::fold() {
    if (!m_field) return;
    // As most sentences have: the parts do not come and go with each of them. Much larger text has no room to spare.
    constexpr int kUsualLetters = 46, kFewLetters = 30;
    constexpr double kLargeText = 1.2;
    if (m_verdictScale != textScale()) m_verdictRoom = 0; // before a class all is larger, and smaller again after it
    m_verdictScale = textScale();
    constexpr int kWide = 1400; // px of a row in which the whole words take nothing from anything else
    //: A button that runs to the next violation.
    m_next->setText(width() >= kWide * textScale() ? tr("next violation")
                                                   //: The same button, where there is little room.
                                                   : tr("next"));
    m_verdictRoom = std::max(m_verdictRoom, m_banner->minimumSizeHint().width());
    const auto beside = [&](int letters) {
        return roomBeside(
            std::max(m_verdictRoom, letters * QFontMetrics(uiFont(0, QFont::DemiBold)).averageCharWidth()));
    };
    int room = beside(textScale() > kLargeText ? kFewLetters : kUsualLetters);
    bool all = arrange(room, Arranging::Trial);
    // A part that is wanted goes before room that only a longer sentence would need.
    if (!all && arrange(beside(kFewLetters), Arranging::Trial)) {
        room = beside(kFewLetters);
        all = true;
    }
    m_overflow->setVisible(!all);
    if (!all) room -= m_overflow->sizeHint().width() + kGrid;
    arrange(room, Arranging::Final);
}

int TransportBar::roomBeside(int verdict) const {
    const QMargins margins = layout()->contentsMargins();
    int room = width() - margins.left() - margins.right() - verdict;
    const QWidget* const speed = m_speed->parentWidget();
    for (int i = 0; i < layout()->count(); ++i) {
        const QLayoutItem* const item = layout()->itemAt(i);
        const QWidget* const widget = item->widget();
        if (widget == speed)
            room -= m_speedLabel->minimumWidth() + kGrid;
        else if (!widget)
            room -= item->sizeHint().width();
        else if (widget != m_banner && widget != m_health && widget != m_seed && widget != m_field &&
                 widget != m_recording && widget != m_overflow)
            room -= widget->isHidden() ? 0 : item->sizeHint().width() + kGrid;
    }
    return room;
}

bool TransportBar::arrange(int room, Arranging how) {
    struct Part {
        QWidget* widget;
        int width;
        bool wanted;
    };
    const bool open = m_session != nullptr;
    const bool live = open && m_session->abilities().live; // it goes at the world's own pace
    const bool well = open && m_session->health().level == session::Health::Level::Good;
    // A long title is shortened before it goes away; its tool tip has it whole. That of a simulation takes no room from
    // other parts: where nothing is left for a title, its short name stands there.
    const int forTitle = room - CommandField::leastWidth() - 2 * kGrid;
    const bool named = well && m_session->abilities().restart;
    if (named) m_health->setText(shortNameOf(*m_session));
    const int whole = m_health->sizeHint().width();
    const int title = forTitle >= kLeastTitle ? std::min(whole, forTitle) : whole;
    bool all = true;
    for (const Part& part : {Part{m_health, title, open}, Part{m_field, CommandField::leastWidth(), true},
                             Part{m_seed, m_seed->minimumWidth(), m_seeded},
                             Part{m_recording, m_recording->sizeHint().width(), !m_recordingText.isEmpty()},
                             Part{m_speed, m_speed->minimumWidth(), !live}}) {
        const bool fits = room >= part.width + kGrid;
        all = all && (fits || !part.wanted);
        if (part.wanted) room -= part.width + kGrid;
        if (how == Arranging::Trial) continue;
        // Trouble is told in any width, and nothing goes away under a person's hands.
        const bool needed = part.widget->hasFocus() || (part.widget == m_health && !well);
        part.widget->setVisible(part.wanted && (fits || needed));
        if (part.widget == m_health) m_health->setMinimumWidth(fits ? part.width : 0);
    }
    if (how == Arranging::Final && named && !m_health->isHidden())
        room -= writeName(m_health, *m_session, title + std::max(room, 0)) - title;
    if (how == Arranging::Final)
        m_field->setFixedWidth(std::clamp(CommandField::leastWidth() + room, CommandField::leastWidth(),
                                          std::max(CommandField::leastWidth(), m_field->wholeWidth())));
    return all;
}

void TransportBar::fitTexts() {
    constexpr int kSeed = 130; // px, of six digits at the usual size
    m_seed->setFixedWidth(int(kSeed * textScale()));
    m_speedLabel->setFixedWidth(QFontMetrics(m_speedLabel->font()).horizontalAdvance(QStringLiteral("0.02×")) + 2);
    if (m_play->toolButtonStyle() == Qt::ToolButtonTextBesideIcon) m_play->setFixedWidth(m_play->sizeHint().width());
}

void TransportBar::fitClock() {
    // As wide as any time with so many letters: what stands beside it moves when an hour is full, and not before.
    m_clockLetters = m_clock->text().size();
    const QString widest(m_clockLetters, QLatin1Char('0'));
    m_clock->setFixedWidth(QFontMetrics(m_clock->font()).horizontalAdvance(widest) + 4);
}

} // namespace lockscope::views
