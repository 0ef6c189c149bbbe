// SPDX-License-Identifier: Apache-2.0
#include "raw.h"

namespace lockscope::bench {

MadeRaw makeRaw(const ConnectionUrl& url, const QByteArray& recipe, const Workload& workload) {
    if (workload.kind == Workload::Kind::Held) return nullptr;
    switch (url.service) {
    case Service::Redis:
        return makeRawRedis(url, recipe, workload);
    default:
        return nullptr;
    }
}

} // namespace lockscope::bench
