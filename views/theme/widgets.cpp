// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/widgets.h"

#include "theme/fonts.h"
#include "theme/icons.h"

#include <QBoxLayout>
#include <QEvent>
#include <QPainter>
#include <array>

namespace lockscope::views {
namespace {

constexpr int kPillPadding = 10;
constexpr int kDot = 8;

QFont pillFont() {
    return uiFont(-1.5, QFont::DemiBold);
}

/// The size of the status bar and the cards: each further size costs a moment at the start of the program.
QFont hintFont() {
    return uiFont(-1);
}

} // namespace

SectionCaption::SectionCaption(const QString& text, QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setText(text);
}

void SectionCaption::setText(const QString& text) {
    m_text = text;
    setAccessibleName(text);
    updateGeometry();
    update();
}

void SectionCaption::setHint(const QString& hint) {
    if (hint == m_hint) return;
    m_hint = hint;
    setAccessibleDescription(hint);
    updateGeometry();
    update();
}

QSize SectionCaption::sizeHint() const {
    const QFontMetrics caption(captionFont());
    int width = caption.horizontalAdvance(m_text.toUpper()) + 4;
    if (!m_hint.isEmpty()) width += 2 * kGrid + QFontMetrics(hintFont()).horizontalAdvance(m_hint);
    return {width, caption.height() + kGrid};
}

QSize SectionCaption::minimumSizeHint() const {
    const QFontMetrics caption(captionFont());
    return {caption.horizontalAdvance(m_text.toUpper()) + 4, caption.height() + kGrid};
}

bool SectionCaption::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) setToolTip(width() < sizeHint().width() ? m_hint : QString());
    return QWidget::event(event);
}

void SectionCaption::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setFont(captionFont());
    painter.setPen(color(Role::TextDim));
    const QString caption = m_text.toUpper();
    painter.drawText(rect(), Qt::AlignLeft | Qt::AlignVCenter, caption);
    if (m_hint.isEmpty()) return;
    const int used = painter.fontMetrics().horizontalAdvance(caption) + 2 * kGrid;
    painter.setFont(hintFont());
    painter.setPen(color(Role::TextFaint));
    const QRect room = rect().adjusted(used, 0, 0, 0);
    painter.drawText(room, Qt::AlignRight | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(m_hint, Qt::ElideRight, room.width()));
}

ToneColors toneColors(Pill::Tone tone) {
    switch (tone) {
    case Pill::Tone::Holding:
        return {Role::HoldingSoft, Role::HoldingText, Role::Holding};
    case Pill::Tone::Waiting:
        return {Role::WaitingSoft, Role::WaitingText, Role::Waiting};
    case Pill::Tone::Accepted:
        return {Role::AcceptedSoft, Role::AcceptedText, Role::Accepted};
    case Pill::Tone::Violation:
        return {Role::ViolationSoft, Role::ViolationText, Role::Violation};
    case Pill::Tone::Fault:
        return {Role::FaultSoft, Role::FaultText, Role::Fault};
    case Pill::Tone::Neutral:
        break;
    }
    return {Role::SurfaceRaised, Role::TextDim, Role::TextFaint};
}

int pillWidth(const QString& text) {
    return QFontMetrics(pillFont()).horizontalAdvance(text) + 2 * kPillPadding;
}

void paintPill(QPainter& painter, const QRect& rect, const QString& text, Pill::Tone tone) {
    const ToneColors colors = toneColors(tone);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(pillFont());
    const int height = std::min(rect.height(), painter.fontMetrics().height() + 4);
    QRect chip(rect.left(), rect.top() + (rect.height() - height) / 2, std::min(pillWidth(text), rect.width()), height);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color(colors.fill));
    painter.drawRoundedRect(chip, height / 2.0, height / 2.0);
    painter.setPen(color(colors.text));
    const QRect inner = chip.adjusted(kPillPadding - 2, 0, 2 - kPillPadding, 0);
    painter.drawText(inner, Qt::AlignCenter, painter.fontMetrics().elidedText(text, Qt::ElideRight, inner.width()));
    painter.restore();
}

