// SPDX-License-Identifier: Apache-2.0
#include "ports/memcached/key_ring.h"

#include <libmemcached/memcached.h>

namespace lockscope::memcached {

KeyRing::KeyRing(const std::vector<Endpoint>& servers) : m_library(memcached_create(nullptr)), m_size(servers.size()) {
    memcached_behavior_set(m_library, MEMCACHED_BEHAVIOR_KETAMA, 1);
    for (const Endpoint& server : servers)
        memcached_server_add(m_library, server.host.toUtf8().constData(), server.port);
}

KeyRing::~KeyRing() {
    memcached_free(m_library);
}

std::size_t KeyRing::serverOf(const QByteArray& key) const {
    if (m_size < 2) return 0;
    return memcached_generate_hash(m_library, key.constData(), std::size_t(key.size())) % m_size;
}

} // namespace lockscope::memcached
