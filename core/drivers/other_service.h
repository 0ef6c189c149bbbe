// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/url.h"
#include "runtime/runtime.h"

namespace lockscope {

/// The program that listens at an address, as far as its first bytes tell.
enum class Listener : std::uint8_t {
    NotKnown, ///< nothing listens, or it says nothing that any of these would
    Redis,
    MySql,
    PostgreSql,
    Memcached,
    ZooKeeper,
    Etcd,
    Web,
    Ssh,
    Tls, ///< some program that speaks TLS, and nothing without it
};

/// Finds out what listens there, by greetings and by questions that change nothing, over up to four connections one
/// after another: 0.7 s for one that does not open, and at most 6 s for a program that says nothing to any of them.
/// Throws Cancelled.
QCoro::Task<Listener> listenerAt(Runtime& runtime, Endpoint at, std::stop_token stop = {});

/// Explains why a URL's servers do not answer as they should: "A Redis listens at 10.0.0.5:6379, not an etcd." Empty:
/// nothing of another kind shows. To be asked after a failed connection, as it costs the time of listenerAt() for each
/// server, of which it asks the first three at most. Throws Cancelled.
QCoro::Task<QString> otherServiceAt(Runtime& runtime, ConnectionUrl url, std::stop_token stop = {});

} // namespace lockscope
