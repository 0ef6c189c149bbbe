// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/fault_chips.h"

#include "theme/fonts.h"
#include "theme/format.h"
#include "timeline/fault_labels.h"
#include "timeline/words.h"

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
        mark.words = faultsLabel(trace, faults, i, next - i);
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
