// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/trace_feed.h"
#include "runtime/virtual_scheduler.h"

#include <functional>

namespace lockscope::sim {

/// Looks again at a simulated record when its feed may write the content that it held back (TraceFeed::contentDue):
/// nothing else would, as long as the record stays as it is.
class ContentLook {
public:
    /// `look` updates the feed with what the record has. Scheduler and feed must outlive this object.
    ContentLook(VirtualScheduler& scheduler, const inspect::TraceFeed& feed, std::function<void()> look)
        : m_scheduler(scheduler), m_feed(feed), m_look(std::move(look)) {}
    ~ContentLook() {
        if (m_timer) m_scheduler.cancel(m_timer);
    }
    ContentLook(const ContentLook&) = delete;
    ContentLook& operator=(const ContentLook&) = delete;

    /// Call it after each update of the feed.
    void arm() {
        const Nanos due = m_feed.contentDue();
        if (m_timer || due == kNever) return;
        m_timer = m_scheduler.at(due, [this] {
            m_timer = 0;
            m_look();
        });
    }

private:
    VirtualScheduler& m_scheduler;
    const inspect::TraceFeed& m_feed;
    std::function<void()> m_look;
    VirtualScheduler::TimerId m_timer = 0;
};

} // namespace lockscope::sim
