// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "trace/wait_for.h"

#include <QLineF>
#include <QRectF>

namespace lockscope::views {

/// Where things stand in the picture of who waits for whom: holders that wait for nobody at the left, then their locks,
/// then whoever waits for these, and so on to the right. Pure arithmetic.
struct WaitLayout {
    struct Item {
        trace::EntityId entity = trace::kNoEntity;
        bool isLock = false;
        bool inCycle = false;
        QRectF box;
    };
    struct Edge {
        std::size_t from = 0, to = 0; ///< items: from a waiter to a lock, or from a lock to its holder
        bool holds = false;           ///< else it waits
        bool inCycle = false;
        bool back = false; ///< leads to the right, against the others: it closes a circle
    };
    std::vector<Item> items; ///< column by column, each from its top: the order in which the keyboard walks
    std::vector<Edge> edges;
    std::size_t left = 0; ///< waits that found no room
    QSizeF size;          ///< of the whole picture

    /// The item under a point; -1 = none.
    int at(QPointF point) const;
};

/// At most so many waits are drawn; circles first.
inline constexpr std::size_t kMostWaitsDrawn = 200;

/// `boxWidth`, `boxHeight` in pixels, of each item.
WaitLayout layOutWaits(const trace::WaitGraph& graph, double boxWidth, double boxHeight);

} // namespace lockscope::views
