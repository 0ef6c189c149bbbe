// SPDX-License-Identifier: Apache-2.0
#include "ports/memcached/port.h"

#include "ports/memcached/errors.h"

#include <algorithm>

namespace lockscope::memcached {

bool validKey(const QByteArray& key) {
    return !key.isEmpty() && key.size() <= 250 &&
           std::ranges::all_of(key, [](char c) { return static_cast<unsigned char>(c) > 0x20 && c != 0x7f; });
}

Result<std::optional<Lifetime>> Reader::lifetime(QByteArray /*key*/, std::stop_token /*stop*/) {
    co_return std::unexpected(errors::tellsNoEnds());
}

Result<KeyList> Reader::list(WantsKey /*wants*/, std::stop_token /*stop*/) {
    co_return std::unexpected(errors::listsNothing());
}

} // namespace lockscope::memcached
