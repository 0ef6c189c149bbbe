// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/cluster_paint.h"

#include "cluster/paint_failover.h"
#include "models/role_words.h"
#include "theme/fonts.h"
#include "theme/format.h"
#include "theme/icons.h"
#include "trace/client_name.h"
#include "trace/member.h"
#include "trace/text.h"
#include "trace/time_text.h"

#include <QCoreApplication>
#include <QPainter>
#include <QPainterPath>
#include <cmath>
#include <map>
#include <set>

namespace lockscope::views {

using trace::EntityId;
using Life = trace::ClientState::Life;

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Cluster)
};

void paintMark(QPainter& painter, const QRectF& rect, double radius) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(color(Role::FocusRing), 2));
    painter.drawRoundedRect(rect, radius, radius);
}

QFont tagFont() {
    return uiFont(-2, QFont::DemiBold);
}

/// The place of a small chip with words, centred at a point.
QRectF tagAt(QPointF centre, const QString& text) {
    const QFontMetrics metrics(tagFont());
    QRectF chip(0, 0, metrics.horizontalAdvance(text) + 12, metrics.height() + 3);
    chip.moveCenter(centre);
    return chip;
}

void paintTag(QPainter& painter, QPointF centre, const QString& text, Role ink) {
    painter.setFont(tagFont());
    const QRectF chip = tagAt(centre, text);
    painter.setPen(QPen(color(ink), 1));
    painter.setBrush(color(Role::Surface));
    painter.drawRoundedRect(chip, chip.height() / 2, chip.height() / 2);
    painter.setPen(color(ink));
    painter.drawText(chip, Qt::AlignCenter, text);
}

/// A cut link of which one way still works: an arrow on the way on which nothing passes, towards the end that hears
/// nothing.
void paintCutWay(QPainter& painter, QPointF from, QPointF to) {
    const QPointF way = to - from;
    const double length = std::hypot(way.x(), way.y());
    if (length < 40) return;
    const QPointF along = way / length, across(-along.y(), along.x());
    // Beside the scissors in the middle, on the way to the end that hears nothing.
    const QPointF tip = (from + to) / 2 + along * 26;
    painter.setPen(Qt::NoPen);
    painter.setBrush(color(Role::Fault));
    painter.drawPolygon(QPolygonF{tip, tip - along * 11 + across * 6, tip - along * 11 - across * 6});
}

QString offsetText(Nanos offset) {
    return (offset > Nanos::zero() ? QStringLiteral("+") : QString()) + duration(offset);
}

/// "clock +10 s", "clock +50 ms a second"; empty: it is right.
QString clockWords(const trace::WallClock& clock, Nanos now) {
    if (clock.clockGain != 0) return Words::tr("clock %1 a second").arg(offsetText(Nanos(clock.clockGain)));
    const Nanos offset(clock.offsetAt(now.count()));
    return offset == Nanos::zero() ? QString() : Words::tr("clock %1").arg(offsetText(offset));
}

/// The role of a member of a watched group, with its slots, the longest words first.
QStringList memberWords(const ViewContext& context, EntityId member, const QString& role, const MemberSlots& of) {
    const QString has = trace::readable(of.of(member, context.playhead(), *context.trace()));
    //: Of a cluster's server, in a small box: the numbers of its slots, such as "448 5461-5470".
    if (!has.isEmpty()) return {role + QStringLiteral(" · ") + has, Words::tr("slots %1").arg(has), has};
    const trace::NodeState& its = context.state().nodes.at(member);
    return {role, roleWords(context.trace()->entity(its.role).name, {}, its.copiesNobody)}; // an arrow tells of whom
}

/// The last one, if none fits.
QString firstThatFits(const QStringList& words, const QFont& font, double width) {
    const QFontMetrics metrics(font);
    for (const QString& one : words)
        if (metrics.elidedText(one, Qt::ElideMiddle, int(width)) == one) return one; // parts of a pixel count, too
    return words.back();
}

} // namespace

