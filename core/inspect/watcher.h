// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/lock_report.h"
#include "inspect/watch_options.h"

#include <expected>
#include <functional>
#include <memory>
#include <qcoro/qcorotask.h>
#include <stop_token>

namespace lockscope::inspect {

/// The state of a watcher's connection.
struct WatchStatus {
    enum class State : std::uint8_t { Idle, Connecting, Connected, Retrying, Failed };
    State state = State::Idle; ///< Failed: the login or the settings were refused
    QString text;              ///< one translated sentence with the address, never with a password
    QString trouble;           ///< the cause of Retrying or Failed, a sentence; else empty
    /// Connected, but not to all of several servers that should answer; `text` says to how many.
    bool partial = false;
};

/// A server that has not answered for longer is out of sight, though its connection stands.
inline constexpr Nanos kSilentFrom = 2s;

/// The cost of watching for the server, since the watcher was made.
struct WatchLoad {
    std::uint64_t requests = 0;
    Nanos serverTime{}; ///< that the server has worked for them, at most
};

/// Finds and watches the locks of one server, or of one ensemble. Read-only: a Releaser frees locks by force. It has a
/// connection of its own, so that its work delays nobody.
///
/// Lives on its runtime's thread; the runtime must outlive it. Coroutines in flight must have ended before it goes.
class Watcher {
public:
    using Callback = std::function<void(const LockReport&)>;
    virtual ~Watcher() = default;

    /// Connects; the result of the first try. Without it, looks connect when needed. Throws Cancelled.
    virtual QCoro::Task<std::expected<void, WatchTrouble>> open(std::stop_token stop = {}) = 0;
    /// One look at everything, which takes its time on a big server. LockReport::trouble says when the server could not
    /// be read; not `complete`: there is more than it looks at. `progress` is called now and then meanwhile, with a
    /// report without locks. Throws Cancelled.
    virtual QCoro::Task<LockReport> once(std::stop_token stop = {}, Callback progress = {}) = 0;
    /// Reports what is there, and again after each change, until stopped; each report has all rows. Trouble is reported
    /// once per outage, and the watch goes on when the server is back. Throws Cancelled: that is its only end.
    virtual QCoro::Task<> watch(Callback callback, std::stop_token stop = {}) = 0;

    /// Ends the pause between two looks of watch(): something was changed from here, and a person waits to see what
    /// came of it. The budget pays for that look afterwards.
    virtual void lookSoon() = 0;

    virtual WatchStatus status() const = 0;
    /// Calls `callback` at each change of status(), from the runtime's scheduler. It must not destroy the watcher.
    virtual void onStatus(std::function<void()> callback) = 0;
    virtual WatchLoad load() const = 0;
    /// Since when the answer to what it has asked last is awaited; nullopt: nothing was asked that is not answered, or
    /// it asks several servers. Call it a few times a second: it takes the time of an answer from the question behind
    /// it.
    virtual std::optional<Nanos> unansweredSince() { return std::nullopt; }
    /// Which server answers; missing = it does not tell, or has not answered yet.
    virtual std::optional<ServerIdentity> identity() const = 0;
    /// The server's address: "host:port".
    virtual QString where() const = 0;
    /// The lock in the last report; nullptr: it had none of that name. Valid until the next look.
    virtual const LockRow* lastSeen(const QByteArray& lockName) const = 0;
};

/// A watcher that owns the client over which it looks.
template <typename W, typename C>
class OwningWatcher final : private std::unique_ptr<C>, public W {
public:
    /// `rest`: what the watcher is made of besides the client.
    template <typename... Rest>
    explicit OwningWatcher(std::unique_ptr<C> client, Rest&&... rest)
        : std::unique_ptr<C>(std::move(client)),
          W(**static_cast<std::unique_ptr<C>*>(this), std::forward<Rest>(rest)...) {}
};

} // namespace lockscope::inspect
