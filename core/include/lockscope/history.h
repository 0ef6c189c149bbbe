// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <lockscope/detail/standard.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>

namespace lockscope::trace {
class Trace;
}

namespace lockscope::blocking {

namespace detail {
struct Access;
}

/// A record of the events of a client's locks: requests, grants, losses, releases, with their times. Give it to a
/// client, or to several that share a service thread (ClientOptions::history); with coroutines
/// qt::Connection::record().
///
///     const auto history = std::make_shared<History>();
///     Client client("redis://127.0.0.1", {.history = history});
///     …
///     history->save("holds.lockscope");   // `lockscope check holds.lockscope` judges it, the window shows it
///
/// A second client with a service thread of its own is refused (RefusedException), also after the first was closed.
///
/// Thread-safe. It only grows: about 40 bytes an event.
class History {
public:
    History();
    /// How many events it has so far.
    std::size_t size() const;
    /// Writes the events so far into a file, a recording that `lockscope` opens; replaces the file. Throws
    /// RefusedException with the reason when it cannot be written.
    void save(const std::string& path) const;

private:
    friend struct detail::Access;
    explicit History(std::shared_ptr<trace::Trace> trace) : m_trace(std::move(trace)) {}
    std::shared_ptr<trace::Trace> m_trace;
    std::atomic<bool> m_claimed = false;
};

} // namespace lockscope::blocking
