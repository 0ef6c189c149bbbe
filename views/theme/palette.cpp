// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/palette.h"

#include "theme/fonts.h"
#include "theme/style.h"

#include <QApplication>
#include <QPainter>
#include <QPixmap>
#include <array>
#include <utility>

namespace lockscope::views {
namespace {

struct Pair {
    QRgb light, dark;
};

constexpr QRgb opaque(unsigned rgb) {
    return 0xff000000u | rgb;
}

// In the order of Role.
constexpr std::array<Pair, std::size_t(Role::Count_)> kTable{{
    {opaque(0x0072b2), opaque(0x3d9be0)}, // Holding
    {opaque(0x0067a1), opaque(0x6bb4ea)}, // HoldingText
    {opaque(0xd6e8f2), opaque(0x2a3d4d)}, // HoldingSoft
    {opaque(0xe69f00), opaque(0xe69f00)}, // Waiting
    {opaque(0x8f6100), opaque(0xeeb63c)}, // WaitingText
    {opaque(0xfbefd6), opaque(0x463d29)}, // WaitingSoft
    {opaque(0x009e73), opaque(0x2dbb93)}, // Accepted
    {opaque(0x00775a), opaque(0x4bd0aa)}, // AcceptedText
    {opaque(0xd6efe8), opaque(0x284240)}, // AcceptedSoft
    {opaque(0xd55e00), opaque(0xff6b2c)}, // Violation
    {opaque(0xa84700), opaque(0xff8a57)}, // ViolationText
    {opaque(0xf9e8db), opaque(0x453430)}, // ViolationSoft
    {0x22d55e00u, 0x24ff6b2cu},           // ViolationBand
    {opaque(0xa8468a), opaque(0xd67fb4)}, // Fault
    {opaque(0x8f3a75), opaque(0xe09cc5)}, // FaultText
    {opaque(0xf5e6f0), opaque(0x41323d)}, // FaultSoft
    {opaque(0x5b6570), opaque(0xb4bcc6)}, // Paused
    {opaque(0xd55e00), opaque(0xff6b2c)}, // StaleBelief
    {opaque(0xf3c9ad), opaque(0x5c3523)}, // StaleBeliefSoft
    {opaque(0x1f82bb), opaque(0x398cc9)}, // Record
    {opaque(0xcde0eb), opaque(0x233645)}, // RecordTrack
    {opaque(0x9fd6c9), opaque(0x23574c)}, // Node
    {opaque(0x6a737d), opaque(0x9aa3ad)}, // Message
    {0x668b949eu, 0x666b747eu},           // Unobserved
    {opaque(0x0072b2), opaque(0x3d9be0)}, // Accent
    {opaque(0x1f2328), opaque(0xe8eaed)}, // Text
    {opaque(0x5b6570), opaque(0x9aa3ad)}, // TextDim
    {opaque(0x7f8893), opaque(0x7c8590)}, // TextFaint
    {opaque(0xffffff), opaque(0xffffff)}, // TextOnColor
    {opaque(0xffffff), opaque(0x272b31)}, // Surface
    {opaque(0xf4f5f7), opaque(0x1f2227)}, // SurfaceSunken
    {opaque(0xf0f2f4), opaque(0x2e333a)}, // SurfaceRaised
    {opaque(0xe6eaee), opaque(0x373d46)}, // SurfaceHover
    {opaque(0xdcebf7), opaque(0x34506b)}, // SurfacePressed
    {opaque(0xf0f2f4), opaque(0x2e333a)}, // SectionBand
    {opaque(0xffffff), opaque(0x1a1d21)}, // Field
    {opaque(0xd9dde2), opaque(0x3a4048)}, // FieldBorder
    {opaque(0xe5e8eb), opaque(0x343941)}, // Hairline
    {opaque(0xe7e9ec), opaque(0x2c3138)}, // Grid
    {opaque(0xd9dde2), opaque(0x3a4048)}, // GaugeTrack
    {opaque(0xdcebf7), opaque(0x34506b)}, // Selection
    {opaque(0x1f2328), opaque(0xe8eaed)}, // SelectionText
    {opaque(0x1f2328), opaque(0xe8eaed)}, // Playhead
    {opaque(0xffffff), opaque(0x1f2328)}, // PlayheadText
    {opaque(0x0072b2), opaque(0x3d9be0)}, // FocusRing
    {0x28000000u, 0x60000000u},           // Shadow
}};

/// Set by Theme::setChoice; a plain flag, so that color() stays a table look-up.
bool s_dark = false;

} // namespace

QColor color(Role role, bool dark) {
    const Pair& pair = kTable[std::size_t(role)];
    return QColor::fromRgba(dark ? pair.dark : pair.light);
}

QColor color(Role role) {
    return color(role, s_dark);
}

QColor color(Role role, double alpha) {
    QColor c = color(role);
    c.setAlphaF(float(alpha));
    return c;
}

OnPaper::OnPaper() : m_wasDark(std::exchange(s_dark, false)) {
}

OnPaper::~OnPaper() {
    s_dark = m_wasDark;
}

QBrush hatchBrush(Role role, double devicePixelRatio) {
    // Qt's own diagonal pattern is one pixel wide at every scale: too faint to be "unmistakable at first glance".
    constexpr int tile = 8;
    QPixmap pixmap(qRound(tile * devicePixelRatio), qRound(tile * devicePixelRatio));
    pixmap.setDevicePixelRatio(devicePixelRatio);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(color(role), 2.6));
    for (int i = -1; i <= 1; ++i)
        painter.drawLine(QPointF(i * tile - 2, tile + 2), QPointF((i + 1) * tile + 2, -2));
    painter.end();
    QBrush brush(pixmap);
    brush.setTransform(QTransform::fromScale(1 / devicePixelRatio, 1 / devicePixelRatio));
    return brush;
}