Pill::Pill(const QString& text, Tone tone, QWidget* parent) : QAbstractButton(parent), m_tone(tone) {
    setText(text);
    setClickable(false);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void Pill::setTone(Tone tone) {
    if (tone == m_tone) return;
    m_tone = tone;
    update();
}

void Pill::setDot(bool dot) {
    m_dot = dot;
    updateGeometry();
    update();
}

void Pill::setClickable(bool clickable) {
    setAttribute(Qt::WA_TransparentForMouseEvents, !clickable);
    setFocusPolicy(clickable ? Qt::TabFocus : Qt::NoFocus);
    setCursor(clickable ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

QSize Pill::sizeHint() const {
    const QFontMetrics metrics(m_dot ? uiFont() : pillFont());
    return {metrics.horizontalAdvance(text()) + 2 * kPillPadding + (m_dot ? kDot + kGrid + 4 : 0),
            metrics.height() + (m_dot ? 12 : 6)};
}

QSize Pill::minimumSizeHint() const {
    return {std::min(sizeHint().width(), 64), sizeHint().height()};
}

void Pill::paintEvent(QPaintEvent*) {
    const ToneColors colors = toneColors(m_tone);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(m_dot ? uiFont() : pillFont());
    const double radius = height() / 2.0;
    painter.setPen(hasFocus() ? QPen(color(Role::FocusRing), 1.5)
                   : m_dot    ? QPen(color(Role::Hairline))
                              : QPen(Qt::NoPen));
    painter.setBrush(color(m_dot ? Role::SurfaceRaised : colors.fill));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius);
    QRect inner = rect().adjusted(kPillPadding, 0, -kPillPadding, 0);
    if (m_dot) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(color(colors.dot));
        painter.drawEllipse(QRectF(inner.left(), height() / 2.0 - kDot / 2.0, kDot, kDot));
        inner.setLeft(inner.left() + kDot + kGrid);
    }
    painter.setPen(color(m_dot ? Role::Text : colors.text));
    painter.drawText(inner, m_dot ? Qt::AlignLeft | Qt::AlignVCenter : Qt::AlignCenter,
                     painter.fontMetrics().elidedText(text(), Qt::ElideRight, inner.width() + 1));
}

DimLabel::DimLabel(const QString& text, QWidget* parent) : QLabel(text, parent) {
    setTextFormat(Qt::PlainText); // names come from servers: they are no markup
    recolor();
}

void DimLabel::setRole(Role role) {
    m_role = role;
    recolor();
}

void DimLabel::changeEvent(QEvent* event) {
    QLabel::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) recolor();
}

void DimLabel::recolor() {
    if (m_recoloring) return;
    // Setting a palette sends PaletteChange to ourselves.
    m_recoloring = true;
    QPalette p = palette();
    p.setColor(QPalette::Active, QPalette::WindowText, color(m_role));
    p.setColor(QPalette::Inactive, QPalette::WindowText, color(m_role));
    setPalette(p);
    m_recoloring = false;
}

Paragraph::Paragraph(const QString& text, QWidget* parent) : DimLabel(text, parent) {
    setWordWrap(true);
}

const Paragraph::Measured& Paragraph::measured() const {
    if (m_measured.text != text() || m_measured.font != font()) {
        // Measure the text, not only the font: letters of another script may come from a taller font.
        const QRect all = fontMetrics().boundingRect(QRect(0, 0, QWIDGETSIZE_MAX, QWIDGETSIZE_MAX), 0, text());
        m_measured = {text(), font(), all.size()};
    }
    return m_measured;
}

int Paragraph::heightForWidth(int width) const {
    const QMargins around = contentsMargins();
    const int room = width - around.left() - around.right(), beside = around.top() + around.bottom();
    if (measured().unbroken.width() <= room) return measured().unbroken.height() + beside;
    if (m_measured.width != room) {
        m_measured.width = room;
        m_measured.height =
            fontMetrics().boundingRect(QRect(0, 0, room, QWIDGETSIZE_MAX), Qt::TextWordWrap, text()).height();
    }
    return m_measured.height + beside;
}

QSize Paragraph::sizeHint() const {
    constexpr int kComfortable = 560;
    const QMargins around = contentsMargins();
    const int width = std::min(measured().unbroken.width(), kComfortable) + around.left() + around.right();
    return {width, heightForWidth(width)};
}

QSize Paragraph::minimumSizeHint() const {
    return {std::min(sizeHint().width(), 16 * fontMetrics().averageCharWidth()), fontMetrics().height()};
}

QSize ElidedLabel::minimumSizeHint() const {
    return {std::min(sizeHint().width(), 10 * fontMetrics().averageCharWidth()), sizeHint().height()};
}

