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

/// The services that there are, and the application object that their threads' event loops need.
class Services {
public:
    static Services& all() {
        static Services services;
        return services;
    }
    /// Qt's event loops, timers and database drivers want an application object somewhere, in whichever thread; nobody
    /// has to run it. One that is made here stays until the program ends.
    void ensureApplication() {
        const std::lock_guard lock(m_lock);
        if (!QCoreApplication::instance()) {
            static int count = 1;
            static char name[] = "lockscope";
            static char* words[] = {name, nullptr};
            new QCoreApplication(count, words);
        }
        if (!std::exchange(m_watchesApplication, true)) qAddPostRoutine([] { all().endAll(); });
    }
    void add(const std::shared_ptr<detail::Service>& service) {
        const std::lock_guard lock(m_lock);
        std::erase_if(m_services, [](const auto& known) { return known.expired(); });
        m_services.push_back(service);
    }

private:
    /// The application object goes away: nobody would be told anything any more.
    void endAll() {
        std::vector<std::weak_ptr<detail::Service>> services;
        {
            const std::lock_guard lock(m_lock);
            services.swap(m_services);
            m_watchesApplication = false; // Qt has forgotten it with that one
        }
        for (const auto& known : services) {
            const auto service = known.lock();
            if (service && service->ofThisProcess()) service->end();
        }
    }
    std::mutex m_lock; ///< of what follows
    std::vector<std::weak_ptr<detail::Service>> m_services;
    bool m_watchesApplication = false;
};

std::shared_ptr<detail::Service> startService(const ConnectionUrl& url, const std::string& identity) {
    Services::all().ensureApplication();
    // Whoever lets go of it last may be a callback on its own thread, which cannot wait for its own end.
    const auto end = [](detail::Service* service) {
        if (service->onOwnThread())
            std::thread([service] { delete service; }).detach();
        else
            delete service;
    };
    std::shared_ptr<detail::Service> service(new detail::Service(url, QByteArray::fromStdString(identity)), end);
    Services::all().add(service);
    return service;
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
