// SPDX-License-Identifier: Apache-2.0
#include "recipes/backend_name.h"

#include <algorithm>
#include <array>

namespace lockscope::recipes {

QString backendName(const QString& urlOrId) {
    struct Name {
        const char* begins; ///< of scheme or id; more of the scheme may follow: TLS, sentinels, a cluster
        const char* name;
    };
    // Names of products are the same in every language.
    static constexpr std::array kNames{
        Name{"redis", "Redis"},   Name{"redlock", "Redis"},       Name{"zookeeper", "ZooKeeper"},
        Name{"mysql", "MariaDB"}, Name{"mariadb", "MariaDB"},     Name{"postgresql", "PostgreSQL"},
        Name{"sqlite", "SQLite"}, Name{"memcached", "memcached"}, Name{"etcd", "etcd"},
    };
    const auto found =
        std::ranges::find_if(kNames, [&](const Name& one) { return urlOrId.startsWith(QLatin1String(one.begins)); });
    return found == kNames.end() ? QString() : QString::fromLatin1(found->name);
}

} // namespace lockscope::recipes
