// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "trace/wait_for.h"

#include <QLineF>
#include <QRectF>
#include <array>

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
        /// How many waiters go on if this hold of a circle ends, which frees most of them; 0: it is another edge.
        std::int64_t freed = 0;
        std::array<QPointF, 4> curve{}; ///< of a cubic: where it begins, two controls, where its arrow points
        /// A point of the curve, from 0 = its begin to 1 = its arrow.
        QPointF at(double t) const;
    };
    std::vector<Item> items; ///< column by column, each from its top: the order in which the keyboard walks
    std::vector<Edge> edges;
    std::size_t left = 0; ///< waits that found no room
    QSizeF size;          ///< of the whole picture
    bool down = false;    ///< as WaitMeasures

    /// The item under a point; -1 = none.
    int at(QPointF point) const;
};

/// The sizes that a layout starts from, in pixels.
struct WaitMeasures {
    QSizeF box;        ///< of each item
    double gap = 56;   ///< between the columns: the room of an edge and its words
    double back = 44;  ///< at the end of everything, for the edges that lead back
    bool down = false; ///< columns lie below each other, for a narrow place; else side by side
};

/// At most so many waits are drawn; circles first.
inline constexpr std::size_t kMostWaitsDrawn = 200;

WaitLayout layOutWaits(const trace::WaitGraph& graph, const WaitMeasures& measures);

/// The part of a graph that one lock is about: the circle that it is in; else the chain of at least two waits from its
/// holder to the lock that this one waits for, and on; else from one of its waiters to another lock that this one
/// holds. Empty: there is none.
trace::WaitGraph waitsAround(trace::EntityId lock, const trace::WaitGraph& graph);

} // namespace lockscope::views
