// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/spotlight_paint.h"

#include "theme/fonts.h"
#include "timeline/lane_notes.h"
#include "timeline/text_cache.h"

#include <QCoreApplication>
#include <QPainterPath>
#include <QStaticText>

namespace lockscope::views {
namespace {

constexpr double kDim = 0.62; ///< of the ground over what is not in the spotlight

struct SpotlightWords {
    Q_DECLARE_TR_FUNCTIONS(SpotlightWords)
};

/// The rows that the spotlight is on, as one band each; rows that follow one another are joined.
std::vector<QRectF> litRows(const TimelineScene& scene, const Spotlight& spotlight, double left, double right) {
    std::vector<QRectF> lit;
    for (const TimelineLayout::Row& row : scene.layout.rows()) {
        if (std::ranges::find(spotlight.lanes, row.lane->entity) == spotlight.lanes.end()) continue;
        const QRectF band(left, row.y - scene.scroll, right - left, row.height);
        if (!lit.empty() && band.top() - lit.back().bottom() < 1)
            lit.back().setBottom(band.bottom());
        else
            lit.push_back(band);
    }
    return lit;
}

/// Makes a lit band so much wider that its edges cut through no words and no pill: those are lit whole, up to `from`
/// and `to`.
void widen(QRectF& band, std::span<const WrittenWords> written, double from, double to, double apart) {
    QRectF before;
    do { // what was wide enough for one may cut the next
        before = band;
        for (const WrittenWords& words : written) {
            const QRectF& place = words.pill.isNull() ? words.place : words.pill;
            if (place.center().y() < band.top() || place.center().y() > band.bottom() || place.left() < from) continue;
            if (place.left() - apart < band.left() && place.right() > band.left())
                band.setLeft(std::max(from, place.left() - apart));
            if (place.right() + apart > band.right() && place.left() < band.right())
                band.setRight(std::min(to, place.right() + apart));
        }
    } while (band != before);
}

/// The playhead within the axis of a picture this wide.
double playheadX(const TimelineScene& scene, int width) {
    const double x = scene.metrics.labelWidth() + scene.coordinates(width).x(scene.playhead);
    return std::clamp<double>(x, scene.metrics.labelWidth(), width);
}

/// The colour of a lane's note on how it stands now.
Role noteRole(const Lane& lane, std::int64_t now) {
    const std::size_t i = lane.spans.firstEndingAfter(now);
    if (i == lane.spans.size() || lane.spans[i].from > now) return Role::TextDim;
    if (lane.kind == LaneKind::Session)
        return trace::SessionPhase(lane.spans[i].state) == trace::SessionPhase::Connected ? Role::AcceptedText
                                                                                          : Role::WaitingText;
    if (lane.kind != LaneKind::Belief) return Role::HoldingText;
    switch (BeliefState(lane.spans[i].state)) {
    case BeliefState::Waiting:
        return Role::WaitingText;
    case BeliefState::Stale:
        return Role::ViolationText;
    case BeliefState::Holding:
        break;
    }
    return Role::HoldingText;
}

/// A box with words, tied to the playhead by a short line: the first ones that the room takes, the shortest last.
void paintNote(QPainter& painter, const QRectF& room, const QStringList& wordings, Role role, Qt::PenStyle border) {
    const double u = textScale();
    const QFontMetricsF letters(painter.font());
    const double tie = 14 * u;
    double pad = 12 * u, most = room.width() - tie - 8 * u - 2 * pad;
    if (most < letters.averageCharWidth() * 8) return;
    if (letters.horizontalAdvance(wordings.last()) > most) { // whole words matter more than air around them
        pad = 6 * u;
        most = room.width() - tie - 4 * u - 2 * pad;
    }
    const auto fitting =
        std::ranges::find_if(wordings, [&](const QString& words) { return letters.horizontalAdvance(words) <= most; });
    const QString shown =
        fitting != wordings.end() ? *fitting : letters.elidedText(wordings.last(), Qt::ElideRight, most);
    const double high = std::min(letters.height() + 8 * u, room.height() - 3); // notes of low lanes stand apart
    const QRectF box(room.left() + tie, room.center().y() - high / 2, letters.horizontalAdvance(shown) + 2 * pad, high);
    painter.setPen(QPen(color(role), 1.5));
    painter.drawLine(QPointF(room.left(), box.center().y()), QPointF(box.left(), box.center().y()));
    painter.setPen(QPen(color(role), 1.5, border));
    painter.setBrush(color(Role::Surface));
    painter.drawRoundedRect(box, border == Qt::SolidLine ? high / 2 : 5 * u,
                            border == Qt::SolidLine ? high / 2 : 5 * u);
    painter.drawText(box, Qt::AlignCenter, shown);
}

/// Right of the playhead, where nothing is known yet: how the lanes in the spotlight stand now, and the bet.
void paintNotes(QPainter& painter, const QRectF& room, const TimelineScene& scene, const Spotlight& spotlight,
                const ShownBet& bet) {
    painter.setFont(uiFont(0, QFont::DemiBold));
    const TimelineLayout::Row* betRow = nullptr;
    for (const TimelineLayout::Row& row : scene.layout.rows()) {
        const QRectF place(room.left(), row.y - scene.scroll, room.width(), row.height);
        if (place.bottom() > room.bottom() || place.top() < room.top()) continue;
        if (row.lane->kind == LaneKind::Effect) betRow = &row;
        const bool lit = std::ranges::find(spotlight.lanes, row.lane->entity) != spotlight.lanes.end();
        const auto kind = row.lane->kind;
        const bool tells = kind == LaneKind::Belief || kind == LaneKind::Record || kind == LaneKind::Session;
        if (!lit || !tells) continue;
        paintNote(painter, place, laneNotes(scene.data, *row.lane, scene.playhead), noteRole(*row.lane, scene.playhead),
                  Qt::SolidLine);
    }
    if (bet.words.isEmpty()) return;
    const double high = 56 * textScale();
    const QRectF place = betRow ? QRectF(room.left(), betRow->y - scene.scroll, room.width(), betRow->height)
                                : QRectF(room.left(), room.bottom() - high, room.width(), high);
    const Role role = !bet.right ? Role::HoldingText : *bet.right ? Role::AcceptedText : Role::WaitingText;
    paintNote(painter, place, {bet.words, bet.brief}, role, bet.right ? Qt::SolidLine : Qt::DashLine);
}

} // namespace

void paintHidden(QPainter& painter, const QSize& size, const TimelineScene& scene, double x) {
    const QRectF hidden(x, 0, size.width() - x, size.height());
    painter.save();
    painter.setClipRect(hidden, Qt::IntersectClip);
    painter.fillRect(hidden, color(Role::SurfaceSunken));
    paintCaptions(painter, size, scene); // their words may be longer than the time that has passed
    painter.restore();
}

bool isLit(const QRectF& words, const std::vector<QRectF>& lit) {
    return std::ranges::any_of(lit, [&](const QRectF& band) { return band.intersects(words); });
}

std::vector<QRectF> paintSpotlight(QPainter& painter, const QSize& size, const TimelineScene& scene,
                                   const Spotlight& spotlight, const ShownBet& bet,
                                   std::span<const WrittenWords> written) {
    const double labels = scene.metrics.labelWidth(), width = size.width(), height = size.height();
    const double now = playheadX(scene, size.width());
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setClipRect(QRectF(labels, 0, width - labels, height));
    const TimelineCoordinates c = scene.coordinates(size.width());
    // A mark at its first instant is lit as a whole: it is drawn around its instant.
    const double left = std::max(labels + c.x(spotlight.from.count()) - scene.metrics.px(12), labels + 2.0);
    const double right = std::min({labels + c.x(spotlight.to.count()), now, width - 2});
    std::vector<QRectF> lit = right > left ? litRows(scene, spotlight, left, right) : std::vector<QRectF>{};
    for (QRectF& band : lit)
        widen(band, written, labels + 2, std::min(now, width - 2), scene.metrics.px(5));
    if (!lit.empty()) {
        QPainterPath dark, light;
        for (const TimelineLayout::Row& row : scene.layout.rows()) // captions between them stay readable
            dark.addRect(QRectF(labels, row.y - scene.scroll, now - labels, row.height));
        for (const QRectF& band : lit)
            light.addRoundedRect(band.adjusted(-2, 0, 2, 0), 5, 5);
        painter.fillPath(dark.subtracted(light), color(Role::SurfaceSunken, kDim));
        painter.setPen(dimmedInk());
        for (const WrittenWords& words : written) {
            if (words.place.left() < labels || isLit(words.place, lit)) continue;
            painter.setFont(words.font);
            QStaticText again(words.words); // as they were laid out, exactly over the first
            again.setTextFormat(Qt::PlainText);
            const double top = words.baseline - lineAscent(words.words, words.font);
            painter.drawStaticText(QPointF(words.place.left(), top), again);
        }
        painter.setPen(QPen(color(Role::Text), 2));
        painter.setBrush(Qt::NoBrush);
        for (const QRectF& band : lit) // within the rows: captions stand right above and below them
            painter.drawRoundedRect(band.adjusted(-1, 1, 1, -1), 5, 5);
    }
    const QRectF hidden(now, 0, width - now, height);
    paintHidden(painter, size, scene, now);
    paintNotes(painter, hidden, scene, spotlight, bet);
    painter.restore();
    return lit;
}

void paintNotYet(QPainter& painter, const QSize& size, const TimelineScene& scene) {
    const double now = playheadX(scene, size.width());
    const QRectF hidden(now, 0, size.width() - now, size.height());
    painter.fillRect(hidden, color(Role::Surface));
    painter.setFont(uiFont(-1));
    painter.setPen(color(Role::TextDim));
    //: On the time axis, right of the playhead.
    const QString words = SpotlightWords::tr("not yet");
    const double margin = scene.metrics.px(8);
    const double gap = std::max(double(scene.metrics.px(56)), playheadPill(scene, size.width()).right() - now + margin);
    if (hidden.width() > gap + margin + painter.fontMetrics().horizontalAdvance(words))
        painter.drawText(hidden.adjusted(gap, 0, 0, scene.metrics.rulerHeight() - hidden.height()),
                         Qt::AlignLeft | Qt::AlignVCenter, words);
    painter.fillRect(QRectF(now, size.height() - 1, hidden.width(), 1), color(Role::Hairline));
}

void paintNotYetSmall(QPainter& painter, const QSize& size, double x) {
    painter.fillRect(QRectF(x, 0, size.width() - x, size.height()), color(Role::Surface));
}

} // namespace lockscope::views
