// SPDX-License-Identifier: Apache-2.0
#include "ports/memcached/client.h"

namespace lockscope::memcached {

Result<std::optional<Nanos>> Client::worked(std::stop_token /*stop*/) {
    co_return std::optional<Nanos>();
}

} // namespace lockscope::memcached
