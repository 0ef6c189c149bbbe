// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lock/lock_options.h"
#include "ports/url.h"

namespace lockscope {

/// One backend of a namespace, and the recipe to lock with there.
struct EngineConfig {
    ConnectionUrl url;
    QByteArray recipe;
    /// The engine's name in the record that all processes share: the servers, without this process's options, and the
    /// recipe.
    QByteArray id() const { return url.address().toUtf8() + " " + recipe; }
};

enum class SwitchMode : std::uint8_t {
    Drain,     ///< holders may finish; no grant on the new engine before every hold on the old one must have ended
    Immediate, ///< holders are told "lost" at once; tokens carry the epoch
};

/// How a namespace's locks are kept, and when its engine changes.
struct NamespaceConfig {
    QByteArray name;
    std::vector<EngineConfig> engines;    ///< the primary first, then up to two fallbacks
    std::vector<ConnectionUrl> witnesses; ///< servers that only keep the record of which engine is in use
    SwitchMode mode = SwitchMode::Drain;
    bool onFailure = false;   ///< switch when the engine in use fails any process's health checks
    Nanos drainFor = 30s;     ///< how long holders may continue after their engine is left
    Nanos confirmFor = 5s;    ///< how long a process trusts its latest reading of the record
    Nanos healthEvery = 1s;   ///< between two health checks of an engine
    Nanos healthTimeout = 1s; ///< a check without an answer for so long has failed
    int failures = 3;         ///< failed checks in a row that make an engine unhealthy
    int successes = 5;        ///< good checks in a row that make it healthy again
    LockOptions options;      ///< lease, watchdog, token
    bool allowNaive = false;  ///< accept recipes that exist to be seen failing
};

struct ManagerConfig {
    std::vector<NamespaceConfig> namespaces;
};

/// Reads a manager's configuration, JSON:
///
///     {"lockscope-manager": 1, "namespaces": [{
///        "name": "shop",
///        "engines": [{"url": "redis://…", "recipe": "redis-reentrant"},
///                    {"url": "zookeeper://…", "recipe": "zk-mutex"}],
///        "witnesses": ["etcd://…"],
///        "switch": {"mode": "drain", "on-failure": true, "drain-for": "30s", "confirm-for": "5s"},
///        "health": {"every": "1s", "timeout": "1s", "failures": 3, "successes": 5},
///        "lease": "30s", "token": true, "allow-naive": false}]}
///
/// The error is a sentence: where the mistake is and what to write instead. It never contains a password.
std::expected<ManagerConfig, QString> readManagerConfig(const QByteArray& json);

/// An error in a configuration that a program put together, as a sentence; nullopt = none.
std::optional<QString> complaintOf(const ManagerConfig& config);

} // namespace lockscope
