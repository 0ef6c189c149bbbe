// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "raw_threads.h"

namespace lockscope::bench {

/// One lock of a bare memcached client.
struct RawItem {
    QByteArray key;
    bool lease = false; ///< as memcached-lease does it: read after `add`, freed by `cas`; else freed by `delete`
    /// The item's value.
    static const QByteArray& value();
};

/// One client on a socket of its own that sends whatever needs no answer first together: `add` and `gets`.
MadeRawClient makeMemcachedSocketClient(const Endpoint& endpoint, const RawItem& item);
/// All locks over one socket, all pairs on their way at once.
MadeRaw makeMemcachedPipeline(const Endpoint& endpoint, const std::vector<RawItem>& items);

} // namespace lockscope::bench
