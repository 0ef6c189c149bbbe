// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/paint_kit.h"
#include "timeline/words.h"

#include <cmath>

namespace lockscope::views {
namespace {

struct Mark {
    double x;
    const Tick* tick; ///< null: several
    std::uint32_t kinds, count;
};

} // namespace

void paintEffect(const PaintKit& kit, const Lane& lane, int height) {
    const QRectF bar = kit.m.bar(LaneKind::Effect, 0, kit.c.width());
    const double r = bar.height() / 2, y = bar.center().y();
    std::vector<Mark> marks;
    const auto slack = std::int64_t(r * kit.c.nanosPerPixel());
    lane.ticks.visit(
        kit.c.from() - slack, kit.c.to() + slack, kit.pixel,
        [&](std::size_t, const Tick& tick) {
            marks.push_back({kit.c.x(tick.at), &tick, 1u << tick.kind, 1});
        },
        [&](const TickSum& sum) {
            marks.push_back({(kit.c.x(sum.from) + kit.c.x(sum.to)) / 2, nullptr, sum.kinds, sum.count});
        });

    // Where writes are dense, each pixel gets a bar as high as their number; green for accepted, grey for refused.
    BoxBatch accepted, refused;
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
        (kinds == bit(EffectTick::Refused) ? refused : accepted).add(column, bar.bottom() - h, 1, h);
    }
    accepted.paint(kit.p, color(Role::Accepted));
    refused.paint(kit.p, color(Role::TextFaint));

    double numberEnd = -1e9;
    for (const std::size_t i : alone) {
        const double gap = std::min(i > 0 ? marks[i].x - marks[i - 1].x : 1e9,
                                    i + 1 < marks.size() ? marks[i + 1].x - marks[i].x : 1e9);
        const bool small = gap < 1.6 * r; // no room for a sign: a small, plain diamond
        const Tick& tick = *marks[i].tick;
        const auto kind = EffectTick(tick.kind);
        if (kind == EffectTick::Stale) continue;
        const double x = marks[i].x;
        if (kind == EffectTick::Refused)
            kit.sprite(small ? Sprite::RefusedSmall : Sprite::Refused, x, y);
        else
            kit.sprite(small ? Sprite::AcceptedSmall : Sprite::Accepted, x, y);
        if (tick.label == 0) continue;
        const QString number = numberText(kit.data, tick.label);
        const double width = kit.small.width(number);
        if (x - width / 2 < numberEnd) continue;
        kit.text({x - width / 2, bar.bottom() + 1, width + 1, double(kit.m.px(15))}, number, kit.small, Role::TextDim);
        numberEnd = x + width / 2 + 4;
    }
    // Last, above everything: damage is never hidden by what was fine.
    double last = -1e9;
    for (std::size_t d = 0; d < damages.size(); ++d) {
        const Mark& mark = marks[damages[d]];
        if (mark.x < last + 3) continue;
        last = mark.x;
        kit.sprite(Sprite::Damage, mark.x, y);
        const double room = (d + 1 < damages.size() ? marks[damages[d + 1]].x : kit.c.width() + r) - mark.x - 2 * r - 6;
        if (!mark.tick || room < 20) continue;
        const Damage& damage = kit.data.damage(mark.tick->label);
        kit.firstFitting({mark.x + r + 3, 0, room, double(kit.m.px(15))}, {damageWords(damage)}, kit.smallBold,
                         Role::ViolationText);
        const QString number = QString::number(damage.number);
        const double width = kit.small.width(number);
        kit.text({mark.x - width / 2, bar.bottom() + 1, width + 1, double(kit.m.px(15))}, number, kit.small,
                 Role::ViolationText);
    }
    paintFaults(kit, lane.faults, height);
}

} // namespace lockscope::views
