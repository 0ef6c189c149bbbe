// SPDX-License-Identifier: Apache-2.0
#include "client/blocking/access.h"
#include "client/blocking/history.h"
#include "client/blocking/service.h"
#include "client/connect.h"
#include "client/identity_claim.h"
#include "client/manager_servers.h"
#include "lock/manager/lock_manager.h"
#include "lock/manager/managed_condition.h"

namespace lockscope::blocking {

namespace {
/// Over the engines of a manager's namespaces.
class ManagedServers final : public detail::LockSource {
public:
    ManagedServers(std::unique_ptr<detail::HistoryWriter> writer, std::unique_ptr<LockManager> manager,
                   QByteArray identity, std::unique_ptr<IdentityClaim> claim)
        : m_writer(std::move(writer)),
          m_manager(std::move(manager)),
          m_identity(std::move(identity)),
          m_claim(std::move(claim)) {}
    LockManager& manager() { return *m_manager; }
    QByteArray identity() const override { return m_identity; }
    QByteArray kindOf(const detail::LockWish& wish) const override { return QByteArray::number(int(wish.mode)); }
    std::expected<Made, LockError> make(const detail::LockWish& wish) override {
        auto lock = m_manager->lockAs(wish.space, wish.name, wish.mode, wish.permits);
        if (!lock) return std::unexpected(lock.error());
        return Made{*std::move(lock), wish.mode == recipes::Mode::Permit ? "permits" : "holds"};
    }
    std::unique_ptr<AnyCondition> makeCondition(AnyLock& lock, const QByteArray&, const QByteArray&) override {
        return std::make_unique<ManagedCondition>(static_cast<ManagedLock&>(lock));
    }
    trace::Recorder* recorder() override { return m_writer ? &m_writer->recorder() : nullptr; }
    QCoro::Task<> close() override {
        co_await m_manager->close();
        m_claim.reset();
    }

private:
    std::unique_ptr<detail::HistoryWriter> m_writer; ///< outlives the manager, and with it the connections
    std::unique_ptr<LockManager> m_manager;
    QByteArray m_identity;
    std::unique_ptr<IdentityClaim> m_claim; ///< until it is closed
};

/// On the service's thread.
LockManager& managerOf(detail::Service& service) {
    return static_cast<ManagedServers&>(service.source()).manager();
}

QByteArray bytes(std::string_view text) {
    return {text.data(), static_cast<qsizetype>(text.size())};
}

std::shared_ptr<detail::Service> manage(const ManagerConfig& config, const ManagerOptions& options) {
    using Source = std::expected<std::unique_ptr<detail::LockSource>, LockError>;
    std::optional<QString> complaint;
    const auto make = [&](Runtime& runtime) -> Source {
        const std::string& identity = options.identity;
        const QByteArray client = identity.empty() ? runtime.randomUuid() : QByteArray::fromStdString(identity);
        std::unique_ptr<detail::HistoryWriter> writer;
        if (options.history) {
            auto made = detail::HistoryWriter::make(runtime, options.history);
            if (!made) return std::unexpected(made.error());
            writer = *std::move(made);
        }
        auto claim = IdentityClaim::make(client, serversOf(config));
        if (!claim) return std::unexpected(claim.error());
        auto manager =
            LockManager::make(runtime, config, makeConnection, client, writer ? &writer->recorder() : nullptr);
        if (manager) {
            return std::make_unique<ManagedServers>(std::move(writer), *std::move(manager), client, *std::move(claim));
        }
        complaint = manager.error();
        return std::unexpected(LockError{LockError::Kind::Refused, *complaint});
    };
    try {
        return detail::startService(make);
    } catch (const RefusedException&) {
        if (!complaint) throw;
        throwLockError({LockError::Kind::InvalidArgument, *complaint});
    }
}

/// Calls a function of the manager that changes an engine, and blocks until it ends.
void change(detail::Service& service, const std::function<recipes::Outcome<void>(LockManager&, std::stop_token)>& of,
            std::stop_token stop) {
    service.call<bool>(
        [&](std::stop_token stopped) -> recipes::Outcome<bool> {
            const auto changed = co_await of(managerOf(service), stopped);
            if (!changed) co_return std::unexpected(changed.error());
            co_return true;
        },
        std::move(stop));
}

ManagerConfig configOf(std::string_view json) {
    auto config = readManagerConfig(bytes(json));
    if (!config) throwLockError({LockError::Kind::InvalidArgument, config.error()});
    return *std::move(config);
}

ManagerEvent toldOf(const lockscope::ManagerEvent& event) {
    return {static_cast<ManagerEvent::Kind>(event.kind), event.space.toStdString(), event.engine.toStdString(),
            event.epoch, event.reason.toStdString()};
}
using Inner = lockscope::ManagerEvent::Kind;
static_assert(int(ManagerEvent::Kind::Unhealthy) == int(Inner::Unhealthy) &&
              int(ManagerEvent::Kind::Healthy) == int(Inner::Healthy) &&
              int(ManagerEvent::Kind::Leaving) == int(Inner::Leaving) &&
              int(ManagerEvent::Kind::InUse) == int(Inner::InUse) &&
              int(ManagerEvent::Kind::Refused) == int(Inner::Refused));

} // namespace

Manager::Manager(std::string_view json, const ManagerOptions& options)
    : Manager(detail::Access::manager(configOf(json), options)) {
}

Manager detail::Access::manager(const ManagerConfig& config, const ManagerOptions& options) {
    Manager made;
    made.m_service = manage(config, options);
    if (options.prepare) made.prepare();
    detail::Service& service = *made.m_service;
    const Nanos patience = options.patience;
    const bool started = service.call<bool>([&](std::stop_token stop) -> recipes::Outcome<bool> {
        co_return co_await managerOf(service).start(patience, stop);
    });
    if (started) return made;
    made.close();
    lockscope::throwLockError(startedTooLate(patience));
}

Manager::~Manager() {
    close();
}

std::string Manager::identity() const {
    return m_service->identity().toStdString();
}

void Manager::prepare() {
    detail::Service& service = *m_service;
    service.call<bool>([&](std::stop_token stop) -> recipes::Outcome<bool> {
        const auto prepared = co_await managerOf(service).prepare(stop);
        if (!prepared) co_return std::unexpected(prepared.error());
        co_return true;
    });
}

void Manager::switchTo(std::string_view space, int engine, std::stop_token stop) {
    change(
        *m_service,
        [&](LockManager& manager, std::stop_token stopped) {
            return manager.switchTo(bytes(space), engine, std::move(stopped));
        },
        std::move(stop));
}

void Manager::switchTo(std::string_view space, int engine, SwitchMode mode, std::stop_token stop) {
    change(
        *m_service,
        [&](LockManager& manager, std::stop_token stopped) {
            return manager.switchTo(bytes(space), engine, mode, std::move(stopped));
        },
        std::move(stop));
}

void Manager::failBack(std::string_view space, std::stop_token stop) {
    change(
        *m_service,
        [&](LockManager& manager, std::stop_token stopped) {
            return manager.failBack(bytes(space), std::move(stopped));
        },
        std::move(stop));
}

void Manager::reload(std::string_view json) {
    detail::Access::reload(*this, configOf(json));
}

void detail::Access::reload(Manager& manager, const ManagerConfig& config) {
    detail::Service& service = *manager.m_service;
    const auto complaint =
        service.call<std::optional<QString>>([&](std::stop_token) -> recipes::Outcome<std::optional<QString>> {
            co_return managerOf(service).reload(config);
        });
    if (complaint) throwLockError({LockError::Kind::InvalidArgument, *complaint});
}

void Manager::watchFile(const std::string& path) {
    detail::Service& service = *m_service;
    const auto complaint =
        service.call<std::optional<QString>>([&](std::stop_token) -> recipes::Outcome<std::optional<QString>> {
            co_return managerOf(service).watchFile(QString::fromStdString(path));
        });
    if (complaint) throwLockError({LockError::Kind::InvalidArgument, *complaint});
}

ManagerStatus Manager::status(std::string_view space) {
    detail::Service& service = *m_service;
    ManagerStatus none;
    none.closed = true;
    if (service.closed()) return none;
    try {
        return service.call<ManagerStatus>([&](std::stop_token) -> recipes::Outcome<ManagerStatus> {
            const LockManager::Status now = managerOf(service).status(bytes(space));
            ManagerStatus status;
            status.epoch = now.epoch;
            status.engine = now.engine.toStdString();
            status.usable = now.usable;
            status.healthy = now.healthy;
            co_return status;
        });
    } catch (const LockException&) {
        if (!service.closed()) throw;
        return none; // another thread has closed it meanwhile
    }
}

void Manager::onEvent(std::function<void(const ManagerEvent&)> listener) {
    detail::Service& service = *m_service;
    service.call<bool>([&](std::stop_token) -> recipes::Outcome<bool> {
        if (!listener)
            managerOf(service).listen(nullptr);
        else
            managerOf(service).listen(
                [listener = std::move(listener)](const lockscope::ManagerEvent& event) { listener(toldOf(event)); });
        co_return true;
    });
}

void Manager::close() noexcept {
    if (m_service) detail::closeService(m_service);
}

} // namespace lockscope::blocking
