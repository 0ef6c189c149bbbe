// SPDX-License-Identifier: Apache-2.0
#include "witness.h"

#include "ports/url.h"
#include "socket_witness.h"
#include "sql_witness.h"

#include <QDir>
#include <QFile>
#include <algorithm>

namespace lockscope::torture {

namespace {

/// A ZooKeeper writes down every change anyway.
class ZooKeeperWitness final : public Witness {
public:
    explicit ZooKeeperWitness(QString folder) : m_folder(std::move(folder)) {}
    Started begin() override { co_return {}; }
    QCoro::Task<std::vector<Testimony>> testimonies() override {
        Testimony testimony;
        testimony.kind = Testimony::Kind::ZooKeeper;
        const QDir folder(m_folder + QStringLiteral("/version-2"));
        QStringList names = folder.entryList({QStringLiteral("log.*")}, QDir::Files);
        // By the first transaction in each, in hexadecimal.
        std::ranges::sort(names, {}, [](const QString& name) { return name.mid(4).toULongLong(nullptr, 16); });
        for (const QString& name : names) {
            QFile file(folder.filePath(name));
            if (file.open(QIODevice::ReadOnly)) testimony.parts << file.readAll();
        }
        std::vector<Testimony> all{testimony};
        co_return all;
    }

private:
    QString m_folder;
};

} // namespace

std::unique_ptr<Witness> makeWitness(Runtime& runtime, const Subject& subject, const Server& server, Nanos ahead) {
    const auto url = parseConnectionUrl(server.url());
    if (!url) return nullptr;
    const QByteArray& backend = subject.recipe.backend;
    using Kind = Testimony::Kind;
    if (url->service == Service::Redis || url->service == Service::Redlock) {
        const QByteArray& id = subject.recipe.id;
        return makeMonitorWitness(runtime, url->endpoints,
                                  id == "redis-rw"          ? Kind::RedisReadWrite
                                  : id == "redis-semaphore" ? Kind::RedisPermits
                                                            : Kind::RedisKeys);
    }
    if (backend == "memcached") return makeMemcachedWitness(runtime, url->endpoints.front());
    if (backend == "etcd") return makeEtcdWitness(runtime, url->endpoints.front(), ahead);
    if (backend == "zookeeper") return std::make_unique<ZooKeeperWitness>(server.folder());
    if (backend != "sql") return nullptr;
    if (subject.recipe.heldBy != recipes::HeldBy::Connection) return makeAuditWitness(runtime, *url);
    if (url->service == Service::MySql) return makeLogWitness(server.folder() + QStringLiteral("/general.log"));
    return makeSessionWitness(runtime, *url, ahead);
}

} // namespace lockscope::torture