QBrush dotBrush(Role role, double devicePixelRatio) {
    constexpr int tile = 5;
    QPixmap pixmap(qRound(tile * devicePixelRatio), qRound(tile * devicePixelRatio));
    pixmap.setDevicePixelRatio(devicePixelRatio);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.fillRect(QRectF(1, 1, 1, 1), color(role, 0.8));
    painter.end();
    QBrush brush(pixmap);
    brush.setTransform(QTransform::fromScale(1 / devicePixelRatio, 1 / devicePixelRatio));
    return brush;
}

Theme& Theme::instance() {
    static Theme theme;
    return theme;
}

bool Theme::systemIsDark() const {
    // Qt 6.4 cannot be asked for the colour scheme; the desktop's own palette tells, once ours is taken away.
    if (m_applied) QApplication::setPalette(QPalette());
    return QApplication::palette().color(QPalette::Base).lightness() < 128;
}

void Theme::setChoice(ThemeChoice choice) {
    const bool dark = choice == ThemeChoice::System ? systemIsDark() : choice == ThemeChoice::Dark;
    const bool first = !m_applied;
    const bool different = first || dark != m_dark || choice == ThemeChoice::System;
    m_choice = choice;
    m_dark = s_dark = dark;
    if (first) {
        QApplication::setStyle(new LockscopeStyle);
        QApplication::setFont(uiFont());
        m_applied = true;
    }
    if (!different) return;
    QApplication::setPalette(palette(dark));
    Q_EMIT changed();
}

QPalette Theme::palette(bool dark) {
    const auto c = [dark](Role role) { return color(role, dark); };
    QPalette p;
    p.setColor(QPalette::Window, c(Role::Surface));
    p.setColor(QPalette::WindowText, c(Role::Text));
    p.setColor(QPalette::Base, c(Role::Surface));
    p.setColor(QPalette::AlternateBase, c(Role::SurfaceRaised));
    p.setColor(QPalette::Text, c(Role::Text));
    p.setColor(QPalette::PlaceholderText, c(Role::TextFaint));
    p.setColor(QPalette::Button, c(Role::SurfaceRaised));
    p.setColor(QPalette::ButtonText, c(Role::Text));
    p.setColor(QPalette::BrightText, c(Role::Violation));
    p.setColor(QPalette::Highlight, c(Role::Selection));
    p.setColor(QPalette::HighlightedText, c(Role::SelectionText));
    p.setColor(QPalette::Link, c(Role::HoldingText));
    p.setColor(QPalette::LinkVisited, c(Role::FaultText));
    p.setColor(QPalette::ToolTipBase, c(Role::Playhead));
    p.setColor(QPalette::ToolTipText, c(Role::PlayheadText));
    p.setColor(QPalette::Light, c(Role::SurfaceHover));
    p.setColor(QPalette::Midlight, c(Role::SurfaceRaised));
    p.setColor(QPalette::Mid, c(Role::Hairline));
    p.setColor(QPalette::Dark, c(Role::FieldBorder));
    p.setColor(QPalette::Shadow, c(Role::Shadow));
    for (QPalette::ColorRole role :
         {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::HighlightedText})
        p.setColor(QPalette::Disabled, role, c(Role::TextFaint));
    return p;
}

} // namespace lockscope::views
