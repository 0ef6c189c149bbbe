// SPDX-License-Identifier: Apache-2.0
#include "drivers/etcd/watch_stream.h"

#include "ports/etcd/codec.h"
#include "ports/etcd/errors.h"

namespace lockscope::etcd {

WatchStream::WatchStream(const std::shared_ptr<Members>& members)
    : m_loan(members, Members::Loan::For::Stream), m_runtime(members->runtime()), m_where(members->where()) {
}

WatchStream::~WatchStream() = default;

Result<void> WatchStream::start(HttpRequest request, Nanos timeout, std::stop_token stop) {
    m_loan.wire->stream(
        request, [this](const QByteArray& line) { onLine(line); },
        [this](Error error) {
            WatchEvent gap;
            gap.error = std::move(error);
            push(std::move(gap));
        });
    const std::optional<Started> started = co_await m_started.wait(m_runtime, timeout, std::move(stop));
    if (!started) co_return std::unexpected(errors::requestTimeout(timeout, m_where));
    if (started->error) co_return std::unexpected(*started->error);
    co_return std::expected<void, Error>();
}

void WatchStream::onLine(const QByteArray& line) {
    auto read = codec::watchLine(line, m_where);
    if (!read) {
        m_loan.wire->close(errors::garbage(read.error(), m_where));
        return;
    }
    const bool refused = !read->events.empty() && read->events.back().kind == WatchEvent::Kind::Gap;
    if (read->created && !refused) {
        m_revision = read->revision;
        m_started.complete({});
    }
    for (WatchEvent& event : read->events)
        push(std::move(event));
}

void WatchStream::push(WatchEvent event) {
    if (event.kind == WatchEvent::Kind::Gap) m_started.complete({event.error});
    m_events.push_back(std::move(event));
    m_signals.release();
}

QCoro::Task<std::optional<WatchEvent>> WatchStream::next(Nanos timeout, std::stop_token stop) {
    const bool signalled = co_await m_signals.acquire(m_runtime, timeout, std::move(stop));
    if (!signalled) co_return std::nullopt;
    WatchEvent event = std::move(m_events.front());
    m_events.pop_front();
    co_return event;
}

} // namespace lockscope::etcd
