// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "hiredis_client.h"
#include "raw.h"

namespace lockscope::bench {

/// Each connection takes and gives its own lock; one thread looks after all of them, as an event loop would.
std::unique_ptr<Raw> makeRawCrowd(std::vector<RedisContext> contexts, std::vector<RawLock> locks);

/// A list with one element in it: whoever pops it holds, and pushes it back. `other` puts it there.
std::unique_ptr<Raw> makeRawRelay(RedisContext other, std::vector<RedisContext> contexts, const QByteArray& list);

} // namespace lockscope::bench
