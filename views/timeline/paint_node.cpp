// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/paint_kit.h"

#include <QCoreApplication>
#include <cmath>

namespace lockscope::views {
namespace {

struct Timeline {
    Q_DECLARE_TR_FUNCTIONS(Timeline)
};

void paintPhase(const PaintKit& kit, const Span& span, const QRectF& r) {
    switch (NodePhase(span.state)) {
    case NodePhase::Up:
        kit.rounded(r, 3, color(Role::Node));
        return;
    case NodePhase::Paused:
        kit.rounded(r.adjusted(0.5, 0.5, -0.5, -0.5), 3, kit.dots, QPen(color(Role::Paused), 1.5));
        break;
    case NodePhase::Down: {
        kit.rounded(r.adjusted(0.5, 0.5, -0.5, -0.5), 3, color(Role::FaultSoft),
                    QPen(color(Role::Fault), 1, Qt::DashLine));
        break;
    }
    case NodePhase::Unseen:
        kit.gap(r);
        return;
    }
    const bool down = span.state == unsigned(NodePhase::Down);
    const QString words = down ? Timeline::tr("down") : Timeline::tr("paused");
    const double left = std::max(r.x(), 0.0) + kit.m.px(6);
    kit.text({left, r.y() - 1, r.right() - left, r.height() + 2}, words, kit.smallBold,
             down ? Role::FaultText : Role::Text);
}

} // namespace

void paintNode(const PaintKit& kit, const Lane& lane, int height) {
    const QRectF bar = kit.m.bar(LaneKind::Node, 0, kit.c.width());
    PixelColumns columns(kit.c);
    lane.spans.visit(
        kit.c.from(), kit.c.to(), kit.pixel * 2, kit.now,
        [&](std::size_t, const Span& span) {
            paintPhase(kit, span, kit.across(span.from, lane.endOf(span, kit.now), bar, 2));
        },
        [&](const SpanSum& sum) { columns.add(sum); });
    BoxBatch up, paused, down, unseen;
    columns.runs([&](int x, int width, const auto&, std::uint32_t states) {
        // Down outweighs paused, a gap outweighs up, however short it was.
        if (states & bit(NodePhase::Down))
            down.add(x, bar.y(), std::max(width, 2), bar.height());
        else if (states & bit(NodePhase::Paused))
            paused.add(x, bar.y(), std::max(width, 2), bar.height());
        else if (states & bit(NodePhase::Unseen))
            unseen.add(x, bar.y(), std::max(width, 2), bar.height());
        else
            up.add(x, bar.y(), width, bar.height());
    });
    up.paint(kit.p, color(Role::Node));
    paused.paint(kit.p, color(Role::Paused));
    down.paint(kit.p, color(Role::Fault));
    unseen.paint(kit.p, color(Role::TextFaint));
    paintFaults(kit, lane.faults, height);
}

} // namespace lockscope::views
