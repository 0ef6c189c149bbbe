// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/key_row.h"

#include "theme/fonts.h"
#include "theme/widgets.h"

#include <QBoxLayout>
#include <QPainter>

namespace lockscope::views {
namespace {

constexpr double kWords = 1.5; ///< points above the usual size

int scaled(double px) {
    return int(px * textScale() + 0.5);
}

} // namespace

KeyButton::KeyButton(const QString& key, const QString& words, Role role, QWidget* parent)
    : QAbstractButton(parent), m_key(key), m_role(role) {
    setWords(words);
    setFocusPolicy(Qt::NoFocus); // its key is the quicker way, and Space must play
    setCursor(Qt::PointingHandCursor);
    setAttribute(Qt::WA_Hover);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void KeyButton::setWords(const QString& words) {
    setText(words);
    //: What a screen reader says of a big key: %1 what it does, %2 the key.
    setAccessibleName(tr("%1 (%2)").arg(words, m_key));
    updateGeometry();
}

QSize KeyButton::sizeHint() const {
    const int words = QFontMetrics(uiFont(kWords, QFont::DemiBold)).horizontalAdvance(text());
    const int key = QFontMetrics(fixedFont(kWords, QFont::Medium)).horizontalAdvance(m_key);
    return {key + words + scaled(12 + 20 + 12 + 12), scaled(44)};
}

QSize KeyButton::minimumSizeHint() const {
    return {scaled(70), scaled(44)};
}

void KeyButton::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(color(Role::Hairline)));
    painter.setBrush(color(isDown() ? Role::SurfacePressed : underMouse() ? Role::SurfaceHover : Role::Surface));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8);

    painter.setFont(fixedFont(kWords, QFont::Medium));
    const double wide = std::max(painter.fontMetrics().horizontalAdvance(m_key) + scaled(16), scaled(28));
    const QRectF cap(scaled(10), (height() - scaled(30)) / 2.0, wide, scaled(30));
    painter.setPen(QPen(color(Role::TextDim)));
    painter.setBrush(color(Role::SurfaceRaised));
    painter.drawRoundedRect(cap, 5, 5);
    painter.setPen(color(Role::Text));
    painter.drawText(cap, Qt::AlignCenter, m_key);

    painter.setFont(uiFont(kWords, QFont::DemiBold));
    painter.setPen(color(m_role));
    const QRect room(int(cap.right()) + scaled(10), 0, width() - int(cap.right()) - scaled(16), height());
    painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(text(), Qt::ElideRight, room.width()));
}

KeyRow::KeyRow(QWidget* parent) : QWidget(parent) {
    setAccessibleName(tr("Keys"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(2 * kGrid, kGrid, 2 * kGrid, kGrid);
    row->setSpacing(kGrid);
    struct One {
        Key key;
        QString cap, words;
        Role role;
    };
    for (const One& one : {One{Key::Play, tr("Space"), tr("play on"), Role::HoldingText},
                           One{Key::Next, QStringLiteral("→"), tr("next step"), Role::Text},
                           One{Key::PauseHolder, QStringLiteral("P"), tr("pause the holder"), Role::FaultText},
                           One{Key::Heal, QStringLiteral("H"), tr("heal everything"), Role::AcceptedText},
                           One{Key::Blank, QStringLiteral("B"), tr("blank screen"), Role::Text}}) {
        auto* button = new KeyButton(one.cap, one.words, one.role);
        connect(button, &QAbstractButton::clicked, this, [this, key = one.key] { Q_EMIT pressed(key); });
        row->addWidget(button);
        m_buttons[std::size_t(one.key)] = button;
    }
}

void KeyRow::setWords(Key key, const QString& words) {
    m_buttons[std::size_t(key)]->setWords(words);
}

void KeyRow::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), color(Role::SurfaceRaised));
    painter.fillRect(QRect(0, 0, width(), 1), color(Role::Hairline));
}

} // namespace lockscope::views
