// SPDX-License-Identifier: Apache-2.0
#include "sandbox/redis_question.h"

#include "runtime/completion.h"

#include <QNetworkProxy>
#include <QSslSocket>

namespace lockscope::sandbox {

namespace {

constexpr Nanos kAnswerLimit = 1s;
constexpr Nanos kBetweenQuestions = 25ms;

QByteArray encoded(const QByteArrayList& words) {
    QByteArray text = '*' + QByteArray::number(words.size()) + "\r\n";
    for (const QByteArray& word : words)
        text += '$' + QByteArray::number(word.size()) + "\r\n" + word + "\r\n";
    return text;
}

/// The first whole reply in the bytes, taken off them.
std::optional<QByteArray> takeReply(QByteArray& bytes) {
    const qsizetype end = bytes.indexOf("\r\n");
    if (end < 0) return std::nullopt;
    const QByteArray line = bytes.left(end);
    if (line.startsWith('$') && line != "$-1") {
        const qsizetype size = line.mid(1).toLongLong();
        if (bytes.size() < end + 2 + size + 2) return std::nullopt;
        const QByteArray text = bytes.mid(end + 2, size);
        bytes.remove(0, end + 2 + size + 2);
        return text;
    }
    bytes.remove(0, end + 2);
    return line.startsWith('-') || line.startsWith('*') ? line : line.mid(1);
}

} // namespace

QCoro::Task<std::optional<QByteArray>> askRedis(Runtime& runtime, RedisDoor door, QByteArrayList words,
                                                std::stop_token stop) {
    const Completion<std::optional<QByteArray>> answered;
    QSslSocket socket;
    QByteArray received;
    int skip = door.password.isEmpty() ? 0 : 1; // the answer to AUTH
    socket.setProxy(QNetworkProxy::NoProxy);
    QObject::connect(&socket, &QSslSocket::errorOccurred, &socket, [answered] { answered.complete(std::nullopt); });
    const auto ask = [&] {
        if (!door.password.isEmpty()) socket.write(encoded({"AUTH", door.password.toUtf8()}));
        socket.write(encoded(words));
    };
    QObject::connect(&socket, &QSslSocket::readyRead, &socket, [&] {
        received += socket.readAll();
        while (const auto reply = takeReply(received)) {
            if (skip-- == 0) answered.complete(*reply);
        }
    });
    if (door.tls) {
        socket.setSslConfiguration(*door.tls);
        QObject::connect(&socket, &QSslSocket::encrypted, &socket, ask);
        socket.connectToHostEncrypted(QStringLiteral("127.0.0.1"), door.port);
    } else {
        QObject::connect(&socket, &QSslSocket::connected, &socket, ask);
        socket.connectToHost(QStringLiteral("127.0.0.1"), door.port);
    }
    const std::optional<std::optional<QByteArray>> answer =
        co_await answered.wait(runtime, kAnswerLimit, std::move(stop));
    socket.disconnect();
    co_return answer.value_or(std::nullopt);
}

QCoro::Task<bool> waitForAnswer(Runtime& runtime, RedisDoor door, QByteArrayList words, QByteArrayList texts,
                                Nanos limit, std::stop_token stop) {
    const Nanos end = runtime.monotonic() + limit;
    while (runtime.monotonic() < end) {
        const std::optional<QByteArray> answer = co_await askRedis(runtime, door, words, stop);
        if (answer && std::ranges::all_of(texts, [&](const QByteArray& text) { return answer->contains(text); }))
            co_return true;
        co_await runtime.sleep(kBetweenQuestions, stop);
    }
    co_return false;
}

QCoro::Task<std::expected<void, QString>> allOf(std::vector<QCoro::Task<std::expected<void, QString>>> tasks) {
    std::expected<void, QString> all;
    for (auto& task : tasks) {
        const std::expected<void, QString> one = co_await std::move(task);
        if (all && !one) all = one;
    }
    co_return all;
}

} // namespace lockscope::sandbox
