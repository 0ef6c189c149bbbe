// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/fonts.h"
#include "theme/icons.h"
#include "timeline/margin.h"
#include "timeline/paint_lease.h"
#include "timeline/scene.h"
#include "timeline/strip.h"
#include "timeline/svg_clip.h"
#include "trace/trace_time.h"

#include <cmath>

namespace lockscope::views {
namespace {

/// The ground behind all lanes: the future, bands of violations, the grid. It is collected once and painted lane by
/// lane: then a lane's pixels are still in the processor's cache when the lane is painted over them, which those of a
/// whole picture would not be.
class Ground {
public:
    Ground(const PaintKit& kit, const ViolationBands& bands, int height) : m_kit(kit) {
        bands.visit(kit.c, kit.now, [&](const ViolationBands::Band& band, double x, double width) {
            if (band.from >= kit.last) return;
            const double left = std::max(x, -8.0), right = std::min(x + width, kit.c.width() + 8);
            if (right <= left) return;
            m_washes.add(left, 0, right - left, height);
            const int dash = kit.m.px(4);
            // A band of a few pixels is one line; a wide one has two dashed edges.
            if (right - left < 5) {
                m_edges.add(std::round(left), 0, std::max(2.0, std::floor(right - left)), height);
                return;
            }
            for (int y = 0; y < height; y += 2 * dash) {
                if (x > -8) m_edges.add(std::round(x), y, 1, dash);
                if (x + width < kit.c.width() + 8) m_edges.add(std::round(x + width) - 1, y, 1, dash);
            }
        });
        visitMarks(kit.c, rulerStep(kit), timeOfDayAtOrigin(kit.trace).count(),
                   [&](std::int64_t t) { m_grid.add(std::round(kit.c.x(t)), 0, 1, height); });
        addFaults(height);
    }

