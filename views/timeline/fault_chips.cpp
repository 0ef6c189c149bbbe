// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/fault_chips.h"

#include "models/change_words.h"
#include "models/engine_words.h"
#include "models/event_words.h"
#include "theme/fonts.h"
#include "theme/format.h"
#include "timeline/words.h"
#include "trace/death.h"
#include "trace/seen_restart.h"
#include "trace/text.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

namespace lockscope::views {
namespace {

struct Timeline {
    Q_DECLARE_TR_FUNCTIONS(Timeline)
};

constexpr std::size_t kMostMarks = 200, kMostFaults = 20'000;
constexpr int kFlag = 16;  ///< the room that the flag takes before the words
constexpr int kClose = 12; ///< marks of one kind that stand nearer than that are one, where there are too many

/// How much a fault says of several of one instant. A death or a clock says more than the links that suffer from it.
int weightOf(trace::EventKind kind) {
    using enum trace::EventKind;
    switch (kind) {
    case ClientKilled:
    case NodeKilled:
    case FailoverStep:
    case EngineChanged:
        return 3;
    case ClockJumped:
    case ClientPaused:
    case NodePaused:
        return 2;
    case LinkCut:
    case LinkMended:
    case LinkDelayed:
        return 0;
    default:
        return 1;
    }
}

/// The link's ends that all of these links share: one link both, several of one client or one server that one.
/// kNoEntity: they share none.
trace::EntityId sharedEnd(const trace::Trace& trace, const std::vector<trace::Event>& links) {
    const trace::Entity& first = trace.entity(links.front().subject);
    for (const trace::EntityId end : {first.other, first.parent}) {
        const bool all = std::ranges::all_of(links, [&](const trace::Event& e) {
            const trace::Entity& link = trace.entity(e.subject);
            return link.other == end || link.parent == end;
        });
        if (all && end != trace::kNoEntity) return end;
    }
    return trace::kNoEntity;
}

/// "A → 2 others" where nothing that `end` sends comes to the other ends, "2 others → A" the other way; else `both`.
QString cutLinksName(const trace::Trace& trace, const std::vector<trace::Event>& links, trace::EntityId end,
                     const QString& both) {
    using trace::CutWays;
    const auto all = [&](CutWays ofParent, CutWays ofOther) {
        return std::ranges::all_of(links, [&](const trace::Event& e) {
            return trace::cutWays(e.value) == (trace.entity(e.subject).parent == end ? ofParent : ofOther);
        });
    };
    const QString name = trace.displayName(end);
    //: One way of links is cut: nothing that %1 sends comes to the %2 parties at the other ends, two at least.
    if (all(CutWays::Forth, CutWays::Back)) return Timeline::tr("%1 → %2 others").arg(name).arg(links.size());
    //: One way of links is cut: nothing that the %2 parties at the other ends send comes to %1; two at least.
    if (all(CutWays::Back, CutWays::Forth)) return Timeline::tr("%2 others → %1").arg(name).arg(links.size());
    return both;
}

/// "cut A ↔ 3 others", for links of one client or server; empty: they share none.
QString linksLabel(const trace::Trace& trace, const std::vector<trace::Event>& links) {
    const trace::EntityId end = sharedEnd(trace, links);
    if (end == trace::kNoEntity) return {};
    //: Links of one client or server: %1 its name, %2 the number of parties at the other ends, two at least.
    const QString all = Timeline::tr("%1 ↔ %2 others").arg(trace.displayName(end)).arg(links.size());
    switch (links.front().kind) {
    case trace::EventKind::LinkCut:
        return Timeline::tr("cut %1").arg(cutLinksName(trace, links, end, all));
    case trace::EventKind::LinkMended:
        return Timeline::tr("mended %1").arg(all);
    default:
        return links.front().value > 0 ? Timeline::tr("slowed %1").arg(all) : Timeline::tr("sped up %1").arg(all);
    }
}

/// "12 sessions suspended", for sessions that have come to one end; empty: they have not.
QString sessionsLabel(const std::vector<trace::Event>& sessions) {
    const trace::SessionPhase phase = trace::sessionPhase(sessions.front().value);
    if (std::ranges::any_of(sessions, [&](const trace::Event& e) { return trace::sessionPhase(e.value) != phase; }))
        return {};
    const int many = int(sessions.size());
    switch (phase) {
    case trace::SessionPhase::Suspended:
        return Timeline::tr("%n session(s) suspended", "", many);
    case trace::SessionPhase::Expired:
        return Timeline::tr("%n session(s) expired", "", many);
    case trace::SessionPhase::GivenUp:
        return Timeline::tr("%n session(s) given up", "", many);
    case trace::SessionPhase::Connected:
        break;
    }
    return {};
}

/// "killed redis-1, redis-2", "cut A ↔ 3 others", "killed A +2": faults of one instant. Faults of the kind that says
/// most are told together, with their names; of the others, how many they are.
QString labelOf(const trace::Trace& trace, const TickTrack& faults, std::size_t first, std::size_t count) {
    constexpr std::size_t kMostNames = 3;
    std::size_t told = first;
    for (std::size_t i = first; i < first + count; ++i)
        if (weightOf(trace.kindAt(faults[i].row)) > weightOf(trace.kindAt(faults[told].row))) told = i;
    const trace::EventKind kind = trace.kindAt(faults[told].row);
    const bool links = weightOf(kind) == 0;
    std::vector<trace::Event> alike;
    for (std::size_t i = first; i < first + count; ++i)
        if (trace.kindAt(faults[i].row) == kind) alike.push_back(trace.at(faults[i].row));
    QString words = faultLabel(trace, faults[told]);
    std::size_t named = 1;
    if (kind == trace::EventKind::EngineChanged) { // news that each process tells; no name of theirs is in it
        named = alike.size();
    } else if (kind == trace::EventKind::SessionChanged && alike.size() > 1) {
        if (const QString all = sessionsLabel(alike); !all.isEmpty()) {
            words = all;
            named = alike.size();
        }
    } else if (links && alike.size() > 1) {
        if (const QString all = linksLabel(trace, alike); !all.isEmpty()) {
            words = all;
            named = alike.size();
        }
    } else if (weightOf(kind) > 1 && kind != trace::EventKind::FailoverStep) {
        for (std::size_t i = 1; i < alike.size() && named < kMostNames; ++i, ++named)
            words = Timeline::tr("%1, %2", "a fault, and whom else it struck")
                        .arg(words, trace.displayName(alike[i].actor));
    }
    return count == named ? words : Timeline::tr("%1 +%2", "a fault and how many more").arg(words).arg(count - named);
}

} // namespace

QString faultLabel(const trace::Trace& trace, const Tick& tick) {
    using enum trace::EventKind;
    const trace::Event e = trace.at(tick.row);
    const QString actor = trace.displayName(e.actor), subject = trace.displayName(e.subject);
    switch (e.kind) {
    case ClientPaused:
    case NodePaused:
        return Timeline::tr("paused %1").arg(actor);
    case ClientResumed:
    case NodeResumed:
        return Timeline::tr("resumed %1").arg(actor);
    case ClientKilled:
    case NodeKilled:
        //: A fault: the machine of a server lost its power.
        if (trace::isCrash(e)) return Timeline::tr("power of %1 lost").arg(actor);
        if (trace::isSeenRestart(e)) return Timeline::tr("restarted: %1").arg(actor);
        return Timeline::tr("killed %1").arg(actor);
    case ClientStarted:
    case NodeStarted:
        return Timeline::tr("started %1").arg(actor);
    case LinkCut:
        return Timeline::tr("cut %1").arg(cutLinkName(trace, e));
    case LinkMended:
        return Timeline::tr("mended %1").arg(subject);
    case LinkDelayed:
        return e.value > 0 ? Timeline::tr("slowed %1").arg(subject) : Timeline::tr("sped up %1").arg(subject);
    case ClockJumped:
        return Timeline::tr("clock of %1").arg(actor);
    case WatchdogStopped:
        return Timeline::tr("no watchdog: %1").arg(actor);
    case ReplyLossArmed:
        return Timeline::tr("loses a reply: %1").arg(subject);
    case PushLossArmed:
        return Timeline::tr("loses a message: %1").arg(subject);
    case RepeatArmed:
        return Timeline::tr("repeats a request: %1").arg(subject);
    case WorkHung:
        return Timeline::tr("%1 hangs").arg(actor);
    case Healed:
        return Timeline::tr("healed");
    case FailoverStep:
        return Timeline::tr("demoted %1").arg(subject);
    case EngineChanged:
        return engineLabel(e, trace); // whole sentences do not fit
    case SessionChanged:
        if (trace::SessionPhase(e.value) == trace::SessionPhase::GivenUp)
            return Timeline::tr("session given up by %1").arg(actor);
        return trace::SessionPhase(e.value) == trace::SessionPhase::Suspended
                   ? Timeline::tr("session of %1 suspended").arg(actor)
                   : Timeline::tr("session of %1 expired").arg(actor);
    case SettingChanged:
        // Two words: the chip stands on the server's own lane.
        if (trace.entity(e.aux).name == "pool=exhausted") return Timeline::tr("pool exhausted");
        if (trace.entity(e.aux).name == "pool=free") return Timeline::tr("pool free");
        if (trace.entity(e.aux).name == "disk=stalled") return Timeline::tr("disk stalls");
        if (trace.entity(e.aux).name == "disk=free") return Timeline::tr("disk free");
        if (const QString words = changeWords(e, trace); !words.isEmpty()) return words;
        return trace::readable(trace.entity(e.aux).name);
    default:
        return eventWord(e.kind);
    }
}

namespace {

/// Whether the run turns at such an event: deaths and restarts, elections, switches, and all that a person did. Their
/// marks have words before all others.
bool isDecisive(const trace::Trace& trace, const Tick& tick) {
    using enum trace::EventKind;
    if (tick.kind == unsigned(FaultTick::ByHand)) return true;
    switch (trace.kindAt(tick.row)) {
    case ClientKilled:
    case ClientStarted:
    case NodeKilled:
    case NodeStarted:
    case NodePaused:
    case FailoverStep:
    case EngineChanged:
        return true;
    case SettingChanged:
        return trace.entity(trace.at(tick.row).aux).name.startsWith("engine=");
    default:
        return false;
    }
}

/// Whether a second process tells the news of the first.
bool isSameNews(const trace::Trace& trace, const Tick& one, const Tick& other) {
    if (trace.kindAt(one.row) != trace::EventKind::EngineChanged || trace.kindAt(one.row) != trace.kindAt(other.row))
        return false;
    const trace::Event a = trace.at(one.row), b = trace.at(other.row);
    return a.aux == b.aux && a.value == b.value && a.flags == b.flags;
}

/// Which marks of one kind, or of any, that stand close to each other are one.
enum class Fold : std::uint8_t { SameNews, Minor, All };

/// Where the mark that begins with `first` ends. Faults of one instant are one mark, and so are those that stand
/// `close` (ns) to each other and may be folded.
std::size_t endOfMark(const TimelineScene& scene, std::size_t first, std::size_t end, std::int64_t close, Fold fold) {
    const TickTrack& faults = scene.data.faults();
    const trace::Trace& trace = scene.data.trace();
    const bool minor = fold == Fold::Minor && !isDecisive(trace, faults[first]);
    const auto folds = [&](const Tick& next) {
        return fold == Fold::All || isSameNews(trace, faults[first], next) ||
               (minor && trace.kindAt(next.row) == trace.kindAt(faults[first].row));
    };
    std::size_t next = first + 1;
    while (next < end &&
           (faults[next].at == faults[first].at || (faults[next].at - faults[first].at < close && folds(faults[next]))))
        ++next;
    return next;
}

/// The marks of what has struck, in the order of their times.
std::vector<FaultChip> struckMarks(const TimelineScene& scene, const TimelineCoordinates& c, std::size_t first,
                                   std::size_t end, Fold fold) {
    const TickTrack& faults = scene.data.faults();
    const trace::Trace& trace = scene.data.trace();
    const auto close = std::int64_t(scene.metrics.px(kClose) * c.nanosPerPixel());
    std::vector<FaultChip> marks;
    for (std::size_t i = first; i < end;) {
        const std::size_t next = endOfMark(scene, i, end, close, fold);
        FaultChip mark;
        mark.at = faults[i].at;
        mark.last = faults[next - 1].at;
        for (std::size_t one = i; one < next; ++one) {
            mark.byHand = mark.byHand || faults[one].kind == unsigned(FaultTick::ByHand);
            mark.decisive = mark.decisive || isDecisive(trace, faults[one]);
        }
        mark.words = labelOf(trace, faults, i, next - i);
        marks.push_back(std::move(mark));
        i = next;
    }
    return marks;
}

/// The marks without their places, in the order of their times. Where there are too many, only the decisive ones; where
/// those are too many, too, one for all that stand close.
std::vector<FaultChip> marksOf(const TimelineScene& scene, const TimelineCoordinates& c, std::size_t first,
                               std::size_t end) {
    const auto minor = [](const FaultChip& mark) { return !mark.decisive; };
    std::vector<FaultChip> marks =
        struckMarks(scene, c, first, end, end - first > kMostMarks ? Fold::Minor : Fold::SameNews);
    if (marks.size() > kMostMarks) std::erase_if(marks, minor);
    if (marks.size() > kMostMarks) {
        marks = struckMarks(scene, c, first, end, Fold::All);
        std::erase_if(marks, minor);
    }
    for (const DeedMark& deed : scene.deeds) {
        const auto struck =
            std::ranges::find_if(marks, [&](const FaultChip& m) { return m.at == deed.at && m.byHand && !m.awaited; });
        if (struck != marks.end() && !deed.byCondition) {
            if (!struck->deed) struck->deed = deed.index;
            struck->until = std::max(struck->until, deed.until);
            continue;
        }
        FaultChip mark;
        mark.at = mark.last = deed.at;
        mark.byHand = mark.awaited = mark.decisive = true;
        mark.words = deed.words;
        mark.deed = deed.index;
        if (!deed.byCondition) mark.until = deed.until;
        marks.push_back(std::move(mark));
    }
    std::ranges::stable_sort(marks, {}, &FaultChip::at);
    return marks;
}

} // namespace

namespace {

/// Finds places for the words of marks, the decisive ones first.
class ChipPlaces {
public:
    ChipPlaces(std::vector<FaultChip>& chips, const TimelineScene& scene, const TimelineCoordinates& c)
        : m_chips(chips), m_m(scene.metrics), m_edge(wordsEdge(scene, c)) {
        for (FaultChip& chip : m_chips) {
            chip.x = std::round(c.x(chip.at));
            chip.box = QRectF(chip.x - m_m.px(6), m_m.px(6), m_m.px(12), m_m.px(20));
        }
        scene.bands.visit(c, scene.data.now(), [&](const ViolationBands::Band&, double x, double width) {
            m_taken.emplace_back(x, x + width);
        });
    }

