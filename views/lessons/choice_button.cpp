// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/choice_button.h"

#include "theme/fonts.h"
#include "theme/palette.h"
#include "theme/widgets.h"

#include <QPainter>

namespace lockscope::views {
namespace {

constexpr int kPad = 12;
constexpr int kHandsBar = 48, kHandsNumber = 30;
constexpr double kFont = 2;

/// A length that follows the text's size.
int scaled(double px) {
    return int(px * textScale() + 0.5);
}

} // namespace

ChoiceButton::ChoiceButton(int number, QWidget* parent) : QAbstractButton(parent), m_number(number) {
    setFocusPolicy(Qt::TabFocus); // a click must not take the keys away from the lesson
    setCursor(Qt::PointingHandCursor);
    setAttribute(Qt::WA_Hover);
    setCheckable(false);
    setFont(uiFont(kFont));
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

void ChoiceButton::setChoice(const QString& words, Mark mark) {
    if (words == text() && mark == m_mark) return;
    setText(words);
    m_mark = mark;
    setEnabled(mark == Mark::Open || mark == Mark::Chosen);
    //: What a screen reader says of an answer: %1 its number, %2 its words.
    setAccessibleName(tr("Answer %1: %2").arg(QString::number(m_number), words));
    tellState();
    updateGeometry();
    update();
}

void ChoiceButton::tellState() {
    QStringList state;
    if (m_mark == Mark::Chosen) state += tr("chosen");
    if (m_mark == Mark::Locked) state += tr("your bet");
    if (m_mostHands > 0) state += tr("%n hand(s)", "", m_hands);
    setAccessibleDescription(state.join(QStringLiteral(", ")));
}

void ChoiceButton::setHands(int hands, int most) {
    if (hands == m_hands && most == m_mostHands) return;
    m_hands = hands;
    m_mostHands = most;
    tellState();
    updateGeometry();
    update();
}

void ChoiceButton::setTight(bool tight) {
    if (tight == m_tight) return;
    m_tight = tight;
    updateGeometry();
}

int ChoiceButton::wordsRight() const {
    return scaled(m_mostHands > 0 ? kPad + kHandsBar + kPad + kHandsNumber : kPad);
}

int ChoiceButton::wordsLeft() const {
    return scaled(kPad + 26 + kPad);
}

int ChoiceButton::heightForWidth(int width) const {
    const QRect room(0, 0, std::max(40, width - wordsLeft() - wordsRight()), 10'000);
    const int words = fontMetrics().boundingRect(room, Qt::TextWordWrap | Qt::AlignLeft, text()).height();
    return std::max(words + 2 * scaled(m_tight ? 4 : 10), scaled(m_tight ? 34 : 46));
}

QSize ChoiceButton::sizeHint() const {
    return {scaled(300), heightForWidth(scaled(300))};
}

QSize ChoiceButton::minimumSizeHint() const {
    return {scaled(160), scaled(m_tight ? 34 : 46)};
}

void ChoiceButton::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const bool mine = m_mark == Mark::Chosen || m_mark == Mark::Locked;
    const bool hot = isEnabled() && (underMouse() || isDown());
    painter.setPen(hasFocus() ? QPen(color(Role::FocusRing), 2)
                   : mine     ? QPen(color(Role::Accent), 2)
                              : QPen(color(Role::Hairline)));
    painter.setBrush(color(mine ? Role::HoldingSoft : hot ? Role::SurfaceHover : Role::SurfaceRaised));
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 8, 8);

    const QRectF cap(scaled(kPad), (height() - scaled(26)) / 2.0, scaled(26), scaled(26));
    painter.setPen(QPen(color(Role::FieldBorder)));
    painter.setBrush(color(Role::Surface));
    painter.drawRoundedRect(cap.adjusted(0.5, 0.5, -0.5, -0.5), 5, 5);
    painter.setFont(fixedFont(0, QFont::Medium));
    painter.setPen(color(Role::TextDim));
    painter.drawText(cap, Qt::AlignCenter, QString::number(m_number));

    QFont words = font();
    if (mine) words.setWeight(QFont::DemiBold);
    painter.setFont(words);
    painter.setPen(color(m_mark == Mark::Passed ? Role::TextDim : Role::Text));
    painter.drawText(QRect(wordsLeft(), 0, width() - wordsLeft() - wordsRight(), height()),
                     Qt::TextWordWrap | Qt::AlignLeft | Qt::AlignVCenter, text());
    if (m_mostHands == 0) return;
    const double high = scaled(7), left = width() - wordsRight() + scaled(kPad);
    const double wide = std::max(high, scaled(kHandsBar) * double(m_hands) / m_mostHands);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color(mine ? Role::Accent : Role::TextFaint));
    if (m_hands > 0) painter.drawRoundedRect(QRectF(left, (height() - high) / 2.0, wide, high), high / 2, high / 2);
    painter.setFont(fixedFont(0, QFont::Medium));
    painter.setPen(color(mine ? Role::Text : Role::TextDim));
    painter.drawText(QRectF(width() - scaled(kPad + kHandsNumber), 0, scaled(kHandsNumber), height()),
                     Qt::AlignRight | Qt::AlignVCenter, QString::number(m_hands));
}

StepDots::StepDots(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void StepDots::setStep(int step, int steps) {
    m_step = step;
    m_steps = steps;
    setAccessibleName(tr("Step %1 of %2").arg(step + 1).arg(steps));
    updateGeometry();
    update();
}

QSize StepDots::sizeHint() const {
    return {scaled(14) * std::max(m_steps, 1) + scaled(8), scaled(14)};
}

void StepDots::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    double x = 0;
    const double high = scaled(8), y = (height() - high) / 2.0;
    for (int i = 0; i < m_steps; ++i) {
        const double wide = i == m_step ? scaled(16) : high;
        painter.setBrush(i == m_step  ? color(Role::Accent)
                         : i < m_step ? color(Role::Accent, 0.55)
                                      : color(Role::GaugeTrack));
        painter.drawRoundedRect(QRectF(x, y, wide, high), high / 2, high / 2);
        x += wide + scaled(6);
    }
}

} // namespace lockscope::views