QString nodeWords(const ViewContext& context, EntityId node, const Looks& looks) {
    const auto found = context.state().nodes.find(node);
    const Life life = found == context.state().nodes.end() ? Life::Unknown : found->second.life;
    if (life == Life::Dead) return Words::tr("dead", "a server");
    if (life == Life::Paused) return Words::tr("paused");
    if (life == Life::Unknown) return Words::tr("not seen yet");
    if (!looks.inSight(node)) return Words::tr("out of sight");
    return Words::tr("%n lock(s) held", "", looks.heldOn(node));
}

QString sessionWords(const ClientLook& look) {
    if (look.life == Life::Dead || look.session == trace::SessionPhase::Connected) return {};
    if (look.session == trace::SessionPhase::GivenUp) return Words::tr("session given up by the client");
    return look.session == trace::SessionPhase::Suspended ? Words::tr("session suspended")
                                                          : Words::tr("session expired");
}

QString clientWords(const ClientLook& look, Nanos now) {
    if (look.life == Life::Dead) return Words::tr("dead");
    const bool paused = look.life == Life::Paused;
    switch (look.belief) {
    case ClientLook::Belief::Unobserved:
        return look.recorded  ? Words::tr("holds, by the record")
               : look.inSight ? Words::tr("holds nothing in sight")
                              : Words::tr("not observed");
    case ClientLook::Belief::Idle:
        return paused               ? Words::tr("paused")
               : look.engineChanges ? Words::tr("waits: engines change")
                                    : Words::tr("idle");
    case ClientLook::Belief::Waiting:
        return paused ? Words::tr("paused, waits") : Words::tr("waits %1").arg(lengthText(look.since, now));
    case ClientLook::Belief::Holding:
        return paused ? Words::tr("paused, holds") : Words::tr("holds");
    case ClientLook::Belief::Stale:
        return paused ? Words::tr("paused, believes it holds") : Words::tr("believes it holds");
    }
    return {};
}

void paintLink(QPainter& painter, const ViewContext& context, const ClusterLayout::Item& link, LinkUse use,
               bool marked) {
    const auto found = context.state().links.find(link.entity);
    const trace::LinkState state = found == context.state().links.end() ? trace::LinkState{} : found->second;
    const bool broken =
        state.cut || state.replyLossArmed || state.pushLossArmed || state.repeatArmed || state.extraLatency != 0;
    const bool connected = use == LinkUse::Connected, spare = use == LinkUse::Spare;
    QPen pen(color(broken      ? Role::Fault
                   : connected ? Role::TextDim
                               : Role::FieldBorder,
                   spare && !broken ? 0.55 : 1),
             broken || marked || connected ? 2
             : spare                       ? 1
                                           : 1.25);
    if (marked) pen.setColor(color(Role::FocusRing));
    if (state.cut) pen.setDashPattern({3, 4});
    painter.setPen(pen);
    if (link.arched) {
        const QPointF foot(0, 16), control(0, -8);
        QPainterPath arc(link.from + foot);
        arc.cubicTo(link.from + control, link.to + control, link.to + foot);
        painter.setBrush(Qt::NoBrush);
        painter.drawPath(arc);
    } else {
        painter.drawLine(link.from, link.to);
    }
    if (connected) {
        constexpr double kPlug = 3.5; // told apart without its weight, too
        painter.setPen(Qt::NoPen);
        painter.setBrush(pen.color());
        painter.drawEllipse(link.to, kPlug, kPlug);
    }
    if (!broken) return;
    const QPointF middle = (link.from + link.to) / 2;
    if (state.cut) {
        const QRectF picture(middle.x() - 9, middle.y() - 9, 18, 18);
        painter.setPen(Qt::NoPen);
        painter.setBrush(color(Role::SurfaceSunken));
        painter.drawEllipse(picture.adjusted(-2, -2, 2, 2));
        paintIcon(painter, picture, "cut-link", Role::Fault);
        if (state.ways == trace::CutWays::Forth) paintCutWay(painter, link.from, link.to);
        if (state.ways == trace::CutWays::Back) paintCutWay(painter, link.to, link.from);
    }
    if (state.replyLossArmed || state.pushLossArmed) {
        const QPointF near = link.from + (link.to - link.from) * 0.25;
        paintIcon(painter, QRectF(near.x() - 7, near.y() - 7, 14, 14), "lose-reply", Role::Fault);
    }
    if (state.repeatArmed) {
        const QPointF near = link.from + (link.to - link.from) * 0.75;
        paintIcon(painter, QRectF(near.x() - 7, near.y() - 7, 14, 14), "repeat", Role::Fault);
    }
}