    /// Paints what of it lies within [top, top + height), `labels` pixels from the left of the picture.
    void paint(int labels, int width, int top, int height) const {
        QPainter& p = m_kit.p;
        p.fillRect(QRect(0, top, width, height), color(Role::SurfaceSunken));
        p.save();
        beginClip(p, QRect(labels, top, width - labels, height));
        p.translate(labels, 0);
        // The future must not look like a time in which nothing happened.
        const double reached = m_kit.c.x(m_kit.now);
        if (reached < m_kit.c.width())
            m_kit.box(QRectF(std::max(0.0, reached), top, m_kit.c.width() - std::max(0.0, reached), height),
                      onGround(color(Role::SurfaceRaised, 0.55)));
        m_washes.paint(p, onGround(color(Role::ViolationBand)));
        m_edges.paint(p, onGround(color(Role::Violation, 0.6)));
        m_grid.paint(p, color(Role::Grid));
        m_faults.paint(p, onGround(color(Role::Fault, 0.5)));
        endClip(p);
        p.restore();
    }

private:
    /// Through all lanes, as what a fault does is seen on many: a person's own as a line, a scenario's as dots.
    void addFaults(int height) {
        constexpr std::size_t kMost = 40; // more are a hatch that says nothing
        const TickTrack& faults = m_kit.data.faults();
        const std::size_t first = faults.lowerBound(m_kit.c.from()), end = faults.lowerBound(m_kit.to());
        if (end - first > kMost) return;
        const int dot = m_kit.m.px(2);
        for (std::size_t i = first; i < end; ++i) {
            const double x = std::round(m_kit.c.x(faults[i].at));
            const bool byHand = faults[i].kind == unsigned(FaultTick::ByHand);
            for (int y = 0; y < height; y += byHand ? height : 3 * dot)
                m_faults.add(x, y, 1, byHand ? height : dot);
        }
    }
    const PaintKit& m_kit;
    BoxBatch m_washes, m_edges, m_grid, m_faults;
};

/// A copy hangs on its lock's lane, a clock on its owner's: a branch, its name, and how it is at the playhead, in one
/// line.
void paintBranch(const PaintKit& kit, const TimelineScene& scene, const Lane& lane, int width, int height) {
    const double middle = std::round(height / 2.0), left = kit.m.px(18), arm = kit.m.px(8);
    kit.box(QRectF(left, 0, 1, middle), color(Role::TextFaint));
    kit.box(QRectF(left, middle, arm, 1), color(Role::TextFaint));
    const double from = left + arm + kit.m.px(4), right = width - kit.m.px(6);
    const QString state = laneSubtitle(kit.data, lane, scene.notes, scene.playhead);
    const double needed = kit.small.width(state);
    const double end =
        kit.text({from, 0, right - from, double(height)}, laneTitle(kit.data, lane), kit.small, Role::Text);
    if (end + kit.m.px(6) + needed <= right)
        kit.text({right - needed, 0, needed + 2, double(height)}, state, kit.small, Role::TextDim);
}

bool isSelected(const Lane& lane, trace::EntityId selection) {
    return selection != trace::kNoEntity &&
           (lane.entity == selection || (lane.kind == LaneKind::Belief && lane.client == selection));
}

/// A lane that is lower than its name: the names are painted over the lanes, as many as there is room for.
bool hasLowLabel(const PaintKit& kit, const Lane& lane) {
    return lane.kind == LaneKind::Belief && kit.m.lowBeliefs();
}

/// Whether a label at `row` would run into that of a believer, which comes first.
bool isBesideBeliever(const std::vector<TimelineLayout::Row>& rows, std::size_t row,
                      const std::vector<std::size_t>& believers, int line) {
    return std::ranges::any_of(believers, [&](std::size_t believer) {
        return believer != row && std::abs(rows[believer].y - rows[row].y) < line * 3 / 2; // it may be moved by half
    });
}

/// The name of a believer's low lane; with the names of those right below it, where it is the first of them, since each
/// of its own would stand on the other. Empty: one above it names it.
QString believersNames(const PaintKit& kit, const std::vector<TimelineLayout::Row>& rows, std::size_t row,
                       const std::vector<std::size_t>& believers, int line) {
    const auto first = std::ranges::find(believers, row);
    if (first != believers.begin() && rows[row].y - rows[*std::prev(first)].y < line) return {};
    auto last = first;
    while (std::next(last) != believers.end() && rows[*std::next(last)].y - rows[*last].y < line)
        ++last;
    if (last == first) return laneShortTitle(kit.data, *rows[row].lane);
    QStringList names;
    for (auto each = first; each <= last; ++each)
        names += kit.data.trace().displayName(rows[*each].lane->client);
    return names.join(QStringLiteral(", "));
}

/// The lane that is named, out of those from `row` on that share one line for a name: the first with a hold in sight,
/// since a reader asks for the name of such a bar.
const Lane& namedLane(const PaintKit& kit, const std::vector<TimelineLayout::Row>& rows, std::size_t row,
                      std::size_t many) {
    const auto holds = [&](const Lane& lane) {
        std::uint32_t states = 0;
        lane.spans.visit(
            kit.c.from(), kit.to(), kit.pixel, kit.now,
            [&](std::size_t, const Span& span) { states |= 1u << span.state; },
            [&](const SpanSum& sum) { states |= sum.states; });
        return (states & (bit(BeliefState::Holding) | bit(BeliefState::Stale))) != 0;
    };
    for (std::size_t i = row; i < std::min(row + many, rows.size()); ++i)
        if (rows[i].lane->kind == LaneKind::Belief && holds(*rows[i].lane)) return *rows[i].lane;
    return *rows[row].lane;
}

/// One line, and of lanes that are lower than a line only of as many as have room: of believers first.
void paintLowLabel(const PaintKit& kit, const TimelineScene& scene, int width, std::size_t row,
                   const std::vector<std::size_t>& believers) {
    const auto& rows = scene.layout.rows();
    const Lane& lane = *rows[row].lane;
    const int line = kit.m.px(14), height = rows[row].height;
    if (height >= kit.m.px(24)) {                                                    // a row of its own
        const int low = hasTwoLines(kit.m, height) ? height - kit.m.px(18) : height; // its margin stands below it
        kit.text(QRectF(kit.m.px(14), 0, width - kit.m.px(20), low), laneShortTitle(kit.data, lane), kit.bold,
                 Role::Text);
        return;
    }
    const auto every = std::size_t(std::max(1, (line + height - 1) / height));
    const bool believes = std::ranges::find(believers, row) != believers.end();
    const bool crowded = every > 1 && isBesideBeliever(rows, row, believers, line);
    if (!believes && (row % every != 0 || crowded)) return;
    const QString name = believes ? believersNames(kit, rows, row, believers, line)
                                  : laneShortTitle(kit.data, namedLane(kit, rows, row, every));
    if (name.isEmpty()) return;
    // Within its section: below the last lane comes a caption.
    std::size_t last = row;
    while (last + 1 < rows.size() && rows[last + 1].lane->kind == LaneKind::Belief && rows[last].y < rows[row].y + line)
        ++last;
    const double room = rows[last].y + rows[last].height - rows[row].y;
    const bool isFirst = row == 0 || rows[row - 1].lane->kind != LaneKind::Belief; // above it is a caption
    const double top = std::min(isFirst ? std::max(0.0, (height - line) / 2.0) : (height - line) / 2.0, room - line);
    const QRectF place(kit.m.px(14), top, width - kit.m.px(20), line);
    kit.text(place, name, believes ? kit.smallBold : kit.small,
             believes || isSelected(lane, scene.selection) ? Role::Text : Role::TextDim);
}

/// The name of a row, in so much room. Each end of a link keeps its first and last letters: cut behind, the links of
/// one client would have one name.
QString titleIn(const PaintKit& kit, const TimelineLayout::Row& row, double room, const PaintKit::Face& face) {
    const QString title = rowTitle(kit.data, row);
    if (row.lane->kind != LaneKind::Link || face.width(title) <= room) return title;
    const QString between = QStringLiteral(" ↔ ");
    const QString one = title.section(between, 0, 0), other = title.section(between, 1);
    const double both = room - face.width(between), half = both / 2;
    const bool isCount = other.contains(u' '); // "4 others": its beginning says it
    if (isCount && face.width(one) < both)
        return one + between + face.fm.elidedText(other, Qt::ElideRight, both - face.width(one));
    const auto fitted = [&](const QString& name, const QString& beside) {
        return face.fm.elidedText(name, Qt::ElideMiddle, std::max(half, both - face.width(beside)));
    };
    return fitted(one, other) + between + fitted(other, one);
}

/// A name and a state in one line.
void paintOneLine(const PaintKit& kit, const TimelineScene& scene, const TimelineLayout::Row& row, int width) {
    const Lane& lane = *row.lane;
    const int height = row.height;
    const double left = kit.m.px(14), right = width - kit.m.px(6);
    const QString state = laneSubtitle(kit.data, lane, scene.notes, scene.playhead);
    const double needed = kit.small.width(state);
    const double room = right - left;
    const bool large = !isStrip(kit.m, height) && kit.bold.width(rowTitle(kit.data, row)) <= room;
    const PaintKit::Face& face = large ? kit.bold : kit.smallBold;
    const double end = kit.text({left, 0, room, double(height)}, titleIn(kit, row, room, face), face, Role::Text);
    if (end + kit.m.px(6) + needed <= right)
        kit.text({right - needed, 0, needed + 2, double(height)}, state, kit.small, Role::TextDim);
}

bool isOneLine(LaneKind kind) {
    return kind == LaneKind::Record || kind == LaneKind::Effect || kind == LaneKind::Node ||
           kind == LaneKind::Watchers || kind == LaneKind::Link;
}

void paintLabel(const PaintKit& kit, const TimelineScene& scene, const TimelineLayout::Row& row, int width) {
    const Lane& lane = *row.lane;
    const int height = row.height;
    if (hangsOnAnother(lane)) return paintBranch(kit, scene, lane, width, height);
    const double line = kit.m.px(18);
    if (height < 2 * line && isOneLine(lane.kind)) return paintOneLine(kit, scene, row, width);
    const QString subtitle = laneSubtitle(kit.data, lane, scene.notes, scene.playhead);
    const double left = kit.m.px(14), room = width - left - kit.m.px(4);
    // Below a client's name is room for its margin, which comes and goes.
    const double middle = lane.kind == LaneKind::Belief ? kit.m.px(24) : height / 2.0;
    // A server and a recipe that are too long for one line have one each: recipes differ in their last letters.
    QStringList lines{subtitle};
    const QString between = QStringLiteral(" · ");
    if (lane.kind == LaneKind::Record && kit.small.width(subtitle) > room)
        lines = {subtitle.section(between, 0, 0), subtitle.section(between, 1)};
    lines.removeAll(QString());
    if (lines.size() > 1 && height < 3 * line) lines.removeFirst(); // the server has a lane of its own
    double top = lines.size() < 2 ? middle - line / 2 - double(lines.size()) * (line / 2 - 2) : middle - 1.5 * line + 4;
    kit.text({left, top, room, line}, titleIn(kit, row, room, kit.bold), kit.bold, Role::Text);
    for (const QString& words : std::as_const(lines)) {
        top += line - 2;
        kit.text({left, top, room, line}, words, kit.small, Role::TextDim);
    }
}

void paintLane(const PaintKit& kit, const TimelineLayout::Row& row) {
    const Lane& lane = *row.lane;
    const int height = row.height;
    switch (lane.kind) {
    case LaneKind::Belief:
        return paintBelief(kit, lane, height);
    case LaneKind::Record:
        return paintRecord(kit, lane, height);
    case LaneKind::Copy:
        return paintCopy(kit, lane, height);
    case LaneKind::Effect:
        return paintEffect(kit, lane, height);
    case LaneKind::Node:
        return paintNode(kit, lane, height);
    case LaneKind::Watchers:
        return paintWatchers(kit, lane, height);
    case LaneKind::Link:
        return paintLink(kit, row);
    case LaneKind::Clock:
        return paintClock(kit, lane, height);
    case LaneKind::Session:
        return paintSession(kit, lane, height);
    }
}

/// Beside a caption, about its middle: down where its lanes stand below it, to the right where it is folded.
void paintTriangle(QPainter& painter, const QPointF& middle, double r, bool folded) {
    const double across = folded ? 0 : r, along = folded ? r : 0;
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color(Role::TextFaint));
    painter.drawPolygon(QPolygonF{middle + QPointF(-across - along, -along - across),
                                  middle + QPointF(across - along, along - across), middle + QPointF(along, across)});
    painter.setRenderHint(QPainter::Antialiasing, false);
}

} // namespace

