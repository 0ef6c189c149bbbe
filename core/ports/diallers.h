// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/etcd/client.h"
#include "ports/memcached/client.h"
#include "ports/redis/client.h"
#include "ports/sql/client.h"
#include "ports/sql/reader.h"
#include "ports/zookeeper/client.h"

namespace lockscope {

/// A world supplies these to connections: for each kind of server, a function that opens a client for an address.
/// Sockets in real worlds (drivers/dial.h), simulated channels in the simulator. A kind that a world does not have is
/// empty.
struct Diallers {
    redis::Dialler redis;
    zookeeper::Dialler zookeeper;
    sql::Dialler sql;
    memcached::Dialler memcached;
    etcd::Dialler etcd;
    sql::ReaderDialler sqlReader = nullptr; ///< for watching databases, which locks do not need
};

} // namespace lockscope