    void place() {
        std::vector<bool> placed(m_chips.size());
        for (const bool decisive : {true, false})
            for (std::size_t i = 0; i < m_chips.size(); ++i)
                if (m_chips[i].decisive == decisive) placed[i] = placeWords(i);
        for (std::size_t i = 0; i < m_chips.size(); ++i)
            if (!placed[i]) m_chips[i].words.clear();
        std::erase_if(m_chips, [](const FaultChip& chip) { return chip.box.isEmpty(); });
    }

private:
    double widthOf(const QString& words) const { return m_m.px(kFlag) + m_words.horizontalAdvance(words) + m_m.px(8); }
    /// Words may stand over the flags of what says less, as if it had struck at the same instant.
    bool gives(const FaultChip& chip, const FaultChip& to) const {
        return to.decisive && !chip.decisive && !chip.byHand && !chip.box.isEmpty();
    }
    /// Where the room right of a mark ends.
    double roomAfter(std::size_t i, bool overOthers) const {
        const FaultChip& chip = m_chips[i];
        double room = m_edge;
        for (std::size_t k = i + 1; k < m_chips.size(); ++k) {
            if (m_chips[k].box.isEmpty() || (overOthers && gives(m_chips[k], chip))) continue;
            room = std::min({room, m_chips[k].x - 2,
                             m_chips[k].box.left() < m_chips[k].x - m_m.px(6) - 1 ? m_chips[k].box.left() - 2 : room});
            break;
        }
        for (const auto& [from, to] : m_taken)
            if (to > chip.x - 2 && !endsAt(from, to, chip)) room = std::min(room, std::max(chip.x, from - 2));
        return room;
    }
    /// Where the room left of a mark begins.
    double roomBefore(std::size_t i) const {
        const FaultChip& chip = m_chips[i];
        double room = 0;
        for (std::size_t k = 0; k < i; ++k)
            if (!m_chips[k].box.isEmpty()) room = std::max(room, m_chips[k].box.right() + 2);
        for (const auto& [from, to] : m_taken)
            if (from < chip.x + 2) room = std::max(room, std::min(chip.x, to + 2));
        return room;
    }

