// SPDX-License-Identifier: Apache-2.0
#include "connections/redis/sentinel_port.h"

#include "connections/redis/topology_errors.h"
#include "ports/redis/errors.h"

namespace lockscope::redis {

namespace {

constexpr Nanos kBetweenTries = 25ms;

/// Whether the server did not run the command, and another server, or this one later, would.
bool elsewhere(const Error& error) {
    using Kind = Error::Kind;
    if (error.kind == Kind::Refused)
        return error.code == "READONLY" || error.code == "MASTERDOWN" || error.code == "LOADING";
    return error.kind == Kind::Unreachable || error.kind == Kind::ConnectTimeout;
}

/// SentinelPort::call(): the port may go while we wait.
QCoro::Task<Result> callMaster(std::shared_ptr<SentinelWatch> watch, Args args, std::stop_token stop) {
    Runtime& runtime = watch->runtime();
    const QByteArray command = args.front();
    const Nanos begun = runtime.monotonic();
    const Nanos until = begun + watch->options().commandTimeout;
    for (;;) {
        const Nanos left = std::max(Nanos(0), until - runtime.monotonic());
        bool there = watch->master() != nullptr; // nearly always: that saves a coroutine
        if (!there) there = co_await watch->waitForMaster(left, stop);
        if (!there) co_return std::unexpected(watch->trouble(runtime.monotonic() - begun));
        const std::uint64_t era = watch->era();
        const Endpoint at = watch->masterAt();
        Result result = co_await watch->master()->call(args, stop);
        if (result || watch->closed()) co_return result;
        if (result.error().kind == Error::Kind::Disconnected && watch->era() != era)
            co_return std::unexpected(errors::masterReplaced(watch->masterName(), command, at.display()));
        if (!elsewhere(result.error())) co_return result;
        watch->leaveMaster(era);
        if (runtime.monotonic() >= until) co_return std::unexpected(watch->trouble(runtime.monotonic() - begun));
        // Until the failover is done, the search may find the same server again: pause between tries.
        co_await runtime.sleep(kBetweenTries, stop);
    }
}

} // namespace

SentinelPort::SentinelPort(Runtime& runtime, Dialler dial, const ConnectionUrl& url, DriverOptions options)
    : WatchedPort(std::make_shared<SentinelWatch>(runtime, std::move(dial), url, std::move(options))) {
    m_watch->start();
}

SentinelPort::~SentinelPort() {
    m_watch->close();
}

QCoro::Task<Result> SentinelPort::call(Args args, std::stop_token stop) {
    return callMaster(m_watch, std::move(args), std::move(stop));
}

QCoro::Task<Result> SentinelPort::callOver(std::uint32_t connection, Args args, std::stop_token stop) {
    if (connection == 0) co_return co_await call(std::move(args), std::move(stop));
    const std::shared_ptr<SentinelWatch> watch = m_watch;
    const QByteArray command = args.front();
    if (!watch->master()) co_return std::unexpected(errors::connectionGone(command, watch->masterAt().display()));
    co_return co_await watch->master()->callOver(connection, std::move(args), std::move(stop));
}

QCoro::Task<Result> SentinelPort::eval(const Script& script, Args keys, Args args, std::stop_token stop) {
    Ask ask = [watch = m_watch](Args command, std::stop_token once) {
        return callMaster(watch, std::move(command), std::move(once));
    };
    return evalOver(std::move(ask), script, std::move(keys), std::move(args), std::move(stop));
}

QCoro::Task<std::expected<void, Error>> SentinelPort::open(std::stop_token stop) {
    const std::shared_ptr<SentinelWatch> watch = m_watch;
    const Nanos limit = watch->options().searchTimeout.value_or(watch->options().commandTimeout);
    const bool there = co_await watch->waitForMaster(limit, std::move(stop));
    if (!there) co_return std::unexpected(watch->trouble(limit));
    co_return std::expected<void, Error>();
}

std::optional<Endpoint> SentinelPort::master() const {
    if (!m_watch->master()) return std::nullopt;
    return m_watch->masterAt();
}

} // namespace lockscope::redis
