// SPDX-License-Identifier: Apache-2.0
#include "ports/redis/port.h"

#include "ports/redis/client.h"

namespace lockscope::redis {

Args evalArgs(const char* command, const QByteArray& script, const Args& keys, const Args& args) {
    Args all;
    all.reserve(3 + keys.size() + args.size());
    all.push_back(QByteArray::fromRawData(command, qsizetype(qstrlen(command))));
    all.push_back(script);
    all.push_back(keys.size() == 1 ? argOf("1") : QByteArray::number(qulonglong(keys.size())));
    all.insert(all.end(), keys.begin(), keys.end());
    all.insert(all.end(), args.begin(), args.end());
    return all;
}

bool isUnknownScript(const Error& error) {
    return error.kind == Error::Kind::Refused && error.code == "NOSCRIPT";
}

QCoro::Task<std::vector<Result>> Port::callAll(std::vector<Args> commands, std::stop_token stop) {
    std::vector<QCoro::Task<Result>> calls;
    calls.reserve(commands.size());
    for (Args& command : commands)
        calls.push_back(call(std::move(command), stop));
    std::vector<Result> results;
    results.reserve(calls.size());
    for (QCoro::Task<Result>& one : calls)
        results.push_back(co_await std::move(one));
    co_return results;
}

QCoro::Task<Result> Port::callOver(std::uint32_t, Args args, std::stop_token stop) {
    return call(std::move(args), std::move(stop));
}

QCoro::Task<Result> evalOver(Ask ask, const Script& script, Args keys, Args args, std::stop_token stop) {
    // The script may be gone by the time of the answer; what EVAL needs of it is shared, not copied.
    // NOLINTNEXTLINE(performance-unnecessary-copy-initialization)
    const QByteArray source = script.source();
    Args byHash = evalArgs("EVALSHA", script.sha1(), keys, args);
    Result result = co_await ask(std::move(byHash), stop);
    if (result || !isUnknownScript(result.error())) co_return result;
    // EVAL also caches, so the next call is short again: no SCRIPT LOAD is needed, and none could be lost half-way.
    Args bySource = evalArgs("EVAL", source, keys, args);
    result = co_await ask(std::move(bySource), stop);
    co_return result;
}

QCoro::Task<Result> Port::eval(const Script& script, Args keys, Args args, std::stop_token stop) {
    Ask ask = [this](Args command, std::stop_token once) { return call(std::move(command), std::move(once)); };
    return evalOver(std::move(ask), script, std::move(keys), std::move(args), std::move(stop));
}

QCoro::Task<std::expected<OwnedSubscription, Error>> Client::subscribePattern(QByteArray /*pattern*/,
                                                                              std::stop_token /*stop*/) {
    co_return std::unexpected(Error{Error::Kind::Unreachable, {}, where()});
}

QCoro::Task<std::expected<OwnedChangeFeed, Error>> Client::changeFeed(std::stop_token /*stop*/) {
    co_return std::unexpected(Error{Error::Kind::Refused, {}, where()});
}

} // namespace lockscope::redis
