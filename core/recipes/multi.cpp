// SPDX-License-Identifier: Apache-2.0
#include "recipes/multi.h"

#include "recipes/recipe_infos.h"
#include "recipes/recipe_text.h"
#include "recipes/waiting.h"
#include "runtime/signal_count.h"

#include <algorithm>

namespace lockscope::recipes {

namespace {
enum class Step : std::uint32_t { Take = 1, GiveBack, Hold, Release };
} // namespace

RecipeInfo redisMultiInfo() {
    RecipeInfo info;
    info.id = "redis-multi";
    info.backend = "redis";
    info.summary = Text::tr("Several reentrant locks as one, all of them or none: “a,b,c”");
    info.steps = stepTexts<Step>({
        {Step::Take, Text::tr("take each in the order of its name")},
        {Step::GiveBack, Text::tr("not all in time → give back in reverse, again 1")},
        {Step::Hold, Text::tr("hold, work; watchdog: renew each")},
        {Step::Release, Text::tr("give back in reverse")},
    });
    info.workStep = Step::Hold;
    info.reentrant = true;
    info.watchdog = true;
    info.layout = "Redisson";
    info.simulated = true;
    return info;
}

namespace {
constexpr Nanos kRoundForEach = 1500ms;
constexpr Nanos kPauseLow = 10ms, kPauseHigh = 100ms;

bool byLease(const Recipe& part) {
    return part.info().heldBy == HeldBy::Lease;
}
bool toBeFollowed(const Recipe& part) {
    return part.info().heldBy == HeldBy::Session || part.info().heldBy == HeldBy::Connection;
}
Nanos endOf(const Grant& grant) {
    return laterBy(grant.askedAt, grant.lease);
}
} // namespace

/// The data that a grant keeps of its parts.
struct MultiRecipe::Own {
    explicit Own(std::vector<Grant> g) : grants(std::move(g)), latest(grants.size()) {}
    /// The news of all parts together: the worst kind, and the earliest end.
    HoldNews news() const {
        HoldNews all;
        for (const HoldNews& part : latest) {
            all.until = std::min(all.until, part.until);
            if (part.kind <= all.kind) continue;
            all.kind = part.kind;
            all.reason = part.reason;
        }
        return all;
    }
    std::vector<Grant> grants;
    std::stop_source following;
    bool lost = false;
    std::vector<HoldNews> latest; ///< of each part that is followed
    bool told = true;             ///< the holder knows of it
    SignalCount arrived;
};

/// A grant's reference to its parts: when the last copy of the grant is gone, nobody needs news of them any more.
struct MultiHold {
    explicit MultiHold(std::shared_ptr<MultiRecipe::Own> o) : own(std::move(o)) {}
    ~MultiHold() { own->following.request_stop(); }
    MultiHold(const MultiHold&) = delete;
    MultiHold& operator=(const MultiHold&) = delete;
    std::shared_ptr<MultiRecipe::Own> own;
};

std::shared_ptr<MultiRecipe::Own> MultiRecipe::partsOf(const Grant& grant) {
    return ownOf<const MultiHold>(grant)->own;
}

MultiRecipe::MultiRecipe(Runtime& runtime, RecipeInfo info, Parts parts, PartTokens tokens)
    : m_info(std::move(info)), m_tokens(std::move(tokens)), m_core(std::make_shared<Core>(runtime, std::move(parts))) {
    const Parts& all = m_core->parts;
    Q_ASSERT(!all.empty() && (m_tokens.order.empty() || m_tokens.order.size() == all.size()));
    const auto every = [&](auto has) { return std::ranges::all_of(all, [&](const auto& part) { return has(*part); }); };
    const auto any = [&](auto has) { return std::ranges::any_of(all, [&](const auto& part) { return has(*part); }); };
    const auto heldBy = [](HeldBy what) { return [what](const Recipe& part) { return part.info().heldBy == what; }; };
    m_info.reentrant = every([](const Recipe& part) { return part.info().reentrant; });
    m_info.watchdog = every([](const Recipe& part) { return !byLease(part) || part.info().watchdog; });
    m_info.token = false;
    m_info.heldBy = any(heldBy(HeldBy::Lease))        ? HeldBy::Lease
                    : any(heldBy(HeldBy::Connection)) ? HeldBy::Connection
                    : any(heldBy(HeldBy::Session))    ? HeldBy::Session
                                                      : HeldBy::Nothing;
    if (m_info.heldBy != HeldBy::Lease) m_info.watchdog = false;
    m_info.news = m_info.heldBy == HeldBy::Lease && any(toBeFollowed);
}

QCoro::Task<> MultiRecipe::giveBack(std::vector<Grant> grants) {
    while (!grants.empty()) {
        // An error leaves a part that ends by itself.
        co_await m_core->parts[grants.size() - 1]->release(grants.back(), {});
        grants.pop_back();
    }
}

QCoro::Task<> MultiRecipe::giveAllUp(std::shared_ptr<Core> core, std::shared_ptr<Own> own) {
    own->following.request_stop();
    for (std::size_t i = own->grants.size(); i-- > 0;) {
        Grant mine = own->grants[i];
        for (;;) {
            const auto left = co_await core->parts[i]->release(mine, {});
            if (!left) {
                if (left.error().kind != LockError::Kind::NotOwner && --mine.holds > 0) core->parts[i]->abandoned(mine);
                break;
            }
            if (*left == 0) break;
            mine.holds = *left;
        }
    }
}

Outcome<bool> MultiRecipe::refresh(std::vector<Grant>& grants, std::stop_token stop) {
    for (std::size_t i = 0; i < grants.size(); ++i) {
        Recipe& part = *m_core->parts[i];
        if (!byLease(part) || !part.info().watchdog) continue;
        const Nanos now = m_core->runtime.monotonic();
        if (now - grants[i].askedAt < grants[i].lease / 3) continue;
        const auto renewed = co_await part.renew(grants[i], stop);
        if (!renewed) co_return std::unexpected(renewed.error());
        if (!*renewed) co_return false;
        grants[i].askedAt = now;
    }
    co_return true;
}

Outcome<MultiRecipe::Round> MultiRecipe::takeAll(Request request, Nanos giveUpAt, std::vector<Grant>& grants,
                                                 std::stop_token stop) {
    Runtime& runtime = m_core->runtime;
    const bool tryOnly = request.wait == Nanos(0);
    const auto count = static_cast<std::int64_t>(m_core->parts.size());
    const Nanos roundTime = std::min(kRoundForEach * count, request.lease / 2);
    for (const std::unique_ptr<Recipe>& part : m_core->parts) {
        Request mine = request;
        mine.steps = {}; // the numbers would be another recipe's
        mine.token = m_tokens.take && part->info().token;
        mine.wait = tryOnly              ? Nanos(0)
                    : giveUpAt == kNever ? kNever
                                         : std::max(Nanos(0), giveUpAt - runtime.monotonic());
        auto grant = co_await part->acquire(mine, stop);
        if (!grant) co_return std::unexpected(grant.error());
        if (!*grant) co_return Round::NotAll;
        grants.push_back(**grant);
        // Without any part, a client may wait as long as it likes; from the first part on it is in other clients' way.
        if (grants.size() == 1) giveUpAt = std::min(giveUpAt, laterBy(runtime.monotonic(), roundTime));
        const auto kept = co_await refresh(grants, stop);
        if (!kept) co_return std::unexpected(kept.error());
        if (!*kept) co_return Round::NotAll;
    }
    // Without a way to renew, a part may have ended while the others were waited for.
    bool late = false;
    for (std::size_t i = 0; i < grants.size(); ++i)
        late = late || (byLease(*m_core->parts[i]) && runtime.monotonic() >= endOf(grants[i]));
    co_return late ? Round::NotAll : Round::All;
}

/// A try is a round.
class MultiRecipe::Contender final : public LockContender {
public:
    using Of = MultiRecipe;
    using Asked = Request;
    static constexpr Undo kUndo = Undo::Always;
    Contender(MultiRecipe& of, Request asked) : LockContender(of.m_core->runtime, std::move(asked)), m(of) {}

