// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "watched_redis.h"

namespace lockscope::test {

/// A Redis of a test's own with accounts that may do less, and a client that may do everything.
class RestrictedRedis {
public:
    /// An account's name, and its rights as ACL SETUSER takes them.
    struct Account {
        const char* name;
        const char* rights;
    };
    RestrictedRedis(EventLoopRuntime& runtime, std::initializer_list<Account> accounts)
        : m_runtime(runtime), m_server(runtime, having(accounts)) {}
    RestrictedRedis(EventLoopRuntime& runtime, const char* rights) : RestrictedRedis(runtime, {{kReader, rights}}) {}
    /// Empty, or why it does not run.
    QString start() {
        const QString problem = test::start(m_server);
        if (problem.isEmpty()) m_writer = std::make_unique<RedisDriver>(m_runtime, urlOf(m_server));
        return problem;
    }
    RedisDriver& writer() const { return *m_writer; }
    /// One look of a watcher with that account.
    LockReport seenBy(const char* name = kReader) {
        ConnectionUrl url = urlOf(m_server);
        url.user = QLatin1String(name);
        url.password = kPassword;
        RedisDriver driver(m_runtime, url);
        RedisWatcher watcher(driver);
        return run(watcher.once());
    }

private:
    static constexpr char kReader[] = "reader";
    static inline const QString kPassword = QStringLiteral("secret");
    static RedisServerOptions having(std::initializer_list<Account> accounts) {
        RedisServerOptions options;
        for (const Account& account : accounts)
            options.users.push_back({QLatin1String(account.name), kPassword, QLatin1String(account.rights)});
        return options;
    }
    EventLoopRuntime& m_runtime;
    RedisServer m_server;
    std::unique_ptr<RedisDriver> m_writer;
};

} // namespace lockscope::test
