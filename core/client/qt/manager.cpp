// SPDX-License-Identifier: Apache-2.0
#include "client/connect.h"
#include "client/manager_servers.h"
#include "client/qt/connection_impl.h"
#include "client/qt/translated.h"
#include "lock/manager/lock_manager.h"

#include <QCoreApplication>
#include <lockscope/qt/manager.h>

namespace lockscope::qt {

struct Manager::Impl final : Backing {
    std::unique_ptr<LockManager> manager;
    QByteArray identity;
};

LockManager& Inside::manager(const Manager& manager) {
    return *manager.m_impl->manager;
}

std::shared_ptr<Backing> Inside::backing(const Manager& manager) {
    return manager.m_impl;
}

namespace {
std::unexpected<Error> wrong(const QString& complaint) {
    return std::unexpected(Error{ErrorKind::InvalidArgument, complaint});
}

ManagerEvent toldOf(const lockscope::ManagerEvent& event) {
    return {static_cast<ManagerEvent::Kind>(event.kind), QString::fromUtf8(event.space),
            QString::fromUtf8(event.engine), event.epoch, event.reason};
}

recipes::Outcome<void> started(LockManager& manager, Nanos patience, std::stop_token stop) {
    const bool inUse = co_await manager.start(patience, std::move(stop));
    if (inUse) co_return std::expected<void, LockError>();
    co_return std::unexpected(startedTooLate(patience));
}

recipes::Outcome<void> closed(std::shared_ptr<Backing> kept, LockManager& manager) {
    co_await manager.close();
    kept->claim.reset();
    co_return std::expected<void, LockError>();
}
} // namespace

std::expected<std::unique_ptr<Manager>, Error> Manager::make(const QByteArray& json, const QString& identity) {
    const auto config = readManagerConfig(json);
    if (!config) return wrong(config.error());
    auto impl = Backing::make<Impl>();
    impl->ground = std::make_shared<Ground>();
    const QByteArray client = identity.isEmpty() ? impl->runtime().randomUuid() : identity.toUtf8();
    auto claim = IdentityClaim::make(client, serversOf(*config));
    if (!claim) return std::unexpected(toldOf(claim.error()));
    impl->claim = *std::move(claim);
    auto manager = LockManager::make(impl->runtime(), *config, makeConnection, client);
    if (!manager) return wrong(manager.error());
    impl->manager = *std::move(manager);
    impl->identity = client;
    return std::unique_ptr<Manager>(new Manager(std::move(impl)));
}

Manager::Manager(std::shared_ptr<Impl> impl) : m_impl(std::move(impl)) {
}

Manager::~Manager() {
    m_impl->manager->listen(nullptr);
}

Outcome<void> Manager::start(std::chrono::nanoseconds patience, std::stop_token stop) {
    return told(started(*m_impl->manager, patience, std::move(stop)), m_impl);
}

Outcome<void> Manager::prepare(std::stop_token stop) {
    return told(m_impl->manager->prepare(std::move(stop)), m_impl);
}

Outcome<void> Manager::switchTo(const QString& space, int engine, std::optional<SwitchMode> mode,
                                std::stop_token stop) {
    return told(m_impl->manager->switchTo(space.toUtf8(), engine, mode, std::move(stop)), m_impl);
}

Outcome<void> Manager::failBack(const QString& space, std::stop_token stop) {
    return told(m_impl->manager->failBack(space.toUtf8(), std::move(stop)), m_impl);
}

std::expected<void, Error> Manager::reload(const QByteArray& json) {
    const auto config = readManagerConfig(json);
    if (!config) return wrong(config.error());
    if (const auto complaint = m_impl->manager->reload(*config)) return wrong(*complaint);
    return {};
}

std::expected<void, Error> Manager::watchFile(const QString& path) {
    if (const auto complaint = m_impl->manager->watchFile(path)) return wrong(*complaint);
    return {};
}

ManagerStatus Manager::status(const QString& space) const {
    const LockManager::Status now = m_impl->manager->status(space.toUtf8());
    return {now.epoch, QString::fromUtf8(now.engine), now.usable, now.healthy};
}

void Manager::onEvent(std::function<void(const ManagerEvent& event)> listener) {
    if (!listener)
        m_impl->manager->listen(nullptr);
    else
        m_impl->manager->listen(
            [listener = std::move(listener)](const lockscope::ManagerEvent& event) { listener(toldOf(event)); });
}

Outcome<void> Manager::close() {
    return told(closed(m_impl, *m_impl->manager));
}

QString Manager::identity() const {
    return QString::fromUtf8(m_impl->identity);
}

} // namespace lockscope::qt