    /// Whether a violation ends at a mark, by a part of its flag: words stand behind it.
    bool endsAt(double from, double to, const FaultChip& chip) const {
        return from < chip.x - m_m.px(6) && to < chip.x + m_m.px(6);
    }

    bool placeWords(std::size_t i) {
        FaultChip& chip = m_chips[i];
        // Left of what is in sight: the end of its words would tell nothing, and stand at another time.
        if (chip.box.isEmpty() || chip.x < -m_m.px(6)) return false;
        const double width = widthOf(chip.words);
        const double after = roomAfter(i, false) - chip.x, before = chip.x - roomBefore(i);
        // Words stand right of the instant, and left of it where a violation follows at once.
        if (width <= after) {
            double left = chip.x;
            for (const auto& [from, to] : m_taken)
                if (to > chip.x - 2 && endsAt(from, to, chip)) left = std::max(left, to + 2);
            if (left + width <= chip.x + after) return put(chip, left, width);
        }
        if (width <= before) return put(chip, chip.x - width, width);
        const double over = roomAfter(i, true) - chip.x;
        if (over > after && takeOver(i, over)) return true;
        // Faults still to come have long words, and decisive ones need some: as much of them as there is room for.
        const double least = m_m.px(chip.awaited ? 90 : 48);
        if (!chip.awaited && !chip.decisive) return false;
        const bool right = after >= std::max(least, before);
        if (!right && before < least) return false;
        if (!right && chip.awaited) return false;
        const double fits = right ? after : before;
        chip.words = elided(chip.words, fits);
        return put(chip, right ? chip.x : chip.x - fits, fits);
    }
    /// Stands over marks that say less, and counts them with its own.
    bool takeOver(std::size_t i, double room) {
        FaultChip& chip = m_chips[i];
        const auto covered = [&](double width) {
            std::size_t count = 0;
            for (std::size_t k = i + 1; k < m_chips.size() && m_chips[k].x - m_m.px(6) < chip.x + width; ++k)
                count += gives(m_chips[k], chip);
            return count;
        };
        const double least = m_m.px(48);
        if (room < least) return false;
        const auto wordsOver = [&](std::size_t count) {
            return Timeline::tr("%1 +%2", "a fault and how many more").arg(chip.words).arg(count);
        };
        const double width = std::min(room, widthOf(wordsOver(m_chips.size())));
        const std::size_t count = covered(width);
        const QString words = count > 0 ? wordsOver(count) : chip.words;
        chip.words = widthOf(words) <= width ? words : elided(words, width);
        for (std::size_t k = i + 1; k < m_chips.size() && m_chips[k].x - m_m.px(6) < chip.x + width; ++k) {
            if (!gives(m_chips[k], chip)) continue;
            chip.last = std::max(chip.last, m_chips[k].last);
            m_chips[k].box = {};
        }
        return put(chip, chip.x, width);
    }
    QString elided(const QString& words, double room) const {
        return m_words.elidedText(words, Qt::ElideRight, room - m_m.px(kFlag) - m_m.px(8));
    }
    bool put(FaultChip& chip, double left, double width) {
        chip.box = QRectF(left, m_m.px(6), width, m_m.px(20));
        return true;
    }

