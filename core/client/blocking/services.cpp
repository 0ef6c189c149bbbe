// SPDX-License-Identifier: Apache-2.0
#include "client/blocking/service.h"
#include "lock/warning.h"

#include <QCoreApplication>
#include <clocale>
#include <thread>

namespace lockscope::blocking::detail {

namespace {
/// The services that there are, and the application object that their threads' event loops need.
class Services {
public:
    static Services& all() {
        static auto& services = *new Services; // the application object may go when all that is static goes
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
            // Qt sets the locale from the environment, which is a program's own business.
            const char* const locale = std::setlocale(LC_ALL, nullptr);
            const std::string before = locale ? locale : "C";
            new QCoreApplication(count, words);
            std::setlocale(LC_ALL, before.c_str());
            lockscope::detail::adoptQtMessages();
        }
        if (!std::exchange(m_watchesApplication, true)) qAddPostRoutine([] { all().endAll(); });
    }
    void add(const std::shared_ptr<Service>& service) {
        const std::lock_guard lock(m_lock);
        std::erase_if(m_services, [](const auto& known) { return known.expired(); });
        m_services.push_back(service);
    }

private:
    /// The application object goes away: nobody would be told anything any more.
    void endAll() {
        std::vector<std::weak_ptr<Service>> services;
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
    std::vector<std::weak_ptr<Service>> m_services;
    bool m_watchesApplication = false;
};
} // namespace

std::shared_ptr<Service> startService(const SourceMaker& make) {
    Services::all().ensureApplication();
    // The last owner may be a callback on the service's own thread, which cannot wait for its own end.
    const auto end = [](Service* service) {
        if (service->onOwnThread())
            std::thread([service] { delete service; }).detach();
        else
            delete service;
    };
    std::shared_ptr<Service> service(new Service(make), end);
    Services::all().add(service);
    return service;
}

void closeService(const std::shared_ptr<Service>& service) {
    if (!service->onOwnThread()) {
        service->close();
        return;
    }
    // The last owner was a callback. That thread cannot wait for its own end; the waiting thread keeps the service till
    // then.
    std::thread([service] { service->close(); }).detach();
}

} // namespace lockscope::blocking::detail
