// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/evidence_card.h"

#include "inspect/server_teller.h"
#include "theme/fonts.h"
#include "theme/format.h"
#include "theme/palette.h"
#include "timeline/legend.h"
#include "trace/connection.h"
#include "trace/time_text.h"
#include "trace/trace_time.h"
#include "trace/whole_spans.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QPainter>
#include <QPdfWriter>
#include <map>
#include <set>

namespace lockscope::views {

namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(EvidenceCard)
};

// A page is laid out in pixels of a screen, 96 an inch, and scaled to what it is painted on.
constexpr int kDotsPerInch = 96;
constexpr double kPageWidth = 794, kPageHeight = 1123; // A4
constexpr int kMargin = 48, kGap = 16;
constexpr int kPictureWidth = 1200; ///< of the timeline, which is scaled down to the page

/// The facts of the card, and how many locks the picture shows where there is room for so many pixels of lanes only.
std::vector<std::pair<QString, QString>> factsFor(const EvidenceCard& card, const TimelineRenderer& lanes, int room) {
    std::vector<std::pair<QString, QString>> facts = card.facts;
    const auto [shown, all] = lanes.locksWithin(room);
    if (shown < all)
        //: On a page with a picture that has no room for all locks.
        facts.emplace(facts.begin(), Text::tr("In the picture"),
                      Text::tr("%1 of %n locks, for want of room", "", all).arg(shown));
    return facts;
}

/// The events of watched servers themselves within a stretch: a fact for each kind, "main at 08:42:09.159".
void addServerEvents(std::vector<std::pair<QString, QString>>& facts, const trace::Trace& trace, Nanos from, Nanos to) {
    using inspect::ServerEvent;
    constexpr qsizetype kMost = 4;
    std::map<ServerEvent, QStringList> told;
    for (std::size_t row = trace.lowerBound(from); row < trace.upperBound(to); ++row) {
        const trace::EventKind kind = trace.kindAt(row);
        if (kind != trace::EventKind::ConnectionLost && kind != trace::EventKind::NodeKilled) continue;
        const trace::Event event = trace.at(row);
        if (const auto its = inspect::serverEventIn(event, trace))
            //: %1 a server, %2 an instant.
            told[its->what]
                << Text::tr("%1 at %2").arg(trace.displayName(its->server), instantText(trace, event.time()));
    }
    for (auto& [what, all] : told) {
        const int more = int(all.size() - kMost);
        QString text = all.mid(0, kMost).join(Text::tr(", ", "between names of servers"));
        if (more > 0) text += QLatin1Char(' ') + Text::tr("and %n more", "", more);
        facts.emplace_back(what == ServerEvent::Restarted    ? Text::tr("Restarted")
                           : what == ServerEvent::FailedOver ? Text::tr("Failed over")
                           : what == ServerEvent::Swapped    ? Text::tr("Swapped (SWAPDB)")
                                                             : Text::tr("Emptied"),
                           text);
    }
}

/// Paints the page into (0, 0, kPageWidth, kPageHeight).
void paintPage(QPainter& painter, const EvidenceCard& card) {
    const OnPaper light;
    const int width = int(kPageWidth) - 2 * kMargin;
    painter.fillRect(QRectF(0, 0, kPageWidth, kPageHeight), color(Role::Surface));
    int y = kMargin;
    const auto write = [&](const QString& text, const QFont& font, Role role) {
        painter.setFont(font);
        painter.setPen(color(role));
        const QRect room(kMargin, y, width, int(kPageHeight) - y - kMargin);
        QRect used;
        painter.drawText(room, Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, withWholeSpans(text), &used);
        y = used.bottom() + kGap;
    };
    write(card.run.title, uiFont(6, QFont::DemiBold), Role::Text);
    write(card.run.sentence, uiFont(2), card.run.violated ? Role::ViolationText : Role::Text);

    // The picture gets the room that the facts leave. They stand below it, at the foot of the page at the lowest.
    painter.setFont(uiFont());
    const int line = painter.fontMetrics().height() + 4;
    const double scale = double(width) / kPictureWidth;
    const int legend = legendHeight(); // its words stand above already: lanes and legend only
    const auto lowestWith = [&](std::size_t facts) { return int(kPageHeight) - kMargin - int(facts) * line - kGap; };
    const auto roomWith = [&](std::size_t facts) {
        return std::max(int((lowestWith(facts) - y - kGap) / scale) - legend, 1);
    };
    const TimelineRenderer renderer(card.run.timeline);
    const bool whole = renderer.height() <= roomWith(card.facts.size());
    const std::size_t atMost = card.facts.size() + (whole ? 0 : 1);
    const auto facts = factsFor(card, renderer, whole ? renderer.height() : roomWith(atMost));
    const int lowest = lowestWith(facts.size());
    const QSize lanes(kPictureWidth, std::clamp(renderer.height(), 1, roomWith(atMost)));
    painter.save();
    painter.translate(kMargin, y);
    painter.scale(scale, scale);
    painter.save();
    painter.setClipRect(QRect(QPoint(0, 0), lanes));
    renderer.paint(painter, lanes, card.run.timeline);
    painter.restore();
    paintLegend(painter, QRect(0, lanes.height(), kPictureWidth, legend), renderer.signs(card.run.timeline));
    painter.restore();

    const int foot = std::min(lowest, y + int(scale * (lanes.height() + legend)) + kGap);
    painter.setPen(color(Role::Hairline));
    painter.drawLine(kMargin, foot, kMargin + width, foot);
    int labels = 0;
    painter.setFont(uiFont());
    for (const auto& [label, value] : facts)
        labels = std::max(labels, painter.fontMetrics().horizontalAdvance(label));
    y = foot + kGap;
    for (const auto& [label, value] : facts) {
        // By their baseline: a line of Chinese letters is higher than one of Latin ones.
        const int baseline = y + painter.fontMetrics().ascent();
        painter.setPen(color(Role::TextDim));
        painter.drawText(QPoint(kMargin, baseline), label);
        painter.setPen(color(Role::Text));
        painter.drawText(QPoint(kMargin + labels + kGap, baseline),
                         painter.fontMetrics().elidedText(value, Qt::ElideMiddle, width - labels - kGap));
        y += line;
    }
}

} // namespace