QString ElidedLabel::shown() const {
    return fontMetrics().elidedText(text(), Qt::ElideMiddle, contentsRect().width());
}

void ElidedLabel::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setPen(palette().color(QPalette::WindowText));
    painter.drawText(contentsRect(), int(alignment() | Qt::TextSingleLine), shown());
}

bool ElidedLabel::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) setToolTip(shown() == text() ? QString() : text());
    return DimLabel::event(event);
}

HairLine::HairLine(Qt::Orientation orientation, QWidget* parent) : QWidget(parent) {
    if (orientation == Qt::Horizontal) {
        setFixedHeight(1);
        setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    } else {
        setFixedWidth(1);
        setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Expanding);
    }
    setAttribute(Qt::WA_OpaquePaintEvent);
}

void HairLine::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), color(Role::Hairline));
}

TtlRing::TtlRing(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void TtlRing::setTtl(const Ttl& ttl, const QString& middle, const QString& below) {
    m_ttl = ttl;
    m_middle = middle;
    m_below = below;
    setAccessibleName(middle + QLatin1Char(' ') + below);
    update();
}

void TtlRing::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    paintTtlRing(painter, rect(), m_ttl);
    painter.setFont(uiFont(2, QFont::DemiBold));
    // A long time ("3 m 12 s") must fit inside the ring.
    const int room = int(width() * 0.72);
    for (double delta = 1; painter.fontMetrics().horizontalAdvance(m_middle) > room && delta > -3; delta -= 1)
        painter.setFont(uiFont(delta, QFont::DemiBold));
    painter.setPen(color(Role::Text));
    const int lift = m_below.isEmpty() ? 0 : 7;
    painter.drawText(rect().adjusted(0, -lift, 0, -lift), Qt::AlignCenter, m_middle);
    painter.setFont(uiFont(-2));
    for (double delta = -2.5; painter.fontMetrics().horizontalAdvance(m_below) > room && delta > -4; delta -= 0.5)
        painter.setFont(uiFont(delta));
    painter.setPen(color(Role::TextDim));
    painter.drawText(rect().adjusted(0, 20, 0, 10), Qt::AlignCenter, m_below);
}

namespace {

/// Shows a picture over words while there is room for both.
class RoomForPicture : public QObject {
public:
    RoomForPicture(QWidget* whole, QLabel* picture, std::array<QLabel*, 2> words)
        : QObject(whole), m_picture(picture), m_words(words) {
        whole->installEventFilter(this);
    }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() == QEvent::Resize) {
            const auto* const whole = static_cast<QWidget*>(watched);
            const QMargins margins = whole->layout()->contentsMargins();
            const int width = whole->width() - margins.left() - margins.right();
            int needed = margins.top() + margins.bottom() + 32 + 3 * kGrid;
            for (const QLabel* const label : m_words)
                needed += label->heightForWidth(width);
            m_picture->setVisible(whole->height() >= needed);
        }
        return QObject::eventFilter(watched, event);
    }

private:
    QLabel* m_picture;
    std::array<QLabel*, 2> m_words;
};

} // namespace

EmptyState::EmptyState(const char* iconName, const QString& title, const QString& hint, QWidget* parent)
    : QWidget(parent), m_title(new QLabel(title)), m_hint(new DimLabel(hint)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(3 * kGrid, 2 * kGrid, 3 * kGrid, 2 * kGrid);
    layout->setSpacing(kGrid);
    layout->addStretch();
    auto* picture = new QLabel;
    picture->setPixmap(icon(iconName, Role::TextFaint).pixmap(32, 32));
    picture->setAlignment(Qt::AlignCenter);
    layout->addWidget(picture);
    m_title->setFont(uiFont(0, QFont::DemiBold));
    for (QLabel* label : {m_title, m_hint}) {
        label->setTextFormat(Qt::PlainText);
        label->setAlignment(Qt::AlignCenter);
        label->setWordWrap(true);
        layout->addWidget(label);
    }
    layout->addStretch();
    // Words that wrap would ask for the height that they take in the narrowest column, and a dock that is lower would
    // grow for good when they are shown.
    setMinimumHeight(3 * QFontMetrics(uiFont()).lineSpacing() + kGrid);
    new RoomForPicture(this, picture, {m_title, m_hint});
}

void EmptyState::setTexts(const QString& title, const QString& hint) {
    m_title->setText(title);
    m_hint->setText(hint);
}

} // namespace lockscope::views
