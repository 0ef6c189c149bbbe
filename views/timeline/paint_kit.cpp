// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/paint_kit.h"

#include "theme/fonts.h"
#include "theme/svg_texture.h"
#include "timeline/strip.h"
#include "timeline/text_cache.h"

#include <QCoreApplication>
#include <QPaintEngine>
#include <QPixmap>
#include <cmath>

namespace lockscope::views {
namespace {

struct Timeline {
    Q_DECLARE_TR_FUNCTIONS(Timeline)
};

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

/// Returns one brush object per look: textures are rebuilt only when theme or scale change.
QBrush cached(double dpr, int which, const TimelineMetrics& m) {
    struct Entry {
        QRgb key = 0;
        double dpr = 0, u = 0;
        QBrush brush;
    };
    static std::array<Entry, 6> entries;
    constexpr std::array roles{Role::StaleBelief, Role::Paused,  Role::Unobserved,
                               Role::Fault,       Role::Waiting, Role::Record};
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

TextCache& texts() {
    static TextCache cache;
    return cache;
}

/// The timeline's fonts, made again when the desktop's font changes.
const PaintKit::Face& face(int index) {
    static QFont base;
    static std::vector<PaintKit::Face> faces;
    if (faces.empty() || base != uiFont()) {
        base = uiFont();
        texts().clear();
        // In place: kits at hand refer to them.
        const std::array fonts{uiFont(0, QFont::DemiBold), uiFont(-1.5), uiFont(-1, QFont::DemiBold), fixedFont(-1),
                               captionFont()};
        faces.clear();
        for (const QFont& font : fonts)
            faces.emplace_back(int(faces.size()), font);
    }
    return faces[std::size_t(index)];
}

} // namespace

double PaintKit::Face::width(const QString& words) const {
    return texts().laid(words, index, font).width;
}

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
      edge(c.width()),
      bold(face(0)),
      small(face(1)),
      smallBold(face(2)),
      fixedSmall(face(3)),
      caption(face(4)),
      hatch(textureFor(painter, cached(dpr, 0, m))),
      dots(textureFor(painter, cached(dpr, 1, m))),
      unobservedHatch(textureFor(painter, cached(dpr, 2, m))),
      cutHatch(textureFor(painter, cached(dpr, 3, m))),
      waitDots(textureFor(painter, cached(dpr, 4, m))),
      recordHatch(textureFor(painter, cached(dpr, 5, m))) {
}

QRectF PaintKit::acrossAll(std::int64_t from, std::int64_t to, const QRectF& bar, double least) const {
    // Far ends are cut close to the picture: the rasterizer clips long shapes slowly.
    constexpr double margin = 64;
    const double left = std::max(c.x(from), -margin);
    const double right = std::min(c.x(to), c.width() + margin);
    return {left, bar.y(), std::max(right - left, least), bar.height()};
}

double PaintKit::text(const QRectF& rect, const QString& words, const Face& face, Role role) const {
    // Below four letters nothing is elided, but what is shorter by itself may stand.
    if (tooNarrow(rect.width(), face, int(std::min<qsizetype>(words.size(), 4)))) return rect.left();
    QString shown = words;
    double width = face.width(words);
    if (width > rect.width()) {
        shown = face.fm.elidedText(words, Qt::ElideRight, rect.width());
        if (shown.size() < 4) return rect.left();
        width = face.width(shown);
    }
    p.setFont(face.font);
    p.setPen(color(role));
    const double baseline = std::round(rect.y() + (rect.height() + face.fm.ascent() - face.fm.descent()) / 2);
    if (p.paintEngine()->type() == QPaintEngine::Raster) {
        const TextCache::Laid& laid = texts().laid(shown, face.index, face.font);
        p.drawStaticText(QPointF(rect.x(), baseline - laid.ascent), laid.text);
    } else {
        p.drawText(QPointF(rect.x(), baseline), shown);
    }
    if (written) {
        const QPointF moved = p.worldTransform().map(QPointF(rect.x(), baseline));
        const QRectF place(moved.x(), moved.y() - face.fm.ascent(), width, face.fm.ascent() + face.fm.descent());
        written->push_back({place, moved.y(), shown, face.font});
    }
    return rect.left() + width;
}

double PaintKit::firstFitting(const QRectF& rect, const QStringList& wordings, const Face& face, Role role) const {
    for (const QString& words : wordings) {
        if (tooNarrow(rect.width(), face, int(words.size())) || face.width(words) > rect.width()) continue;
        // Drawn with room to spare: never elided, and never too narrow to be drawn.
        text(rect.adjusted(0, 0, rect.width(), 0), words, face, role);
        return rect.left() + face.width(words);
    }
    return rect.left();
}

double PaintKit::beside(const QRectF& right, double apart, double left, const QStringList& wordings, const Face& face,
                        Role role, double stop) const {
    stop = std::min(stop, edge);
    const QRectF room(right.x(), right.y(), std::min(right.right(), stop - 2) - right.x(), right.height());
    const double end = firstFitting(room, wordings, face, role);
    if (end > room.left() || stop >= c.width() || right.right() < stop - 2) return end;
    for (const QString& words : wordings) {
        const double width = face.width(words), from = right.x() - apart - width;
        if (from < left) continue;
        text({from, right.y(), width + 2, right.height()}, words, face, role);
        break;
    }
    return end;
}

QRectF PaintKit::chip(double x, double y, const QString& words, Role fill, Role border, Role ink) const {
    const double pad = m.px(8);
    const QRectF rect(x, y, smallBold.width(words) + 2 * pad, m.px(19));
    rounded(rect.adjusted(0.5, 0.5, -0.5, -0.5), rect.height() / 2, color(fill), QPen(color(border), 1));
    text(rect.adjusted(pad, 0, pad, 0), words, smallBold, ink);
    return rect;
}

void PaintKit::gap(const QRectF& rect, const QStringList& wordings) const {
    box(rect, color(Role::SurfaceRaised));
    p.fillRect(rect, unobservedHatch);
    const double left = std::max(rect.x(), 0.0), right = std::min(rect.right(), c.width());
    for (const QString& words : wordings.isEmpty() ? QStringList{Timeline::tr("not observed")} : wordings) {
        const double width = smallBold.width(words) + m.px(16);
        if (right - left <= width + 4) continue;
        if (isStrip(m, int(rect.height()))) { // on a ground of their own, as in a chip
            const QRectF ground(left + (right - left - width) / 2, rect.y(), width, rect.height());
            box(ground, color(Role::Surface));
            text(ground.adjusted(m.px(8), 0, 0, 0), words, smallBold, Role::TextDim);
            return;
        }
        chip(left + (right - left - width) / 2, rect.center().y() - m.px(9), words, Role::Surface, Role::TextFaint,
             Role::TextDim);
        return;
    }
}

void PaintKit::rounded(const QRectF& rect, double radius, const QBrush& fill, const QPen& pen) const {
    p.setPen(pen);
    p.setBrush(fill);
    p.setRenderHint(QPainter::Antialiasing, true);
    p.drawRoundedRect(rect, radius, radius);
    p.setRenderHint(QPainter::Antialiasing, false);
}

QColor onGround(const QColor& top) {
    const QColor ground = color(Role::SurfaceSunken);
    const auto mix = [a = top.alphaF()](float over, float under) { return over * a + under * (1 - a); };
    return QColor::fromRgbF(mix(top.redF(), ground.redF()), mix(top.greenF(), ground.greenF()),
                            mix(top.blueF(), ground.blueF()));
}

QColor dimmedInk() {
    // Less is not read on a bar's paled colour; light letters outshine the dark ground sooner.
    const bool light = color(Role::Text).lightness() > color(Role::SurfaceSunken).lightness();
    return onGround(color(Role::Text, light ? 0.78 : 0.85));
}

PixelColumns::PixelColumns(const TimelineCoordinates& c)
    : m_c(c),
      m_columns(std::size_t(c.width()) + 1),
      m_sixteenths(float(16 / c.nanosPerPixel())),
      m_first(int(m_columns.size())) {
}

void PixelColumns::add(const SpanSum& sum) {
    const int last = int(m_columns.size()) - 1;
    const double from = std::clamp(m_c.x(sum.from), 0.0, double(last)),
                 to = std::clamp(m_c.x(sum.to), 0.0, double(last));
    const int left = int(from), right = int(to);
    m_first = std::min(m_first, left);
    m_last = std::max(m_last, right);
    if (left == right) {
        Column& column = m_columns[std::size_t(left)];
        for (std::size_t s = 0; s < kStates; ++s)
            column.covered[s] += sum.covered[s];
        column.states |= sum.states;
        return;
    }
    const double width = to - from;
    for (int x = left; x <= right; ++x) {
        // A stretch over the edge of two pixels gives each its share; what occurs in it is noted in both only when
        // both are touched by more than a trace of it.
        const double part = (std::min(to, x + 1.0) - std::max(from, double(x))) / width;
        if (part < 0.02) continue;
        Column& column = m_columns[std::size_t(x)];
        for (std::size_t s = 0; s < kStates; ++s)
            column.covered[s] += sum.covered[s] * float(part);
        column.states |= sum.states;
    }
}

double flagX(const PaintKit& kit, double x) {
    const double half = kit.m.px(6);
    return x >= 0 && x < half ? half : x;
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
        if (height < kit.m.px(16)) return; // the flag would cover other lanes
        last = x;
        lastByHand = byHand;
        kit.sprite(byHand ? Sprite::FaultByHand : Sprite::FaultPlanned, flagX(kit, x), kit.m.px(8));
    };
    const auto slack = std::int64_t(apart * kit.c.nanosPerPixel());
    faults.visit(
        kit.c.from() - slack, std::min(kit.c.to() + slack, kit.last), kit.pixel,
        [&](std::size_t, const Tick& tick) { flag(tick.at, tick.kind == unsigned(FaultTick::ByHand)); },
        [&](const TickSum& sum) { flag(sum.from, sum.kinds & bit(FaultTick::ByHand)); });
    // Where they stand side by side they would hide the lane: short ones say as much.
    if (lines.size() > 128) lines.cutHeight(kit.m.px(12));
    lines.paint(kit.p, color(Role::Fault, 0.4));
}

} // namespace lockscope::views
