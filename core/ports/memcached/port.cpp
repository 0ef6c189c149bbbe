// SPDX-License-Identifier: Apache-2.0
#include "ports/memcached/port.h"

#include <algorithm>

namespace lockscope::memcached {

bool validKey(const QByteArray& key) {
    return !key.isEmpty() && key.size() <= 250 &&
           std::ranges::all_of(key, [](char c) { return static_cast<unsigned char>(c) > 0x20 && c != 0x7f; });
}

} // namespace lockscope::memcached
