// SPDX-License-Identifier: Apache-2.0
#include "sandbox/redis_masters.h"

#include "sandbox/redis_question.h"

#include <QUrl>

namespace lockscope::sandbox {

RedisMasters::RedisMasters(Runtime& runtime, int count, RedisServerOptions each) : m_options(std::move(each)) {
    for (int i = 0; i < count; ++i)
        m_servers.push_back(std::make_unique<RedisServer>(runtime, m_options));
}

QCoro::Task<std::expected<void, QString>> RedisMasters::start(std::stop_token stop) {
    std::vector<QCoro::Task<std::expected<void, QString>>> starts;
    for (const auto& server : m_servers)
        if (!server->running()) starts.push_back(server->start(stop));
    co_return co_await allOf(std::move(starts));
}

QString RedisMasters::url() const {
    QStringList hosts;
    for (const auto& server : m_servers)
        hosts += QStringLiteral("127.0.0.1:%1").arg(server->port());
    QString login;
    if (!m_options.password.isEmpty())
        login = u':' + QString::fromLatin1(QUrl::toPercentEncoding(m_options.password)) + u'@';
    return QStringLiteral("redlock://%1%2").arg(login, hosts.join(u','));
}

} // namespace lockscope::sandbox