    Outcome<Tried<Grant>> attempt(std::stop_token stop) override {
        request.steps.at(Step::Take);
        const auto all = co_await m.takeAll(request, giveUpAt, m_grants, stop);
        Tried<Grant> tried;
        if (!all && !passes(all.error())) co_return std::unexpected(all.error());
        if (!all) tried.failure = all.error();
        if (all && *all == Round::All) tried.granted = m.granted(request, std::exchange(m_grants, {}));
        co_return tried;
    }
    QCoro::Task<> undo(Then) override { return m.giveBack(std::exchange(m_grants, {})); }
    QCoro::Task<> rest(Tried<Grant>, std::stop_token stop) override {
        request.steps.at(Step::GiveBack);
        const Nanos pause = runtime.random(kPauseLow, kPauseHigh);
        return runtime.sleep(within(pause), std::move(stop));
    }

private:
    MultiRecipe& m;
    std::vector<Grant> m_grants; ///< of the parts that this round has
};

Outcome<std::optional<Grant>> MultiRecipe::acquire(Request request, std::stop_token stop) {
    return contend<Contender>(*this, std::move(request), std::move(stop));
}

Grant MultiRecipe::granted(const Request& request, std::vector<Grant> grants) {
    Grant whole{request.thread, {}, grants.front().askedAt, request.lease, grants.front().holds, 0, request.steps};
    whole.mode = request.mode;
    whole.permits = request.permits;
    // All of them, for as long as the first of them to end; holds can differ only after a loss. Beside leases, what
    // others keep alive ends by news: its grant says only how far it was kept then.
    Nanos end = kNever, askedAt = kNever;
    for (std::size_t i = 0; i < grants.size(); ++i) {
        const Grant& grant = grants[i];
        const Recipe& part = *m_core->parts[i];
        if (m_info.heldBy == HeldBy::Lease ? byLease(part) : toBeFollowed(part)) {
            end = std::min(end, endOf(grant));
            askedAt = std::min(askedAt, grant.askedAt);
        }
        whole.holds = std::min(whole.holds, grant.holds);
        if (!whole.value.isEmpty()) whole.value += ',';
        whole.value += grant.value;
    }
    if (m_info.heldBy != HeldBy::Nothing) {
        whole.askedAt = askedAt;
        whole.lease = end == kNever ? kNever : end - askedAt;
    }
    whole.steps.at(Step::Hold);
    auto& followed = m_core->followed;
    std::erase_if(followed, [](const auto& known) { return known.second.expired(); });
    if (request.held > 0 && whole.holds > 1 && request.mode != Mode::Permit) {
        // One hold more of what is followed already: of each part's news there is one listener.
        const auto known = followed.find({request.thread, request.mode});
        const auto handle = known == followed.end() ? nullptr : known->second.lock();
        if (handle && !handle->own->lost && !handle->own->following.stop_requested()) {
            handle->own->grants = std::move(grants);
            whole.own = handle;
            return whole;
        }
    }
    const auto own = std::make_shared<Own>(std::move(grants));
    const auto handle = std::make_shared<const MultiHold>(own);
    whole.own = handle;
    bool any = false;
    for (std::size_t i = 0; i < m_core->parts.size(); ++i) {
        if (!toBeFollowed(*m_core->parts[i])) continue;
        own->latest[i].until = endOf(own->grants[i]);
        if (m_info.news && own->latest[i].until != kNever) own->told = false;
        watch(own, i);
        any = true;
    }
    if (any) followed[{request.thread, request.mode}] = handle;
    return whole;
}

void MultiRecipe::watch(const std::shared_ptr<Own>& own, std::size_t part) {
    m_core->runtime.spawn([core = m_core, own, part] { return follow(core, own, part); });
}

QCoro::Task<> MultiRecipe::follow(std::shared_ptr<Core> core, std::shared_ptr<Own> own, std::size_t part) {
    const std::stop_token stop = own->following.get_token();
    for (;;) {
        const Grant grant = own->grants[part];
        const auto news = co_await core->parts[part]->news(grant, stop);
        if (stop.stop_requested()) co_return;
        HoldNews heard;
        if (news) {
            heard = *news;
        } else {
            heard.kind = HoldNews::Kind::Lost;
            heard.reason = QT_TRANSLATE_NOOP("Lock", "nothing can be heard of a part of it any more");
        }
        const bool over = heard.kind == HoldNews::Kind::Lost;
        own->lost = own->lost || over;
        own->latest[part] = heard;
        own->told = false;
        own->arrived.release();
        if (over) co_return;
    }
}

Outcome<bool> MultiRecipe::renew(Grant grant, std::stop_token stop) {
    const std::shared_ptr<Own> own = partsOf(grant);
    bool kept = !own->lost;
    for (std::size_t i = 0; kept && i < own->grants.size(); ++i) {
        Recipe& part = *m_core->parts[i];
        if (!byLease(part)) continue;
        const auto renewed = co_await part.renew(own->grants[i], stop);
        if (!renewed) co_return std::unexpected(renewed.error());
        kept = *renewed;
    }
    if (kept && !own->lost) co_return true;
    giveUpBeside(own);
    co_return false;
}

Outcome<HoldNews> MultiRecipe::news(Grant grant, std::stop_token stop) {
    const std::shared_ptr<Own> own = partsOf(grant);
    while (own->told)
        co_await own->arrived.acquire(m_core->runtime, kNever, stop);
    own->told = true;
    own->arrived.drain();
    const HoldNews heard = own->news();
    if (heard.kind == HoldNews::Kind::Lost) giveUpBeside(own);
    co_return heard;
}

CallList::Registration MultiRecipe::onReconnect(CallList::Callback ask) {
    const auto all = std::make_shared<std::vector<CallList::Registration>>();
    for (const std::unique_ptr<Recipe>& part : m_core->parts) {
        if (byLease(*part)) all->push_back(part->onReconnect(ask));
    }
    return all;
}

bool MultiRecipe::listens() const {
    return std::ranges::any_of(m_core->parts, [](const auto& part) { return byLease(*part) && part->listens(); });
}

Outcome<void> MultiRecipe::listen(Grant grant, CallList::Callback ask, std::stop_token stop) {
    const std::shared_ptr<Own> own = partsOf(grant);
    std::vector<Outcome<void>> all;
    for (std::size_t i = 0; i < own->grants.size(); ++i) {
        Recipe& part = *m_core->parts[i];
        if (byLease(part) && part.listens()) all.push_back(part.listen(own->grants[i], ask, stop));
    }
    const std::expected<void, LockError> ended = co_await untilAllEnd(std::move(all));
    co_return ended;
}

Outcome<int> MultiRecipe::release(Grant grant, std::stop_token) {
    const std::shared_ptr<Own> own = partsOf(grant);
    grant.steps.at(Step::Release);
    if (grant.holds <= 1) own->following.request_stop();
    // Every part is given back, whatever becomes of the others; the first error is told.
    std::optional<LockError> failure;
    int left = 0;
    for (std::size_t i = own->grants.size(); i-- > 0;) {
        Grant mine = own->grants[i];
        if (m_info.reentrant) mine.holds = grant.holds;
        const auto one = co_await m_core->parts[i]->release(mine, {});
        if (one)
            left = std::max(left, *one);
        else if (!failure)
            failure = one.error();
    }
    if (!failure && left > 0)
        grant.steps.at(Step::Hold);
    else
        grant.steps.leave();
    if (failure) co_return std::unexpected(*failure);
    co_return left;
}

Outcome<bool> MultiRecipe::forceRelease(std::stop_token stop) {
    bool any = false;
    std::optional<LockError> failure;
    for (const std::unique_ptr<Recipe>& part : m_core->parts) {
        const auto freed = co_await part->forceRelease(stop);
        if (freed)
            any = any || *freed;
        else if (!failure)
            failure = freed.error();
    }
    if (failure) co_return std::unexpected(*failure);
    co_return any;
}

Outcome<bool> MultiRecipe::isLocked(std::stop_token stop) {
    std::optional<LockError> failure;
    for (const std::unique_ptr<Recipe>& part : m_core->parts) {
        const auto held = co_await part->isLocked(stop);
        if (held && *held) co_return true; // whatever is to be said of the others
        if (!held && !failure) failure = held.error();
    }
    if (failure) co_return std::unexpected(*failure);
    co_return false;
}

Outcome<std::vector<HolderInfo>> MultiRecipe::holders(std::stop_token) {
    co_return std::unexpected(LockError{
        LockError::Kind::NotSupported,
        QCoreApplication::translate("LockError", "%1: each of them has its holder. Ask for the locks one by one.")
            .arg(m_info.summary)});
}

void MultiRecipe::abandoned(const Grant& grant) {
    const std::shared_ptr<Own> own = partsOf(grant);
    own->following.request_stop();
    for (std::size_t i = 0; i < own->grants.size(); ++i) {
        Grant mine = own->grants[i];
        if (m_info.reentrant) mine.holds = grant.holds;
        m_core->parts[i]->abandoned(mine);
    }
}

void MultiRecipe::overdue(const Grant& grant) {
    const std::shared_ptr<Own> own = partsOf(grant);
    for (Grant& mine : own->grants) {
        if (m_info.reentrant) mine.holds = grant.holds;
    }
    m_core->runtime.spawn([core = m_core, own] { return giveAllUp(core, own); });
}

std::vector<std::int64_t> MultiRecipe::tokensOf(const Grant& grant) const {
    const std::shared_ptr<Own> own = partsOf(grant);
    std::vector<std::int64_t> tokens;
    for (std::size_t i = 0; i < own->grants.size(); ++i) {
        const std::size_t part = m_tokens.order.empty() ? i : m_tokens.order[i];
        tokens.push_back(m_core->parts[part]->info().token ? own->grants[part].token : 0);
    }
    return tokens;
}

} // namespace lockscope::recipes