void paintLanes(QPainter& painter, const QSize& size, const TimelineScene& scene, std::vector<WrittenWords>* written) {
    const TimelineCoordinates c = scene.coordinates(size.width());
    PaintKit kit(painter, scene.data, c, scene.metrics, scene.devicePixelRatio);
    kit.playhead = scene.playhead;
    kit.edge = wordsEdge(scene, c);
    kit.endAfter(scene.seen);
    kit.written = written;
    const int labels = scene.metrics.labelWidth(),
              lanesEnd = std::min(size.height(), scene.layout.height() - scene.scroll);
    const Ground ground(kit, scene.bands, lanesEnd);
    if (lanesEnd < size.height())
        painter.fillRect(QRect(0, lanesEnd, size.width(), size.height() - lanesEnd), color(Role::SurfaceSunken));

    const auto& rows = scene.layout.rows();
    const auto paintRow = [&](std::size_t i, int y) {
        const TimelineLayout::Row& row = rows[i];
        const int top = std::max(0, y);
        ground.paint(labels, size.width(), top, std::min(y + row.height, size.height()) - top);
        if (isSelected(*row.lane, scene.selection)) {
            painter.fillRect(QRect(0, y, labels, row.height), color(Role::Selection));
            painter.fillRect(QRect(0, y, 3, row.height), color(Role::Accent));
        }
        painter.save();
        painter.translate(0, y);
        const bool pinned = scene.layout.wanted().pinned.contains(row.lane->entity);
        const int pin = pinned ? kit.m.px(14) : 0;
        if (!hasLowLabel(kit, *row.lane)) paintLabel(kit, scene, row, labels - pin);
        if (pinned) paintIcon(painter, QRectF(labels - pin - 3, kit.m.px(4), pin, pin), "pinned", Role::Accent);
        painter.translate(labels, 0);
        // One that believes among hundreds reaches into the lane above, but into no caption.
        const bool line = row.lane->kind == LaneKind::Belief && row.height < kLeastBelief && i > 0 &&
                          rows[i - 1].lane->kind == LaneKind::Belief;
        const int over = line ? kLeastBelief - row.height : 0;
        beginClip(painter, QRect(0, -over, size.width() - labels, row.height + over));
        if (scene.ghost.data) paintGhost(kit, scene.ghost, *row.lane);
        paintLane(kit, row);
        endClip(painter);
        painter.restore();
        if (row.height >= scene.metrics.px(8))
            painter.fillRect(QRect(0, y + row.height - 1, size.width(), 1), color(Role::Hairline));
        if (int(i) == scene.focusRow) {
            painter.setPen(QPen(color(Role::FocusRing), 1.5));
            painter.setBrush(Qt::NoBrush);
            // Names are higher than low lanes: the frame would strike them through.
            const int left = hasLowLabel(kit, *row.lane) && row.height < kit.m.px(14) ? labels : 0;
            painter.drawRect(QRectF(left + 1, y + 1, size.width() - left - 2, row.height - 3));
        }
    };
    scene.visitScrolling(size.height(), paintRow);
    const std::vector<std::size_t> believers = believersAtPlayhead(scene);
    scene.visitScrolling(size.height(), [&](std::size_t i, int y) {
        if (!hasLowLabel(kit, *rows[i].lane)) return;
        painter.translate(0, y);
        paintLowLabel(kit, scene, labels, i, believers);
        painter.translate(0, -y);
    });
    const auto divide = [&](int top, int height) {
        painter.fillRect(QRect(labels - 1, top, 1, height), color(Role::Hairline));
    };
    divide(0, lanesEnd);
    paintCaptions(painter, size, scene, Captions::Scrolling);
    if (scene.pinned.height() == 0) return;
    scene.visitPinned(paintRow);
    divide(scene.yOf(scene.pinned.top), scene.pinned.height());
    paintCaptions(painter, size, scene, Captions::Pinned);
    if (scene.pinned.shift == 0) return;
    // Other lanes go on behind this edge.
    const int top = scene.yOf(scene.pinned.top), edge = scene.pinned.shift < 0 ? top : top + scene.pinned.height() - 1;
    painter.fillRect(QRect(0, edge, size.width(), 1), color(Role::TextFaint));
}

