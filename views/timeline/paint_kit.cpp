// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/paint_kit.h"

#include "theme/fonts.h"

#include <QPixmap>
#include <cmath>

namespace lockscope::views {
namespace {

/// Square dots along a line: "waits".
QBrush dottedLine(const TimelineMetrics& m, double dpr) {
    const int pitch = m.px(6), dot = m.px(3);
    QPixmap tile(int(std::ceil(pitch * dpr)), int(std::ceil(dot * dpr)));
    tile.setDevicePixelRatio(dpr);
    tile.fill(Qt::transparent);
    QPainter painter(&tile);
    painter.fillRect(QRectF(0, 0, dot, dot), color(Role::Waiting));
    painter.end();
    QBrush brush(tile);
    return brush;
}

/// The same brush object for the same look: textures are rebuilt only when theme or scale change.
QBrush cached(double dpr, int which, const TimelineMetrics& m) {
    struct Entry {
        QRgb key = 0;
        double dpr = 0, u = 0;
        QBrush brush;
    };
    static std::array<Entry, 5> entries;
    constexpr std::array roles{Role::StaleBelief, Role::Paused, Role::Unobserved, Role::Fault, Role::Waiting};
    Entry& entry = entries[std::size_t(which)];
    const QRgb key = color(roles[std::size_t(which)]).rgba();
    if (entry.key == key && entry.dpr == dpr && entry.u == m.u) return entry.brush;
    QBrush brush = which == 4   ? dottedLine(m, dpr)
                   : which == 1 ? dotBrush(Role::Paused, dpr)
                                : hatchBrush(roles[std::size_t(which)], dpr);
    brush.setTransform({}); // Qt itself scales a texture by its device pixel ratio
    entry = {key, dpr, m.u, brush};
    return brush;
}

} // namespace

PaintKit::PaintKit(QPainter& painter, const TimelineData& timelineData, const TimelineCoordinates& coordinates,
                   const TimelineMetrics& metrics, double devicePixelRatio)
    : p(painter),
      data(timelineData),
      trace(timelineData.trace()),
      c(coordinates),
      m(metrics),
      dpr(devicePixelRatio),
      now(data.now()),
      pixel(c.pixel()),
      normal(uiFont()),
      bold(uiFont(0, QFont::DemiBold)),
      small(uiFont(-1.5)),
      smallBold(uiFont(-1, QFont::DemiBold)),
      fixedSmall(fixedFont(-1)),
      normalFm(normal),
      boldFm(bold),
      smallFm(small),
      smallBoldFm(smallBold),
      fixedSmallFm(fixedSmall),
      hatch(cached(dpr, 0, m)),
      dots(cached(dpr, 1, m)),
      unobservedHatch(cached(dpr, 2, m)),
      cutHatch(cached(dpr, 3, m)),
      waitDots(cached(dpr, 4, m)) {
}

QRectF PaintKit::across(std::int64_t from, std::int64_t to, const QRectF& bar, double least) const {
    // Far ends are cut close to the picture: the rasterizer clips long shapes slowly.
    constexpr double margin = 64;
    const double left = std::max(c.x(from), -margin);
    const double right = std::min(c.x(to), c.width() + margin);
    return {left, bar.y(), std::max(right - left, least), bar.height()};
}

double PaintKit::text(const QRectF& rect, const QString& words, const QFont& font, const QFontMetricsF& fm,
                      Role role) const {
    double width = fm.horizontalAdvance(words);
    QString shown = words;
    if (width > rect.width()) {
        if (rect.width() < 4 * fm.averageCharWidth()) return rect.left();
        shown = fm.elidedText(words, Qt::ElideRight, rect.width());
        if (shown.size() < 4) return rect.left();
        width = fm.horizontalAdvance(shown);
    }
    p.setFont(font);
    p.setPen(color(role));
    const double baseline = rect.y() + (rect.height() + fm.ascent() - fm.descent()) / 2;
    p.drawText(QPointF(rect.x(), std::round(baseline)), shown);
    return rect.left() + width;
}

double PaintKit::firstFitting(const QRectF& rect, const QStringList& wordings, const QFont& font,
                              const QFontMetricsF& fm, Role role) const {
    for (const QString& words : wordings)
        if (fm.horizontalAdvance(words) <= rect.width()) return text(rect, words, font, fm, role);
    return rect.left();
}

QRectF PaintKit::chip(double x, double y, const QString& words, Role fill, Role border, Role ink) const {
    const double pad = m.px(8);
    const QRectF rect(x, y, smallBoldFm.horizontalAdvance(words) + 2 * pad, m.px(19));
    rounded(rect.adjusted(0.5, 0.5, -0.5, -0.5), rect.height() / 2, color(fill), QPen(color(border), 1));
    text(rect.adjusted(pad, 0, pad, 0), words, smallBold, smallBoldFm, ink);
    return rect;
}

void PaintKit::rounded(const QRectF& rect, double radius, const QBrush& fill, const QPen& pen) const {
    p.setPen(pen);
    p.setBrush(fill);
    p.setRenderHint(QPainter::Antialiasing, true);
    p.drawRoundedRect(rect, radius, radius);
    p.setRenderHint(QPainter::Antialiasing, false);
}

PixelColumns::PixelColumns(const TimelineCoordinates& c)
    : m_c(c), m_columns(std::size_t(c.width()) + 1), m_first(int(m_columns.size())) {
}

void PixelColumns::add(const SpanSum& sum) {
    const double from = m_c.x(sum.from), to = m_c.x(sum.to);
    const int last = int(m_columns.size()) - 1;
    const int left = std::clamp(int(std::floor(from)), 0, last), right = std::clamp(int(std::floor(to)), 0, last);
    const double width = to - from;
    for (int x = left; x <= right; ++x) {
        // A stretch over the edge of two pixels gives each its share; what occurs in it is noted in both only when
        // both are touched by more than a trace of it.
        const double part = width > 0 ? (std::min(to, x + 1.0) - std::max(from, double(x))) / width : 1;
        if (part <= 0 || (part < 0.02 && left != right)) continue;
        Column& column = m_columns[std::size_t(x)];
        for (std::size_t s = 0; s < kStates; ++s)
            column.covered[s] += sum.covered[s] * float(part);
        column.states |= sum.states;
    }
    m_first = std::min(m_first, left);
    m_last = std::max(m_last, right);
}

std::array<double, kStates> PixelColumns::quantised(const Column& column) const {
    std::array<double, kStates> shares{};
    const double pixel = m_c.nanosPerPixel();
    for (std::size_t s = 0; s < kStates; ++s)
        shares[s] = std::round(std::min(1.0, double(column.covered[s]) / pixel) * 16) / 16;
    return shares;
}

void BoxBatch::paint(QPainter& painter, const QColor& fill) const {
    if (m_rects.empty()) return;
    painter.setPen(Qt::NoPen);
    painter.setBrush(fill);
    painter.drawRects(m_rects.data(), int(m_rects.size()));
}

void paintFaults(const PaintKit& kit, const TickTrack& faults, int height) {
    if (faults.empty()) return;
    const double apart = kit.m.px(9);
    double last = -1e9;
    bool lastByHand = false;
    BoxBatch lines;
    const auto flag = [&](std::int64_t at, bool byHand) {
        const double x = std::round(kit.c.x(at));
        lines.add(x, 0, 1, height);
        // Flags that would cover each other become one; one planted by hand is not hidden by a planned one. Their
        // lines stay.
        if (x < last + apart && (!byHand || lastByHand)) return;
        last = x;
        lastByHand = byHand;
        kit.sprite(byHand ? Sprite::FaultByHand : Sprite::FaultPlanned, x, kit.m.px(8));
    };
    const auto slack = std::int64_t(apart * kit.c.nanosPerPixel());
    faults.visit(
        kit.c.from() - slack, kit.c.to() + slack, kit.pixel,
        [&](std::size_t, const Tick& tick) { flag(tick.at, tick.kind == unsigned(FaultTick::ByHand)); },
        [&](const TickSum& sum) { flag(sum.from, sum.kinds & bit(FaultTick::ByHand)); });
    lines.paint(kit.p, color(Role::Fault, 0.4));
}

} // namespace lockscope::views
