// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/short_number.h"
#include "timeline/paint_kit.h"
#include "timeline/words.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

namespace lockscope::views {
namespace {

struct Mark {
    double x;         ///< of its instant, or up to a sign's width before where a neighbour would hide it
    const Tick* tick; ///< null: several
    std::uint32_t kinds, count;
};

/// Accepted, as far as is told.
bool isAccepted(EffectTick kind) {
    return kind == EffectTick::Accepted || kind == EffectTick::Untold;
}

/// The numbers below the marks: each is centred below its own, and two never touch, or 1 and 2 would read as 12.
class Numbers {
public:
    Numbers(const PaintKit& kit, double top) : m_kit(kit), m_top(top) {}
    /// Writes it unless one that is there already is too close.
    void add(double x, const QString& number, Role role) {
        constexpr double kGap = 4;
        const double width = m_kit.small.width(number);
        const double left = std::min(x - width / 2, m_kit.edge - width), right = left + width;
        if (left < 0) return;                               // half a number is another number
        const auto next = m_taken.lower_bound(left - kGap); // the first that ends there or later
        if (next != m_taken.end() && next->second < right + kGap) return;
        m_taken.emplace(right, left);
        m_kit.text({left, m_top, width + 1, double(m_kit.m.wordsPx(15))}, number, m_kit.small, role);
    }

private:
    const PaintKit& m_kit;
    double m_top;
    std::map<double, double> m_taken; ///< right end: left end
};

/// An accepted write and one that damages or is refused, at nearly the same instant: that one of them came first, and
/// that both happened, is the story of a token. The first one moves aside by less than a sign, where it has the room.
void partPairs(const PaintKit& kit, std::vector<Mark>& marks, double sign) {
    const auto accepted = [&](const Mark& mark) { return isAccepted(kit.data.effectOf(*mark.tick)); };
    for (std::size_t i = 0; i + 1 < marks.size(); ++i) {
        const double before = i > 0 ? marks[i - 1].x : -1e9, after = i + 2 < marks.size() ? marks[i + 2].x : 1e9;
        Mark &first = marks[i], &second = marks[i + 1];
        if (!first.tick || !second.tick || accepted(first) == accepted(second)) continue;
        const double apart = second.x - sign;
        if (first.x > apart && before <= apart - sign && after >= second.x + sign) first.x = apart;
    }
}

/// Below the mark of a write: its token, or who wrote without one. Empty: a name too long to stand below a mark.
QString tokenOf(const PaintKit& kit, const Tick& tick) {
    if (const std::int64_t token = kit.data.writeToken(tick)) return shortNumber(token);
    constexpr double kWidest = 48;
    const QString writer = kit.trace.displayName(kit.trace.clientOf(kit.trace.at(tick.row).actor));
    return kit.small.width(writer) <= kit.m.px(kWidest) ? writer : QString();
}

Role tokenRole(const PaintKit& kit, const Tick& tick) {
    return kit.data.effectOf(tick) == EffectTick::Stale ? Role::ViolationText : Role::TextDim;
}

} // namespace

void paintEffect(const PaintKit& kit, const Lane& lane, int height) {
    const QRectF bar = kit.m.bar(LaneKind::Effect, 0, kit.c.width());
    const double r = bar.height() / 2, y = bar.center().y();
    std::vector<Mark> marks;
    const auto slack = std::int64_t(r * kit.c.nanosPerPixel());
    lane.ticks.visit(
        kit.c.from() - slack, std::min(kit.c.to() + slack, kit.last), kit.pixel,
        [&](std::size_t, const Tick& tick) {
            marks.push_back({kit.c.x(tick.at), &tick, bit(kit.data.effectOf(tick)), 1});
        },
        [&](const TickSum& sum) {
            std::uint32_t kinds = sum.kinds;
            if ((kinds & ~bit(EffectTick::Refused)) && sum.from >= kit.data.damageToldUntil())
                kinds = (kinds & bit(EffectTick::Refused)) | bit(EffectTick::Untold);
            marks.push_back({(kit.c.x(sum.from) + kit.c.x(sum.to)) / 2, nullptr, kinds, sum.count});
        });

    partPairs(kit, marks, 1.7 * r);

    // Where writes are dense, each pixel gets a bar as high as their number; green for accepted, grey for refused
    // and while it is held back which of them did damage.
    BoxBatch accepted, grey;
    std::vector<std::size_t> alone, damages;
    for (std::size_t i = 0; i < marks.size();) {
        const Mark& mark = marks[i];
        const double before = i > 0 ? mark.x - marks[i - 1].x : 1e9;
        const double after = i + 1 < marks.size() ? marks[i + 1].x - mark.x : 1e9;
        if (mark.kinds & bit(EffectTick::Stale)) damages.push_back(i);
        if (mark.tick && before >= 7 && after >= 7) {
            alone.push_back(i++);
            continue;
        }
        const double column = std::floor(mark.x);
        std::uint32_t count = 0, kinds = 0;
        for (; i < marks.size() && std::floor(marks[i].x) == column; ++i) {
            count += marks[i].count;
            kinds |= marks[i].kinds;
            if (&marks[i] != &mark && marks[i].kinds & bit(EffectTick::Stale)) damages.push_back(i);
        }
        const double h = std::min(1.0, 0.3 + 0.12 * std::log2(double(count))) * bar.height();
        (kinds & (bit(EffectTick::Accepted) | bit(EffectTick::Stale)) ? accepted : grey)
            .add(column, bar.bottom() - h, 1, h);
    }
    accepted.paint(kit.p, color(Role::Accepted));
    grey.paint(kit.p, color(Role::TextFaint));

    // Where another token writes after a refusal or a damage, its number comes first; then those of damaging writes:
    // they matter most, though their signs are painted last.
    Numbers numbers(kit, bar.bottom() + 1);
    for (std::size_t i = 1; i < alone.size(); ++i) {
        const Mark& mark = marks[alone[i]];
        const QString token = tokenOf(kit, *mark.tick);
        const bool afterOther = !isAccepted(kit.data.effectOf(*marks[alone[i - 1]].tick));
        const bool begins =
            afterOther && alone[i] == alone[i - 1] + 1 && token != tokenOf(kit, *marks[alone[i - 1]].tick);
        if (begins && isAccepted(kit.data.effectOf(*mark.tick)) && !token.isEmpty())
            numbers.add(mark.x, token, tokenRole(kit, *mark.tick));
    }
    const auto roomAfter = [&](std::size_t d) {
        return (d + 1 < damages.size() ? marks[damages[d + 1]].x : kit.c.width() + r) - marks[damages[d]].x - 2 * r - 6;
    };
    for (std::size_t d = 0; d < damages.size(); ++d) {
        const Mark& mark = marks[damages[d]];
        if (!mark.tick) continue;
        if (const QString token = tokenOf(kit, *mark.tick); !token.isEmpty())
            numbers.add(mark.x, token, tokenRole(kit, *mark.tick));
    }
    // A refusal is seldom, and often the point of the story: it has its sign however close accepted writes are.
    const auto refusal = [&](std::size_t i) { return kit.data.effectOf(*marks[i].tick) == EffectTick::Refused; };
    std::stable_partition(alone.begin(), alone.end(), std::not_fn(refusal));
    for (const std::size_t i : alone)
        if (const QString token = refusal(i) ? tokenOf(kit, *marks[i].tick) : QString(); !token.isEmpty())
            numbers.add(marks[i].x, token, tokenRole(kit, *marks[i].tick));
    double lastRefusal = -1e9;
    for (const std::size_t i : alone) {
        const double gap = std::min(i > 0 ? marks[i].x - marks[i - 1].x : 1e9,
                                    i + 1 < marks.size() ? marks[i + 1].x - marks[i].x : 1e9);
        const bool small = gap < 1.6 * r; // no room for a sign: a small, plain diamond
        const Tick& tick = *marks[i].tick;
        const EffectTick kind = kit.data.effectOf(tick);
        if (kind == EffectTick::Stale) continue;
        const double x = marks[i].x;
        if (kind == EffectTick::Refused) {
            const bool crowded = x - lastRefusal < 1.6 * r;
            kit.sprite(crowded ? Sprite::RefusedSmall : Sprite::Refused, x, y);
            if (!crowded) lastRefusal = x;
            continue;
        }
        if (kind == EffectTick::Untold)
            kit.sprite(small ? Sprite::UntoldSmall : Sprite::Untold, x, y);
        else
            kit.sprite(small ? Sprite::AcceptedSmall : Sprite::Accepted, x, y);
        if (const QString token = tokenOf(kit, tick); !token.isEmpty()) numbers.add(x, token, tokenRole(kit, tick));
    }
    // Last, above everything: damage is never hidden by what was fine.
    double last = -1e9, end = 0;
    for (std::size_t d = 0; d < damages.size(); ++d) {
        const Mark& mark = marks[damages[d]];
        if (mark.x < last + 3) continue;
        last = mark.x;
        kit.sprite(Sprite::Damage, mark.x, y);
        double room = roomAfter(d);
        // In a low lane the words stand beside the marks and not above them.
        const bool low = y - r < kit.m.wordsPx(11);
        if (const std::size_t next = damages[d] + 1; low && next < marks.size())
            room = std::min(room, marks[next].x - mark.x - 2 * r - 6);
        if (!mark.tick || room < 20) continue;
        end = kit.beside({mark.x + r + 3, 0, room, double(kit.m.wordsPx(15))}, 2 * r + 6, end + 6,
                         {damageWords(kit.data.damage(mark.tick->label), Digits::Last)}, kit.smallBold,
                         Role::ViolationText, kit.c.x(kit.data.now())); // right of now nothing has happened
    }
    paintFaults(kit, lane.faults, height);
}

} // namespace lockscope::views
