// SPDX-License-Identifier: Apache-2.0
#include "sim/etcd/members.h"

#include "ports/etcd/errors.h"
#include "sim/probe.h"

namespace lockscope::sim {

namespace errors = etcd::errors;
using etcd::Error;
using Kind = Error::Kind;

EtcdWire::Members::Members(Grounds grounds, Lookup lookup, Runtime& r, trace::EntityId client, const ConnectionUrl& url)
    : runtime(r), m_grounds(grounds), m_lookup(std::move(lookup)), m_client(client), m_url(url) {
    url.takeTime("connect", m_options.connectTimeout);
    url.takeTime("timeout", m_options.requestTimeout);
}

std::shared_ptr<EtcdLink> EtcdWire::Members::link() {
    if (!m_link || m_link->over()) {
        EtcdServer* const server = m_lookup(m_url.endpoints[m_current]);
        m_link = std::make_shared<EtcdLink>(m_grounds, server, runtime, m_client, whereIs(m_current));
    }
    return m_link;
}

void EtcdWire::Members::giveUp(std::size_t member) {
    if (member != m_current) return; // somebody else was quicker
    m_current = (m_current + 1) % m_url.endpoints.size();
    const LinkPtr old = std::exchange(m_link, nullptr);
    if (!old) return;
    std::erase_if(m_former, [](const auto& former) { return former.expired(); });
    m_former.push_back(old);
    old->endWatches(); // they would wait in vain
}

void EtcdWire::Members::shutDown() {
    m_gone = true;
    std::vector<std::weak_ptr<EtcdLink>> all = std::exchange(m_former, {});
    all.emplace_back(std::exchange(m_link, nullptr));
    for (const auto& one : all)
        if (const LinkPtr link = one.lock()) link->close(errors::driverGone(link->where));
}

Nanos EtcdWire::Members::oneTry(Nanos left) const {
    const auto members = std::int64_t(m_url.endpoints.size());
    if (members == 1) return left;
    return std::min(left, std::max(m_options.shortestTry, m_options.requestTimeout / members));
}

etcd::Result<EtcdWire::Answer> EtcdWire::Members::ask(std::shared_ptr<Members> self, EtcdRequest request,
                                                      std::stop_token stop) {
    Runtime& runtime = self->runtime;
    if (!runtime.alive()) throw Cancelled(Cancelled::Why::Killed);
    if (stop.stop_requested()) throw Cancelled(Cancelled::Why::Stopped);
    if (self->m_grounds.network.strikes(self->m_client)) co_await Network::untilStruck(runtime);
    const etcd::DriverOptions options = self->m_options;
    const Nanos end = runtime.monotonic() + options.requestTimeout;
    const int members = int(self->m_url.endpoints.size());
    std::optional<Error> last;    // nothing: the time was over before a try was
    std::optional<Error> unknown; // of a try that may have run
    bool repeated = false;
    int unreachable = 0, silent = 0;
    Nanos pause = options.retryFirst;
    for (;;) {
        if (self->m_gone) co_return std::unexpected(errors::driverGone(self->where()));
        const Nanos left = end - runtime.monotonic();
        if (left <= Nanos(0)) break;
        const std::size_t member = self->m_current;
        const LinkPtr link = self->link();
        const Nanos toConnect = std::min(self->oneTry(left), options.connectTimeout);
        const EtcdLink::Opened opened = co_await EtcdLink::open(link, toConnect, stop);
        if (!opened) {
            last = opened.error();
            if (self->m_gone) break;
            self->giveUp(member);
            if (++unreachable >= members) break; // nobody is there
            continue;
        }
        const Nanos tryTime = self->oneTry(std::max(end - runtime.monotonic(), Nanos(1ms)));
        EtcdLink::Answer answer = co_await EtcdLink::ask(link, request, tryTime, stop);
        if (!answer) {
            Error failed = answer.error();
            failed.sent = true;
            if (failed.outcomeUnknown() || !unknown) unknown = failed;
            last = std::move(failed);
            repeated = true;
            if (self->m_gone) break;
            self->giveUp(member);
            if (++silent > members) break;
            continue;
        }
        if (answer->ok()) {
            if (repeated) reached(Probe::EtcdAskedAgain);
            Answer good{std::move(*answer), repeated};
            co_return good;
        }
        Error refused =
            errors::refused(answer->status, answer->code, QString::fromUtf8(answer->error), self->whereIs(member));
        refused.sent = true;
        // "Lease not found" and "lease exists" are true of all tries; any other refusal is about this try only.
        const bool ofAllTries = refused.kind == Kind::LeaseNotFound || refused.kind == Kind::LeaseExists;
        if (refused.kind != Kind::Unavailable) co_return std::unexpected(unknown && !ofAllTries ? *unknown : refused);
        unknown = refused;
        last = std::move(refused);
        repeated = true;
        if (members > 1) self->giveUp(member);
        const Nanos nap = std::min(pause, std::max(end - runtime.monotonic(), Nanos(0)));
        pause = std::min(pause * 2, options.retryLongest);
        co_await runtime.sleep(nap, stop); // as the real client: a member tells nobody when it is back
    }
    if (unknown) co_return std::unexpected(*unknown);
    if (!last) last = errors::connectTimeout(options.requestTimeout, self->where());
    co_return std::unexpected(*last);
}

etcd::Result<etcd::OwnedWatch> EtcdWire::Members::watch(std::shared_ptr<Members> self, EtcdRequest request,
                                                        std::stop_token stop) {
    Runtime& runtime = self->runtime;
    if (!runtime.alive()) throw Cancelled(Cancelled::Why::Killed);
    if (stop.stop_requested()) throw Cancelled(Cancelled::Why::Stopped);
    if (self->m_grounds.network.strikes(self->m_client)) co_await Network::untilStruck(runtime);
    const Nanos end = runtime.monotonic() + self->m_options.requestTimeout;
    Error last = errors::connectTimeout(self->m_options.requestTimeout, self->where());
    const int members = int(self->m_url.endpoints.size());
    for (int tries = 0; tries <= members; ++tries) {
        if (self->m_gone) co_return std::unexpected(errors::driverGone(self->where()));
        const Nanos left = end - runtime.monotonic();
        if (left <= Nanos(0)) break;
        const std::size_t member = self->m_current;
        const LinkPtr link = self->link();
        const Nanos toConnect = std::min(self->oneTry(left), self->m_options.connectTimeout);
        const EtcdLink::Opened opened = co_await EtcdLink::open(link, toConnect, stop);
        if (!opened) {
            last = opened.error();
            if (self->m_gone) break;
            self->giveUp(member);
            if (tries + 1 >= members) break;
            continue;
        }
        auto watch = std::make_unique<EtcdWatch>(link);
        const Nanos patience = self->oneTry(std::max(end - runtime.monotonic(), Nanos(1ms)));
        const auto started = co_await watch->start(request, patience, stop);
        if (started) co_return etcd::OwnedWatch(std::move(watch));
        last = started.error();
        if (!last.outcomeUnknown()) break;
        self->giveUp(member);
    }
    co_return std::unexpected(last);
}

} // namespace lockscope::sim
