// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/backoff.h"
#include "recipes/recipe.h"
#include "runtime/unless_stopped.h"

namespace lockscope::recipes {

/// The outcome of one try that did not fail.
template <typename T>
struct Tried {
    enum class Next : std::uint8_t {
        Rest,   ///< it is another client's: the next try pays after a rest
        AtOnce, ///< undecided: the next try pays at once
    };
    std::optional<T> granted;
    Next next = Next::Rest;
    Nanos rest = kNever;              ///< after that the next try pays although nobody wakes us; kNever: unknown
    std::optional<LockError> failure; ///< what the request failed by, if no time is left for another try
};

/// Which tries are taken back.
enum class Undo : std::uint8_t {
    WhenUnknown, ///< tries that may have taken something: stopped, or their outcome is unknown
    Always,      ///< each that did not win: it leaves its place in a queue, or some of several servers
};
/// The step after a try was taken back.
enum class Then : std::uint8_t { AnotherTry, TheEnd };

/// A request on its way to a lock, or to something else that one waits for: what its recipe does in a try, how it takes
/// one back, and how it waits for the next. contend() does the rest.
template <typename T>
class Contender {
public:
    using Granted = T;
    static constexpr Undo kUndo = Undo::WhenUnknown;

    Contender(Runtime& r, Nanos wait) : runtime(r), giveUpAt(laterBy(r.monotonic(), wait)) {}
    virtual ~Contender() = default;
    Contender(const Contender&) = delete;
    Contender& operator=(const Contender&) = delete;

    /// One try. First takes back what an undo() before could not.
    virtual Outcome<Tried<T>> attempt(std::stop_token stop) = 0;
    /// Whether another try can do better than one with this error.
    virtual bool mayPass(const LockError& error) const { return passes(error); }
    /// Takes the latest try back, unless the next can go on from it. Cannot be interrupted: interruptions use it.
    virtual QCoro::Task<> undo(Then) { co_return; }
    /// Waits until the next try pays, at most to `giveUpAt`.
    virtual QCoro::Task<> rest(Tried<T> tried, std::stop_token stop) {
        return runtime.sleep(within(tried.rest), std::move(stop));
    }
    /// A pause begins, since the server cannot be asked.
    virtual void pauses() {}
    /// The request ends before another try: takes back what undo() could not, or has left to that.
    virtual QCoro::Task<> takeBack() { co_return; }
    /// The request has ended in vain.
    virtual void left() {}

    /// A duration, cut to end at `giveUpAt`.
    Nanos within(Nanos duration) const {
        if (giveUpAt == kNever) return duration;
        return std::min(duration, std::max(Nanos(0), giveUpAt - runtime.monotonic()));
    }
    bool timeIsOver() const { return runtime.monotonic() >= giveUpAt; }

    Runtime& runtime;
    const Nanos giveUpAt; ///< own monotonic clock
};

/// A request for a lock.
class LockContender : public Contender<Grant> {
public:
    LockContender(Runtime& r, Request asked) : Contender(r, asked.wait), request(std::move(asked)) {
        Q_ASSERT(request.lease > Nanos(0));
    }
    void left() override { request.steps.leave(); }

    Request request;
};

/// Tries until the contender has its lock; nullopt: not in time. All recipes wait by these rules:
///
/// - A try that was stopped, or whose outcome is unknown, may have taken something: it is taken back at once. A grant
///   that has come is a grant, whatever was asked meanwhile.
/// - An error that may pass ends the wait only when its time is over, and then it is the result. Before, the waiter
///   pauses; nobody tells when a server can be asked again, so pauses are random and grow (Backoff). Other errors end
///   it at once.
/// - Between tries, the contender rests as its recipe says.
/// - A stop request ends it with Cancelled once everything is taken back; a kill ends it with Cancelled at once.
///
/// `C`: a Contender, made of `of` (what it is after) and the request.
template <typename C>
Outcome<std::optional<typename C::Granted>> contend(typename C::Of& of, typename C::Asked asked, std::stop_token stop) {
    C me(of, std::move(asked));
    Backoff backoff;
    for (;;) {
        auto tried = co_await unlessStopped(me.attempt(stop));
        if (tried && *tried && (*tried)->granted) co_return std::move((*tried)->granted);
        const bool stopped = !tried;
        const LockError* const error = stopped || *tried ? nullptr : &tried->error();
        const bool hopeless = error && !me.mayPass(*error);
        if (C::kUndo == Undo::Always || stopped || (error && error->kind == LockError::Kind::OutcomeUnknown)) {
            const Then then = stopped || hopeless || me.timeIsOver() ? Then::TheEnd : Then::AnotherTry;
            co_await me.undo(then);
            if (C::kUndo == Undo::Always && then == Then::AnotherTry && me.timeIsOver()) co_await me.takeBack();
        }
        if (stopped || hopeless || me.timeIsOver()) {
            me.left();
            if (stopped) throw Cancelled(Cancelled::Why::Stopped);
            if (error) co_return std::unexpected(*error);
            if ((*tried)->failure) co_return std::unexpected(*(*tried)->failure);
            co_return std::nullopt;
        }
        bool rested = true;
        if (error) {
            me.pauses();
            rested = co_await unlessStopped(me.runtime.sleep(backoff.next(me.runtime, me.giveUpAt), stop));
        } else {
            backoff.reset();
            if ((*tried)->next == Tried<typename C::Granted>::Next::Rest)
                rested = co_await unlessStopped(me.rest(**tried, stop));
        }
        if (rested) continue;
        co_await me.takeBack();
        me.left();
        throw Cancelled(Cancelled::Why::Stopped);
    }
}

} // namespace lockscope::recipes