std::vector<DelayTag> delayTags(const ViewContext& context, const std::vector<const ClusterLayout::Item*>& links,
                                const ClusterLayout& layout) {
    std::vector<DelayTag> tags;
    const auto isApart = [&](const QRectF& chip) {
        return std::ranges::none_of(tags, [&](const DelayTag& tag) { return tag.box.intersects(chip); });
    };
    const auto isFree = [&](const QRectF& chip) {
        return isApart(chip) && std::ranges::none_of(layout.items, [&](const ClusterLayout::Item& item) {
                   return item.kind != trace::EntityKind::Link && item.box.intersects(chip);
               });
    };
    struct Delays {
        std::set<std::int64_t> latencies;
        int links = 0;
    };
    std::map<EntityId, Delays> byClient;
    const auto latencyOf = [&](const ClusterLayout::Item& link) {
        const auto found = context.state().links.find(link.entity);
        return found == context.state().links.end() || found->second.cut ? 0 : found->second.extraLatency;
    };
    for (const ClusterLayout::Item* const link : links) {
        const std::int64_t latency = latencyOf(*link);
        if (latency == 0 || link->arched) continue;
        byClient[link->client].latencies.insert(latency);
        ++byClient[link->client].links;
    }
    // Where all lines of a client are as slow, a chip on each of them would be as many words for one fact.
    std::set<EntityId> told;
    for (const auto& [client, delays] : byClient) {
        constexpr int kSeveral = 3;
        const ClusterLayout::Item* const item = layout.find(client);
        if (delays.links < kSeveral || delays.latencies.size() != 1 || !item) continue;
        //: Three links of a client at least, each of which is slower by %1.
        const QString text =
            Words::tr("+%1 on %2 links").arg(duration(Nanos(*delays.latencies.begin()))).arg(delays.links);
        QRectF chip = tagAt(item->box.center(), text);
        chip.moveBottom(item->box.top() - 5);
        if (!isFree(chip)) continue;
        told.insert(client);
        tags.push_back({chip, text});
    }
    // A short arc has room in its middle alone, a long one beside that, too.
    std::vector<const ClusterLayout::Item*> shortFirst = links;
    std::ranges::stable_sort(shortFirst, {}, [](const ClusterLayout::Item* link) {
        return link->arched ? QLineF(link->from, link->to).length() : 0;
    });
    for (const ClusterLayout::Item* const link : shortFirst) {
        const std::int64_t latency = latencyOf(*link);
        if (latency == 0 || (!link->arched && told.contains(link->client))) continue;
        const QString text = QStringLiteral("+") + duration(Nanos(latency));
        // Links that cross would have their chips on one another: the nearest free place to the middle, if any is.
        const auto put = [&](const auto& fits) {
            for (const double along : {0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8}) {
                const QRectF chip = tagAt(link->from + (link->to - link->from) * along, text);
                if (!fits(chip)) continue;
                tags.push_back({chip, text});
                return true;
            }
            return false;
        };
        // An arc runs close above servers: its chip may touch their upper edge.
        if (!put(isFree) && link->arched) put(isApart);
    }
    return tags;
}

void paintDelays(QPainter& painter, const std::vector<DelayTag>& tags) {
    for (const DelayTag& tag : tags)
        paintTag(painter, tag.box.center(), tag.text, Role::FaultText);
}

