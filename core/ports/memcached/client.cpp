// SPDX-License-Identifier: Apache-2.0
#include "ports/memcached/client.h"

namespace lockscope::memcached {

Result<Statistics> Client::statistics(std::stop_token /*stop*/) {
    Statistics none;
    none.where = where();
    co_return none;
}

} // namespace lockscope::memcached
