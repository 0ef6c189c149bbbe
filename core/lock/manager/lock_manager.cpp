// SPDX-License-Identifier: Apache-2.0
#include "lock/manager/lock_manager.h"

#include "connections/wrong_permits.h"
#include "lock/listener_call.h"
#include "lock/manager/namespace.h"

#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>
#include <QFileSystemWatcher>

namespace lockscope {

using detail::Namespace;

std::expected<std::unique_ptr<LockManager>, QString> LockManager::make(Runtime& runtime, ManagerConfig config,
                                                                       const Connector& connector, QByteArray client,
                                                                       trace::Recorder* recorder,
                                                                       trace::EntityId self) {
    if (const auto complaint = complaintOf(config)) return std::unexpected(*complaint);
    const QByteArray identity = client.isEmpty() ? runtime.randomUuid() : std::move(client);
    if (recorder && self == trace::kNoEntity) self = recorder->trace().intern(trace::EntityKind::Client, identity);
    std::unique_ptr<LockManager> manager(new LockManager(runtime, recorder));
    for (const NamespaceConfig& one : config.namespaces) {
        auto space = std::make_shared<Namespace>(runtime, one, identity, recorder, self, connector);
        if (const auto complaint = space->complaint()) return std::unexpected(*complaint);
        manager->m_spaces.emplace(one.name, std::move(space));
    }
    return manager;
}

LockManager::LockManager(Runtime& runtime, trace::Recorder* recorder) : m_runtime(runtime), m_recorder(recorder) {
}

LockManager::~LockManager() {
    for (const auto& [name, space] : m_spaces)
        space->end();
}

QCoro::Task<> LockManager::close() {
    const auto spaces = m_spaces; // the manager itself may go away while we wait
    std::vector<QCoro::Task<>> closing;
    closing.reserve(spaces.size());
    for (const auto& [name, space] : spaces)
        closing.push_back(detail::Namespace::close(space));
    for (const QCoro::Task<>& one : closing)
        co_await one;
}

QCoro::Task<bool> LockManager::start(Nanos patience, std::stop_token stop) {
    Runtime& runtime = m_runtime;
    const Nanos until = laterBy(runtime.monotonic(), patience);
    const auto spaces = m_spaces; // the manager itself may go away while we wait
    for (const auto& [name, space] : spaces)
        space->begin();
    for (const auto& [name, space] : spaces) {
        while (space->usable() == 0) {
            const Nanos left = until == kNever ? kNever : until - runtime.monotonic();
            if (left <= Nanos(0) || space->stopped()) co_return false;
            co_await space->changed(left, stop);
        }
    }
    co_return true;
}

LockManager::Outcome<void> LockManager::prepare(std::stop_token stop) {
    const auto spaces = m_spaces; // the manager itself may go away while we wait
    std::optional<LockError> first;
    for (const auto& [name, space] : spaces) {
        const auto prepared = co_await detail::Namespace::prepare(space, stop);
        if (!prepared && !first) first = prepared.error();
    }
    if (first) co_return std::unexpected(*first);
    co_return {};
}

std::unique_ptr<ManagedLock> LockManager::lock(const QByteArray& space, QByteArray name) {
    const auto found = m_spaces.find(space);
    if (found == m_spaces.end()) return nullptr;
    return std::unique_ptr<ManagedLock>(new ManagedLock(found->second, std::move(name), 1));
}

namespace {
LockError noSuchNamespace(const QByteArray& space) {
    return {LockError::Kind::Refused,
            QCoreApplication::translate("LockManager", "There is no namespace “%1” in the configuration.")
                .arg(QString::fromUtf8(space))};
}
} // namespace

std::expected<std::unique_ptr<ManagedLock>, LockError> LockManager::lockAs(const QByteArray& space, QByteArray name,
                                                                           recipes::Mode mode, int permits) {
    const auto found = m_spaces.find(space);
    if (found == m_spaces.end()) return std::unexpected(noSuchNamespace(space));
    if (const auto lacking = found->second->lackOf(mode)) return std::unexpected(*lacking);
    if (auto wrong = wrongPermits(name, permits)) return std::unexpected(*std::move(wrong));
    return std::unique_ptr<ManagedLock>(new ManagedLock(found->second, std::move(name), permits));
}

LockManager::Outcome<void> LockManager::switchTo(QByteArray space, int engine, std::stop_token stop) {
    return switchTo(std::move(space), engine, std::nullopt, std::move(stop));
}

LockManager::Outcome<void> LockManager::failBack(QByteArray space, std::stop_token stop) {
    return switchTo(std::move(space), 0, std::move(stop));
}

LockManager::Outcome<void> LockManager::switchTo(QByteArray space, int engine, std::optional<SwitchMode> mode,
                                                 std::stop_token stop) {
    const auto found = m_spaces.find(space);
    if (found == m_spaces.end()) co_return std::unexpected(noSuchNamespace(space));
    if (engine < 0 || engine >= int(found->second->config().engines.size())) {
        co_return std::unexpected(LockError{
            LockError::Kind::Refused, QCoreApplication::translate("LockManager", "The namespace “%1” has no engine %2.")
                                          .arg(QString::fromUtf8(space), QString::number(engine))});
    }
    const std::shared_ptr<Namespace> kept = found->second;
    const QByteArray id = kept->config().engines[static_cast<std::size_t>(engine)].id();
    co_return co_await kept->propose(id, detail::SwitchReason::Hand, stop, mode);
}

std::optional<QString> LockManager::reload(const ManagerConfig& config) {
    if (const auto complaint = complaintOf(config)) return complaint;
    for (const auto& [name, space] : m_spaces) {
        if (std::ranges::find(config.namespaces, name, &NamespaceConfig::name) == config.namespaces.end()) {
            return QCoreApplication::translate("LockManager",
                                               "The namespace “%1” is in use and not in the new configuration. Leave "
                                               "it there, or start this process anew without it.")
                .arg(QString::fromUtf8(name));
        }
    }
    for (const NamespaceConfig& one : config.namespaces) {
        const auto found = m_spaces.find(one.name);
        if (found == m_spaces.end() || !found->second->sameServers(one)) {
            return QCoreApplication::translate(
                       "LockManager", "The namespace “%1” is new, or names other servers or other recipes on them than "
                                      "before. All processes agree on one of those: end them all, then start "
                                      "them with the new configuration.")
                .arg(QString::fromUtf8(one.name));
        }
        if (!found->second->sameConnections(one)) {
            return QCoreApplication::translate(
                       "LockManager", "The namespace “%1” reaches its servers in another way than before: by another "
                                      "password, certificate or option in a URL. Connections that there are stay as "
                                      "they are: end this process, then start it with the new configuration.")
                .arg(QString::fromUtf8(one.name));
        }
        if (!found->second->sameTimes(one)) {
            return QCoreApplication::translate(
                       "LockManager", "The namespace “%1” has another switch mode, drain-for, confirm-for or lease "
                                      "than before. Processes wait for each other as long as those say: end them all, "
                                      "then start them with the new configuration.")
                .arg(QString::fromUtf8(one.name));
        }
        if (const auto complaint = found->second->complaintOf(one)) return complaint;
    }
    for (const NamespaceConfig& one : config.namespaces)
        m_spaces[one.name]->reconfigure(one);
    return std::nullopt;
}

std::optional<QString> LockManager::watchFile(const QString& path) {
    m_path = path;
    m_watcher = std::make_unique<QFileSystemWatcher>();
    // Not from inside the watcher's own calls: a listener that is told may drop this manager, and it with that.
    QObject::connect(
        m_watcher.get(), &QFileSystemWatcher::fileChanged, m_watcher.get(), [this] { fileChanged(); },
        Qt::QueuedConnection);
    QObject::connect(
        m_watcher.get(), &QFileSystemWatcher::directoryChanged, m_watcher.get(), [this] { folderChanged(); },
        Qt::QueuedConnection);
    m_watcher->addPath(QFileInfo(path).absolutePath());
    return readFile();
}

std::optional<QString> LockManager::readFile() {
    // Anew, because another file may have been put in its place; and before it is read: what changes then is told.
    m_watcher->removePath(m_path);
    m_watcher->addPath(m_path);
    m_target = QFileInfo(m_path).canonicalFilePath();
    QFile file(m_path);
    if (!file.open(QIODevice::ReadOnly))
        return QCoreApplication::translate("LockManager", "%1 cannot be read: %2.").arg(m_path, file.errorString());
    const auto config = readManagerConfig(file.readAll());
    return config ? reload(*config) : config.error();
}

void LockManager::fileChanged() {
    // It may be seen half written: the change that completes it is told, too.
    const auto complaint = readFile();
    if (complaint && m_recorder) {
        m_recorder->emit(trace::EventKind::SettingChanged, trace::kNoEntity, trace::kNoEntity, 0,
                         m_recorder->trace().text("manager refused file=" + m_path.toUtf8()));
    }
    const auto current = m_listener; // a call of it may replace it
    if (complaint && current)
        detail::callListener(current, ManagerEvent{ManagerEvent::Kind::Refused, {}, {}, 0, *complaint});
}

void LockManager::folderChanged() {
    // A file that was taken away is not watched any more, nor is what a link is made to name instead of another file;
    // the folder tells of both.
    const QString target = QFileInfo(m_path).canonicalFilePath(); // empty while there is none
    if (!target.isEmpty() && (target != m_target || !m_watcher->files().contains(m_path))) fileChanged();
}

LockManager::Status LockManager::status(const QByteArray& space) const {
    const auto found = m_spaces.find(space);
    return found == m_spaces.end() ? Status() : found->second->status();
}

void LockManager::listen(std::function<void(const ManagerEvent&)> listener) {
    m_listener = listener;
    for (const auto& [name, space] : m_spaces)
        space->listener = listener;
}

} // namespace lockscope