void paintNode(QPainter& painter, const ViewContext& context, const ClusterLayout::Item& node, const Looks& looks,
               const MemberSlots& memberSlots, bool marked) {
    if (node.watcher) {
        paintWatcher(painter, context, node);
        if (marked) paintMark(painter, node.box.adjusted(-3, -3, 3, 3), 8);
        return;
    }
    const auto found = context.state().nodes.find(node.entity);
    const trace::NodeState state = found == context.state().nodes.end() ? trace::NodeState{} : found->second;
    const bool away = isAway(context, node.entity);
    const bool dead = state.life == Life::Dead || away, paused = state.life == Life::Paused;
    const bool leads = !dead && trace::isMasterRole(context.trace()->entity(state.role).name);
    painter.setPen(dead              ? QPen(color(Role::Fault), 1.5, Qt::DashLine)
                   : state.candidate ? QPen(color(Role::Waiting), 2)
                   : leads           ? QPen(color(Role::Accepted), 1.5)
                                     : QPen(color(Role::FieldBorder), 1));
    painter.setBrush(color(dead              ? Role::SurfaceRaised
                           : state.candidate ? Role::WaitingSoft
                           : leads           ? Role::AcceptedSoft
                                             : Role::Surface));
    painter.drawRoundedRect(node.box, 6, 6);
    if (paused) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(dotBrush());
        painter.drawRoundedRect(node.box, 6, 6);
    }
    painter.fillRect(QRectF(node.box.left() + 1, node.box.top() + 8, 3, node.box.height() - 16),
                     color(dead || paused ? Role::Fault : Role::Node));
    // Words need the room of a narrow box: that it is a server is seen by its place.
    const bool narrow = node.box.width() < 136;
    const QRectF picture(node.box.left() + 14, node.box.center().y() - 11, 22, 22);
    if (!narrow)
        paintIcon(painter, picture,
                  dead     ? "kill"
                  : paused ? "pause"
                           : "server",
                  dead || paused ? Role::Fault : Role::TextDim);
    const double edge = node.box.height() < 48 ? 3 : 7;
    const QRectF room = node.box.adjusted(narrow ? 12 : 46, edge, narrow ? -4 : -8, -edge);
    painter.setFont(uiFont(0, QFont::DemiBold));
    painter.setPen(color(dead ? Role::TextDim : Role::Text));
    const auto text = [&painter](const QString& whole, double width) {
        // The end of an address in numbers, its port, tells servers of one machine or network apart.
        const bool address = std::ranges::all_of(whole, [](QChar c) { return c.isDigit() || c == u'.' || c == u':'; });
        return painter.fontMetrics().elidedText(whole, address ? Qt::ElideLeft : Qt::ElideMiddle, int(width));
    };
    painter.drawText(room, Qt::AlignLeft | Qt::AlignTop, text(context.trace()->displayName(node.entity), room.width()));
    const QString role = dead || paused ? QString() : nodeRoleWords(context, node.entity);
    QString words = role.isEmpty() ? nodeWords(context, node.entity, looks) : role;
    if (!role.isEmpty() && trace::isMember(*context.trace(), node.entity))
        words = firstThatFits(memberWords(context, node.entity, role, memberSlots), uiFont(-1.5), room.width());
    if (away) words = awayWords(context, node.entity);
    const QString clock = clockWords(state, context.playhead());
    if (!clock.isEmpty()) words = clock;
    if (state.poolExhausted && !dead) words = Words::tr("pool exhausted");
    if (state.diskStalled && !dead) words = Words::tr("disk stalls");
    const bool struck = paused || !clock.isEmpty() || state.poolExhausted || state.diskStalled;
    painter.setFont(uiFont(-1.5));
    painter.setPen(color(dead || struck ? Role::FaultText : Role::TextDim));
    painter.drawText(room, Qt::AlignLeft | Qt::AlignBottom, text(words, room.width()));
    if (marked) paintMark(painter, node.box.adjusted(-3, -3, 3, 3), 8);
}

