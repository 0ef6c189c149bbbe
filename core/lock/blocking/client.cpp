// SPDX-License-Identifier: Apache-2.0
#include "lock/blocking/client.h"

#include "lock/blocking/service.h"

#include <QCoreApplication>
#include <mutex>
#include <thread>

namespace lockscope::blocking {

namespace {
ConnectionUrl read(std::string_view text) {
    auto url = parseConnectionUrl(QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())));
    if (!url) throw std::invalid_argument(url.error().toStdString());
    return *std::move(url);
}

/// Qt's event loops, timers and database drivers want an application object somewhere, in whichever thread; nobody has
/// to run it. It stays until the program ends.
void ensureApplication() {
    static std::once_flag once;
    std::call_once(once, [] {
        if (QCoreApplication::instance()) return;
        static int count = 1;
        static char name[] = "lockscope";
        static char* words[] = {name, nullptr};
        static QCoreApplication* const application = new QCoreApplication(count, words);
        Q_UNUSED(application)
    });
}

std::shared_ptr<detail::Service> startService(const ConnectionUrl& url, const std::string& identity) {
    ensureApplication();
    // Whoever lets go of it last may be a callback on its own thread, which cannot wait for its own end.
    const auto end = [](detail::Service* service) {
        if (service->onOwnThread())
            std::thread([service] { delete service; }).detach();
        else
            delete service;
    };
    return {new detail::Service(url, QByteArray::fromStdString(identity)), end};
}
} // namespace

Client::Client(std::string_view url, const ClientOptions& options)
    : m_service(startService(read(url), options.identity)) {
    detail::Service& service = *m_service;
    service.call<bool>([&](std::stop_token stop) -> recipes::Outcome<bool> {
        const auto opened = co_await service.connection().open(stop);
        if (!opened) co_return std::unexpected(opened.error());
        co_return true;
    });
    if (options.prepare) prepare();
}

Client::~Client() {
    close();
}

std::string Client::identity() const {
    return m_service->identity().toStdString();
}

void Client::ping() {
    detail::Service& service = *m_service;
    service.call<bool>([&](std::stop_token stop) -> recipes::Outcome<bool> {
        const auto answered = co_await service.connection().ping(stop);
        if (!answered) co_return std::unexpected(answered.error());
        co_return true;
    });
}

std::string Client::schema() {
    detail::Service& service = *m_service;
    return service
        .call<QString>([&](std::stop_token) -> recipes::Outcome<QString> { co_return service.connection().schema(); })
        .toStdString();
}

void Client::prepare() {
    detail::Service& service = *m_service;
    service.call<bool>([&](std::stop_token stop) -> recipes::Outcome<bool> {
        const auto prepared = co_await service.connection().prepare(stop);
        if (!prepared) co_return std::unexpected(prepared.error());
        co_return true;
    });
}

void Client::close() noexcept {
    if (!m_service) return;
    if (!m_service->onOwnThread()) {
        m_service->close();
        return;
    }
    // The last owner was a callback. That thread cannot wait for its own end; whoever does keeps the service till then.
    std::thread([service = m_service] { service->close(); }).detach();
}

} // namespace lockscope::blocking
