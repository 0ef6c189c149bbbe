// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/recipe.h"
#include "runtime/signal_count.h"

#include <deque>

namespace lockscope::tests {

/// A lock that lives by a session: the test says when the session ends.
struct SessionLock final : recipes::Recipe {
    struct Server {
        bool taken = false;
        int listening = 0, grants = 0;
        Nanos timeout = kNever; ///< of the session, as far as its grants say
        std::deque<recipes::HoldNews> news;
        SignalCount told;
        void say(recipes::HoldNews::Kind kind, Nanos until, const char* reason = "") {
            news.push_back(recipes::HoldNews{kind, until, reason});
            told.release();
        }
        void end() {
            taken = false;
            say(recipes::HoldNews::Kind::Lost, kNever, "the session has ended");
        }
    };
    SessionLock(Runtime& r, Server& s) : runtime(r), server(s) {
        about.id = "session";
        about.heldBy = recipes::HeldBy::Session;
        about.reentrant = true;
    }
    const recipes::RecipeInfo& info() const override { return about; }
    recipes::Outcome<std::optional<recipes::Grant>> acquire(recipes::Request request, std::stop_token stop) override {
        co_await runtime.sleep(1ms, stop);
        if (server.taken && request.held == 0) co_return std::nullopt;
        server.taken = true;
        ++server.grants;
        recipes::Grant grant;
        grant.holds = request.held + 1;
        grant.thread = request.thread;
        grant.value = "s";
        grant.askedAt = runtime.monotonic();
        grant.lease = server.timeout;
        co_return grant;
    }
    recipes::Outcome<bool> isLocked(std::stop_token) override { co_return server.taken; }
    recipes::Outcome<recipes::HoldNews> news(recipes::Grant, std::stop_token stop) override {
        struct Listening {
            explicit Listening(int& c) : count(c) { ++count; }
            ~Listening() { --count; }
            Listening(const Listening&) = delete;
            Listening& operator=(const Listening&) = delete;
            int& count;
        };
        const Listening listening(server.listening);
        co_await server.told.acquire(runtime, kNever, stop);
        const recipes::HoldNews first = server.news.front();
        server.news.pop_front();
        co_return first;
    }
    recipes::Outcome<int> release(recipes::Grant grant, std::stop_token) override {
        if (!server.taken) co_return std::unexpected(LockError{LockError::Kind::NotOwner, {}});
        if (grant.holds > 1) co_return grant.holds - 1;
        server.taken = false;
        co_return 0;
    }
    recipes::Outcome<bool> forceRelease(std::stop_token) override { co_return std::exchange(server.taken, false); }

    Runtime& runtime;
    Server& server;
    recipes::RecipeInfo about;
};

} // namespace lockscope::tests
