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

void diamond(const PaintKit& kit, double x, double y, double r, const QBrush& fill, const QPen& pen) {
    const QPointF corners[]{{x, y - r}, {x + r, y}, {x, y + r}, {x - r, y}};
    kit.p.setPen(pen);
    kit.p.setBrush(fill);
    kit.p.drawPolygon(corners, 4);
}

void glyph(const PaintKit& kit, double x, double y, double r, EffectTick kind) {
    kit.p.setPen(QPen(color(kind == EffectTick::Refused ? Role::TextDim : Role::TextOnColor), std::max(1.6, r / 6),
                      Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    kit.p.setBrush(Qt::NoBrush);
    switch (kind) {
    case EffectTick::Accepted: {
        const QPointF check[]{{x - r * 0.34, y}, {x - r * 0.08, y + r * 0.28}, {x + r * 0.36, y - r * 0.26}};
        kit.p.drawPolyline(check, 3);
        break;
    }
    case EffectTick::Refused:
        kit.p.drawLine(QPointF(x - r * 0.25, y - r * 0.25), QPointF(x + r * 0.25, y + r * 0.25));
        kit.p.drawLine(QPointF(x - r * 0.25, y + r * 0.25), QPointF(x + r * 0.25, y - r * 0.25));
        break;
    case EffectTick::Stale:
        kit.p.drawLine(QPointF(x, y - r * 0.42), QPointF(x, y + r * 0.08));
        kit.p.drawPoint(QPointF(x, y + r * 0.42));
        break;
    }
}

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
        if (mark.tick && before >= r && after >= r) {
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

    kit.p.setRenderHint(QPainter::Antialiasing, true);
    double numberEnd = -1e9;
    for (const std::size_t i : alone) {
        const Tick& tick = *marks[i].tick;
        const auto kind = EffectTick(tick.kind);
        if (kind == EffectTick::Stale) continue;
        const double x = marks[i].x;
        if (kind == EffectTick::Refused)
            diamond(kit, x, y, r - 1, color(Role::SurfaceSunken), QPen(color(Role::TextDim), 1.6));
        else
            diamond(kit, x, y, r, color(Role::Accepted), Qt::NoPen);
        glyph(kit, x, y, r, kind);
        if (tick.label == 0) continue;
        const QString number = QString::number(tick.label);
        const double width = kit.smallFm.horizontalAdvance(number);
        if (x - width / 2 < numberEnd) continue;
        kit.text({x - width / 2, bar.bottom() + 1, width + 1, double(kit.m.px(15))}, number, kit.small, kit.smallFm,
                 Role::TextDim);
        numberEnd = x + width / 2 + 4;
    }
    // Last, above everything: damage is never hidden by what was fine.
    double last = -1e9, textEnd = -1e9;
    for (const std::size_t i : damages) {
        const double x = marks[i].x;
        if (x < last + 3) continue;
        last = x;
        kit.p.setRenderHint(QPainter::Antialiasing, true);
        diamond(kit, x, y, r + 1, color(Role::Violation), QPen(color(Role::SurfaceSunken), 1));
        glyph(kit, x, y, r + 1, EffectTick::Stale);
        if (!marks[i].tick || x + r + 4 < textEnd) continue;
        const Damage& damage = kit.data.damage(marks[i].tick->label);
        const QString words = damageWords(damage);
        const double width = kit.smallBoldFm.horizontalAdvance(words) + 1;
        textEnd = kit.text({x + r + 4, 0, width, double(kit.m.px(15))}, words, kit.smallBold, kit.smallBoldFm,
                           Role::ViolationText) +
                  8;
        const QString number = QString::number(damage.number);
        const double numberWidth = kit.smallFm.horizontalAdvance(number);
        kit.text({x - numberWidth / 2, bar.bottom() + 1, numberWidth + 1, double(kit.m.px(15))}, number, kit.small,
                 kit.smallFm, Role::ViolationText);
    }
    kit.p.setRenderHint(QPainter::Antialiasing, false);
    paintFaults(kit, lane.faults, height);
}

} // namespace lockscope::views