void paintClient(QPainter& painter, const ViewContext& context, const ClusterLayout::Item& client,
                 const ClientLook& look, const ClusterLayout& layout, bool marked) {
    const bool dead = look.life == Life::Dead, paused = look.life == Life::Paused;
    Role ink = Role::TextDim;
    painter.setPen(QPen(color(Role::FieldBorder), 1.25));
    painter.setBrush(color(Role::Surface));
    switch (look.belief) {
    case ClientLook::Belief::Holding:
        painter.setPen(Qt::NoPen);
        painter.setBrush(color(Role::Holding));
        ink = Role::TextOnColor;
        break;
    case ClientLook::Belief::Stale:
        painter.setPen(QPen(color(Role::Violation), 2));
        painter.setBrush(color(Role::StaleBeliefSoft));
        painter.drawEllipse(client.box);
        painter.setBrush(hatchBrush(Role::StaleBelief, painter.device()->devicePixelRatioF()));
        ink = Role::Text;
        break;
    case ClientLook::Belief::Waiting:
        painter.setPen(QPen(color(Role::Waiting), 2.5, Qt::DotLine));
        ink = Role::Text;
        break;
    case ClientLook::Belief::Unobserved:
        painter.setPen(QPen(color(look.recorded ? Role::Record : Role::FieldBorder), look.recorded ? 2.5 : 1.25));
        painter.setBrush(color(Role::SurfaceRaised));
        break;
    case ClientLook::Belief::Idle:
        break;
    }
    if (dead) {
        painter.setPen(QPen(color(Role::Fault), 1.5, Qt::DashLine));
        painter.setBrush(color(Role::SurfaceRaised));
        ink = Role::TextFaint;
    }
    painter.drawEllipse(client.box);
    if (paused) {
        painter.setPen(QPen(color(Role::Fault), 1.5, Qt::DotLine));
        painter.setBrush(dotBrush(Role::Paused, painter.device()->devicePixelRatioF()));
        painter.drawEllipse(client.box.adjusted(-3, -3, 3, 3));
    }
    const double size = client.box.width();
    const QString name = trace::clientName(*context.trace(), client.entity);
    if (size >= 18 && layout.longNames) {
        paintIcon(painter, QRectF(client.box.center().x() - 8, client.box.center().y() - 8, 16, 16), "client", ink);
    } else if (size >= 18) {
        painter.setFont(uiFont(size >= 36 ? 2 : -1.5, QFont::Bold));
        const QSizeF need = painter.fontMetrics().size(0, name);
        if (look.belief == ClientLook::Belief::Stale && !dead) {
            // On a plain ground: letters drown in hatching.
            painter.setPen(Qt::NoPen);
            painter.setBrush(color(Role::Surface));
            QRectF ground(0, 0, need.width() + 8, need.height());
            ground.moveCenter(client.box.center());
            painter.drawRoundedRect(ground, 6, 6);
        }
        painter.setPen(color(ink));
        painter.drawText(client.box, Qt::AlignCenter,
                         painter.fontMetrics().elidedText(name, Qt::ElideMiddle, int(size + 2)));
    }
    if (paused && size >= 28) {
        const QRectF chip(client.box.right() - 10, client.box.top() - 6, 18, 18);
        painter.setPen(QPen(color(Role::Fault), 1));
        painter.setBrush(color(Role::Surface));
        painter.drawEllipse(chip);
        paintIcon(painter, chip.adjusted(4, 4, -4, -4), "pause", Role::Fault);
    }
    if (layout.clientWords) {
        painter.setFont(uiFont(-1.5));
        const bool stale = look.belief == ClientLook::Belief::Stale && !dead;
        painter.setPen(color(stale                                        ? Role::ViolationText
                             : dead || paused                             ? Role::FaultText
                             : look.belief == ClientLook::Belief::Waiting ? Role::WaitingText
                             : look.belief == ClientLook::Belief::Holding ? Role::HoldingText
                                                                          : Role::TextDim));
        QString line = clientWords(look, context.playhead());
        if (const QString clock = clockWords(look.clock, context.playhead()); !clock.isEmpty())
            line = Words::tr("%1, %2", "a client's state, its clock").arg(line, clock);
        else if (look.watchdogStopped && !dead)
            line = Words::tr("%1, no watchdog").arg(line);
        else if (const QString session = sessionWords(look); !session.isEmpty())
            line = Words::tr("%1, %2", "a client's state, its session").arg(line, session);
        else if (look.movedTo != trace::kNoEntity && !dead)
            line = Words::tr("%1, now at %2", "a client's state, the server that it is connected with")
                       .arg(line, context.trace()->displayName(look.movedTo));
        const double room = layout.captionWidth;
        if (layout.longNames) {
            // Both ends of the name first: ids often begin alike.
            const QString nick = name.size() > 11 ? name.left(4) + QChar(0x2026) + name.right(6) : name;
            // The ring around the circle shows whose record says so; the tool tip has the whole text.
            if (look.belief == ClientLook::Belief::Unobserved && look.recorded && !dead) line = Words::tr("holds");
            line = nick + QStringLiteral(" · ") + line;
        }
        painter.drawText(
            QRectF(client.box.center().x() - room / 2, client.box.bottom() + 5, room, 18 * std::max(1.0, textScale())),
            Qt::AlignHCenter | Qt::AlignTop, painter.fontMetrics().elidedText(line, Qt::ElideRight, int(room)));
    }
    // A dot has no room for its name: those that the picture is about have it beside them.
    const bool holds = look.belief == ClientLook::Belief::Holding || look.belief == ClientLook::Belief::Stale;
    if (size < 18 && !dead && (holds || paused || marked)) {
        const Role tag = look.belief == ClientLook::Belief::Stale ? Role::ViolationText
                         : paused                                 ? Role::FaultText
                         : holds                                  ? Role::HoldingText
                                                                  : Role::TextDim;
        paintTag(painter, client.box.center() - QPointF(0, size / 2 + 12),
                 QStringLiteral("%1 · %2").arg(name, clientWords(look, context.playhead())), tag);
    }
    if (marked) paintMark(painter, client.box.adjusted(-6, -6, 6, 6), client.box.width() / 2 + 6);
}