std::vector<std::pair<QString, QString>> factsOf(const TimelinePicture& timeline) {
    std::vector<std::pair<QString, QString>> facts;
    const trace::Trace& trace = *timeline.trace;
    const Nanos to = timeline.to > timeline.from ? timeline.to : trace.reached();
    facts.emplace_back(Text::tr("Time span"), intervalText(timeline.from, to));
    if (trace.ofRealServers()) {
        const auto wall = [&](Nanos at) {
            return QDateTime::fromMSecsSinceEpoch(trace.originWallMs() + at / 1ms, Qt::UTC).toString(Qt::ISODateWithMs);
        };
        //: %1 and %2 are instants such as 2026-11-23T21:04:05.678Z.
        facts.emplace_back(Text::tr("By the clock"), Text::tr("%1 to %2").arg(wall(timeline.from), wall(to)));
    }
    addServerEvents(facts, trace, timeline.from, to);
    std::set<trace::EntityId> clients; // those with a thread: not Lockscope, which only watches
    std::vector<trace::EntityId> nodes;
    int locks = 0;
    for (trace::EntityId id = 1; id < trace.entityCount(); ++id) {
        const trace::EntityKind kind = trace.entity(id).kind;
        if (kind == trace::EntityKind::Thread) clients.insert(trace.clientOf(id));
        locks += kind == trace::EntityKind::Lock && trace.copyOf(id) == trace::kNoEntity;
        if (kind == trace::EntityKind::Node) nodes.push_back(id);
    }
    const auto servers = std::int64_t(trace::serversAmong(trace, nodes).size());
    facts.emplace_back(Text::tr("In the whole recording"), Text::tr("clients: %1, locks: %2, servers: %3, events: %4")
                                                               .arg(count(std::int64_t(clients.size())), count(locks),
                                                                    count(servers), count(std::int64_t(trace.size()))));
    return facts;
}

QString watchedServers(const trace::Trace& trace) {
    QStringList names;
    for (trace::EntityId id = 1; id < trace.entityCount(); ++id)
        if (trace::isConnection(trace, id)) names << trace.displayName(id);
    return names.join(Text::tr(", ", "between names of servers"));
}

bool writePdf(const EvidenceCard& card, QIODevice& device) {
    QPdfWriter writer(&device);
    writer.setPageSize(QPageSize(QPageSize::A4));
    writer.setPageMargins(QMarginsF(0, 0, 0, 0));
    writer.setTitle(card.run.title);
    writer.setCreator(QStringLiteral("Lockscope"));
    // As the page is laid out: letters are as high as their device says, whatever it is scaled by.
    writer.setResolution(kDotsPerInch);
    QPainter painter;
    if (!painter.begin(&writer)) return false;
    painter.scale(writer.width() / kPageWidth, writer.height() / kPageHeight);
    paintPage(painter, card);
    return painter.end();
}

QImage imageOf(const EvidenceCard& card, int dotsPerInch) {
    const double scale = double(dotsPerInch) / kDotsPerInch;
    QImage image(int(kPageWidth * scale), int(kPageHeight * scale), QImage::Format_ARGB32_Premultiplied);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.scale(scale, scale);
    paintPage(painter, card);
    return image;
}

} // namespace lockscope::views
