// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/url.h"

#include <memory>
#include <vector>

struct memcached_st;

namespace lockscope::memcached {

/// Which of several servers keeps a key, by libmemcached's ketama distribution.
class KeyRing {
public:
    explicit KeyRing(const std::vector<Endpoint>& servers);
    ~KeyRing();
    KeyRing(const KeyRing&) = delete;
    KeyRing& operator=(const KeyRing&) = delete;
    /// The server's index.
    std::size_t serverOf(const QByteArray& key) const;

private:
    memcached_st* m_library = nullptr; ///< never connects
    std::size_t m_size = 0;
};

} // namespace lockscope::memcached