QPointF placeOf(const Flight& flight, const ClusterLayout::Item& link) {
    const double along = flight.toNode ? flight.progress : 1 - flight.progress;
    return link.from + (link.to - link.from) * along;
}

void paintFlight(QPainter& painter, const Flight& flight, const QPointF& at) {
    const bool peer = flight.kind == trace::EventKind::PeerMessage;
    const bool reply = !peer && flight.kind != trace::EventKind::Request;
    if (flight.lost) {
        paintIcon(painter, QRectF(at.x() - 7, at.y() - 7, 14, 14), "cross", Role::Violation);
        return;
    }
    // Questions are full, answers hollow, what is published is square, what servers tell each other a diamond.
    painter.setPen(QPen(color(Role::Message), 1.75));
    painter.setBrush(color(reply ? Role::Surface : Role::Message));
    constexpr double kDiamond = kFlightSize / 2 + 1;
    if (peer)
        painter.drawPolygon(QPolygonF{at - QPointF(kDiamond, 0), at - QPointF(0, kDiamond), at + QPointF(kDiamond, 0),
                                      at + QPointF(0, kDiamond)});
    else if (flight.kind == trace::EventKind::Push)
        painter.drawRect(QRectF(at.x() - 4, at.y() - 4, 8, 8));
    else
        painter.drawEllipse(at, kFlightSize / 2, kFlightSize / 2);
}

std::optional<QRectF> roomForWords(const QPointF& at, double width, const std::vector<QRectF>& taken) {
    constexpr double kHeight = 18, kApart = kFlightSize;
    for (const double left : {at.x() + kApart, at.x() - kApart - width}) {
        const QRectF room(left, at.y() - kHeight / 2, width, kHeight);
        if (std::ranges::none_of(taken, [&](const QRectF& other) { return other.intersects(room); })) return room;
    }
    return std::nullopt;
}

void paintFlightWords(QPainter& painter, const Flight& flight, const QPointF& at, const trace::Trace& trace,
                      std::vector<QRectF>& taken) {
    if (flight.text == trace::kNoEntity) return;
    constexpr int kLongest = 190;
    QString text = trace.displayName(flight.text);
    if (flight.lost) text = Words::tr("lost: %1").arg(text);
    painter.setFont(fixedFont(-1.5));
    const QString words = painter.fontMetrics().elidedText(text, Qt::ElideRight, kLongest);
    const auto room = roomForWords(at, painter.fontMetrics().horizontalAdvance(words) + 1, taken);
    if (!room) return;
    taken.push_back(*room);
    painter.setPen(color(flight.lost ? Role::ViolationText : Role::TextDim));
    painter.drawText(*room, Qt::AlignLeft | Qt::AlignVCenter, words);
}

} // namespace lockscope::views