void paintCaptions(QPainter& painter, const QSize& size, const TimelineScene& scene, Captions which) {
    const PaintKit kit(painter, scene.data, scene.coordinates(size.width()), scene.metrics, scene.devicePixelRatio);
    for (const TimelineLayout::Section& section : scene.layout.sections()) {
        if (which != Captions::All && scene.pinned.contains(section.y) != (which == Captions::Pinned)) continue;
        const QRect strip(0, scene.yOf(section.y), size.width(), scene.metrics.captionHeight());
        if (!strip.intersects(QRect(QPoint(), size))) continue;
        painter.fillRect(strip, color(Role::SectionBand));
        kit.text(QRectF(strip).adjusted(kit.m.px(14), 0, -8, 0), sectionCaption(section.kind, section.away),
                 kit.caption, Role::TextDim);
        paintTriangle(painter, {double(kit.m.px(8)), strip.center().y() + 0.5}, kit.m.px(3), section.away.folded > 0);
    }
}

void paintCrossedCaptions(QPainter& painter, const QSize& size, const TimelineScene& scene, double x) {
    const PaintKit kit(painter, scene.data, scene.coordinates(size.width()), scene.metrics, scene.devicePixelRatio);
    constexpr double kLine = 2; // a little more than half of it
    for (const TimelineLayout::Section& section : scene.layout.sections()) {
        const int y = scene.yOf(section.y), height = scene.metrics.captionHeight();
        const double end = kit.m.px(14) + kit.caption.width(sectionCaption(section.kind, section.away));
        if (x - kLine > end || scene.isCovered(section.y, height)) continue;
        painter.save();
        painter.setClipRect(QRectF(x - kLine, y, 2 * kLine, height), Qt::IntersectClip);
        paintCaptions(painter, size, scene);
        painter.restore();
    }
}

int TimelineScene::rowAt(int y) const {
    const int top = yOf(pinned.top);
    const bool onPinned = pinned.height() > 0 && y >= top && y < top + pinned.height();
    return layout.rowAt(onPinned ? y - top + pinned.top : y + scroll);
}

const TimelineLayout::Section* TimelineScene::sectionAt(int y) const {
    const int top = yOf(pinned.top);
    const bool onPinned = pinned.height() > 0 && y >= top && y < top + pinned.height();
    for (const TimelineLayout::Section& section : layout.sections()) {
        if (pinned.contains(section.y) != onPinned) continue;
        if (const int above = yOf(section.y); y >= above && y < above + metrics.captionHeight()) return &section;
    }
    return nullptr;
}

bool TimelineScene::isCovered(int y, int height) const {
    if (pinned.shift == 0 || pinned.contains(y)) return false;
    const int top = yOf(pinned.top);
    return y - scroll < top + pinned.height() && y - scroll + height > top;
}

} // namespace lockscope::views
