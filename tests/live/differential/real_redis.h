// SPDX-License-Identifier: Apache-2.0
// A real redis-server on loopback for one test, and plain blocking connections to it.
#pragma once
#include "ports/redis/reply.h"

#include <QCoreApplication>
#include <QProcess>
#include <QTcpServer>
#include <QTemporaryDir>
#include <hiredis/hiredis.h>
#include <memory>

namespace lockscope::differential {

class RealRedis {
public:
    ~RealRedis() {
        m_process.kill();
        m_process.waitForFinished();
    }
    /// True once the server says that it accepts connections.
    bool start() {
        // Below the ephemeral ports, so that nobody's outgoing connection takes the port meanwhile.
        for (m_port = 21000 + int(QCoreApplication::applicationPid() % 8000); m_port < 32000; ++m_port) {
            QTcpServer probe;
            if (probe.listen(QHostAddress::LocalHost, quint16(m_port))) break;
        }
        m_process.setProcessChannelMode(QProcess::MergedChannels);
        m_process.start(QStringLiteral("redis-server"),
                        {QStringLiteral("--port"), QString::number(m_port), QStringLiteral("--bind"),
                         QStringLiteral("127.0.0.1"), QStringLiteral("--save"), QString(),
                         QStringLiteral("--appendonly"), QStringLiteral("no"), QStringLiteral("--dir"),
                         m_folder.path()});
        QByteArray said;
        while (!said.contains("Ready to accept connections")) {
            if (!m_process.waitForReadyRead(10000)) return false;
            said += m_process.readAll();
        }
        return true;
    }
    int port() const { return m_port; }
    bool running() { return !m_process.waitForFinished(0) && m_process.state() == QProcess::Running; }

private:
    QTemporaryDir m_folder;
    QProcess m_process;
    int m_port = 0;
};

class RealClient {
public:
    explicit RealClient(int port) : m_context(redisConnectWithTimeout("127.0.0.1", port, {5, 0}), &redisFree) {
        if (ok()) redisSetTimeout(m_context.get(), {20, 0});
    }
    bool ok() const { return m_context && m_context->err == 0; }
    void send(const redis::Args& args) {
        std::vector<const char*> words;
        std::vector<std::size_t> sizes;
        for (const QByteArray& arg : args) {
            words.push_back(arg.constData());
            sizes.push_back(std::size_t(arg.size()));
        }
        redisAppendCommandArgv(m_context.get(), int(args.size()), words.data(), sizes.data());
    }
    redis::Reply receive() {
        void* raw = nullptr;
        if (redisGetReply(m_context.get(), &raw) != REDIS_OK)
            return redis::Reply::error(QByteArray("(no reply) ") + m_context->errstr);
        const std::unique_ptr<void, decltype(&freeReplyObject)> owner(raw, &freeReplyObject);
        return convert(static_cast<const redisReply*>(raw));
    }
    redis::Reply ask(const redis::Args& args) {
        send(args);
        return receive();
    }

private:
    static redis::Reply convert(const redisReply* reply) {
        const QByteArray text(reply->str, reply->str ? qsizetype(reply->len) : 0);
        switch (reply->type) {
        case REDIS_REPLY_STATUS:
            return redis::Reply::status(text);
        case REDIS_REPLY_ERROR:
            return redis::Reply::error(text);
        case REDIS_REPLY_INTEGER:
            return redis::Reply::number(reply->integer);
        case REDIS_REPLY_STRING:
            return redis::Reply::bulk(text);
        case REDIS_REPLY_ARRAY: {
            std::vector<redis::Reply> items;
            for (std::size_t i = 0; i < reply->elements; ++i)
                items.push_back(convert(reply->element[i]));
            return redis::Reply::array(std::move(items));
        }
        default:
            return redis::Reply::nil();
        }
    }
    std::unique_ptr<redisContext, decltype(&redisFree)> m_context;
};

} // namespace lockscope::differential