    std::vector<FaultChip>& m_chips;
    const TimelineMetrics& m_m;
    double m_edge;
    std::vector<std::pair<double, double>> m_taken; ///< by the pills of violations
    QFontMetricsF m_words{uiFont(-1, QFont::DemiBold)};
};

} // namespace

std::vector<FaultChip> faultChips(const TimelineScene& scene, const TimelineCoordinates& c) {
    const TickTrack& faults = scene.data.faults();
    const TimelineMetrics& m = scene.metrics;
    const std::size_t first = faults.lowerBound(c.from() - std::int64_t(m.px(200) * c.nanosPerPixel())),
                      end = std::max(first, faults.lowerBound(std::min(c.to(), scene.seen)));
    if (end - first > kMostFaults) return {};
    std::vector<FaultChip> chips = marksOf(scene, c, first, end);
    ChipPlaces(chips, scene, c).place();
    return chips;
}

QRectF deedHandle(const FaultChip& chip, const TimelineScene& scene, const TimelineCoordinates& c) {
    if (!chip.deed || chip.until < 0) return {};
    const TimelineMetrics& m = scene.metrics;
    return {std::round(c.x(chip.until)) - m.px(2), double(m.px(24)), double(m.px(5)), double(m.px(8))};
}

void paintFaultChips(const PaintKit& kit, const TimelineScene& scene, const std::vector<FaultChip>& chips, int top) {
    // How long the deeds last: a line below their marks, with a handle at its end.
    BoxBatch lines;
    for (const FaultChip& chip : chips) {
        const QRectF handle = deedHandle(chip, scene, kit.c);
        if (handle.isEmpty()) continue;
        lines.add(std::max(chip.x, -1.0), top + kit.m.px(27), handle.center().x() - std::max(chip.x, -1.0), 2);
        lines.add(handle.x(), top + handle.y(), handle.width(), handle.height());
    }
    lines.paint(kit.p, color(Role::Fault));
    for (const FaultChip& chip : chips) {
        const QRectF box = chip.box.translated(0, top);
        const Sprite flag = chip.byHand && !chip.awaited ? Sprite::FaultByHand : Sprite::FaultPlanned;
        if (chip.words.isEmpty()) {
            kit.sprite(flag, flagX(kit, chip.x), box.y() + kit.m.px(13));
            continue;
        }
        // A fault that has not struck yet has a dashed edge.
        QPen edge(color(Role::Fault), 1);
        if (chip.awaited) edge.setStyle(Qt::DashLine);
        kit.rounded(box.adjusted(0.5, 0.5, -0.5, -0.5), 3,
                    color(chip.byHand && !chip.awaited ? Role::FaultSoft : Role::SurfaceSunken), edge);
        // The flag stands at the instant, on whichever side of it the words are.
        const bool wordsBefore = chip.box.left() < chip.x - 1;
        kit.sprite(flag, wordsBefore ? box.right() - kit.m.px(9) : box.x() + kit.m.px(9), box.y() + kit.m.px(14));
        kit.text(box.adjusted(wordsBefore ? kit.m.px(8) : kit.m.px(kFlag), 0, 0, 0), chip.words, kit.smallBold,
                 Role::FaultText);
    }
}

} // namespace lockscope::views
