// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lock/lock_options.h"
#include "ports/url.h"

#include <lockscope/switch_mode.h>

namespace lockscope {

/// One backend of a namespace, and the recipe to lock with there.
struct EngineConfig {
    ConnectionUrl url;
    QByteArray recipe;
    /// The engine's name in the record that all processes share: the servers, without this process's options, and the
    /// recipe.
    QByteArray id() const { return url.address().toUtf8() + " " + recipe; }
};

/// How a namespace's locks are kept, and when its engine changes.
struct NamespaceConfig {
    QByteArray name;
    std::vector<EngineConfig> engines;    ///< the primary first, then up to two fallbacks
    std::vector<ConnectionUrl> witnesses; ///< servers that only keep the record of which engine is in use
    SwitchMode mode = SwitchMode::Drain;
    bool onFailure = false; ///< switch when the engine in use fails any process's health checks
    /// Switch back to the primary when all of its health checks were good for so long; 0 = only by hand. A switch by
    /// hand or by a new configuration is never undone. Each return to a primary that soon fails again doubles the time
    /// before the next one, up to 64 times.
    Nanos failBackAfter{};
    Nanos drainFor = 30s;     ///< how long holders may continue after their engine is left
    Nanos confirmFor = 5s;    ///< how long a process trusts its latest reading of the record
    Nanos healthEvery = 1s;   ///< between two health checks of an engine
    Nanos healthTimeout = 1s; ///< a check without an answer for so long has failed
    int failures = 3;         ///< failed checks in a row that make an engine unhealthy
    int successes = 5;        ///< good checks in a row that make it healthy again
    LockOptions options;      ///< lease, watchdog, token
    bool allowNaive = false;  ///< accept recipes that exist to be seen failing

    /// How long nothing is granted at a switch: 1.1 times confirmFor, when draining 1.1 times (confirmFor + drainFor +
    /// lease).
    Nanos switchTime() const {
        const Nanos time = mode == SwitchMode::Drain ? confirmFor + drainFor + options.lease : confirmFor;
        return time + time / 10;
    }
};

struct ManagerConfig {
    std::vector<NamespaceConfig> namespaces;
};

/// A mistake in a configuration.
struct ConfigMistake {
    int line = 0;    ///< 1-based; 0 = not known
    QString path;    ///< JSON pointer, "/namespaces/0/engines/1/recipe"
    QString message; ///< what is wrong, and what would be right; never a password
    /// "line 7: /namespaces/0/engines/1/recipe: …"
    QString toString() const;
};

/// Reads a manager's configuration, JSON. app/README.md describes every field,
/// tests/examples/manager.json is an example:
///
///     {"lockscope-manager": 1, "namespaces": [{
///        "name": "shop",
///        "engines": [{"url": "redis://…", "recipe": "redis-reentrant"},
///                    {"url": "zookeeper://…", "recipe": "zk-mutex"}],
///        "witnesses": ["etcd://…"],
///        "switch": {"mode": "drain", "on-failure": true, "fail-back-after": "10m", "drain-for": "30s",
///                   "confirm-for": "5s"},
///        "health": {"every": "1s", "timeout": "1s", "failures": 3, "successes": 5},
///        "lease": "30s", "token": true, "allow-naive": false}]}
///
/// A field whose name begins with "//" is a comment. The error lists all mistakes, in the order of their lines.
std::expected<ManagerConfig, std::vector<ConfigMistake>> parseManagerConfig(const QByteArray& json);

/// As parseManagerConfig(); the error is the first mistake as a sentence.
std::expected<ManagerConfig, QString> readManagerConfig(const QByteArray& json);

/// The mistakes in a configuration that a program put together; paths as in JSON, without lines.
std::vector<ConfigMistake> mistakesIn(const ManagerConfig& config);

/// The first of mistakesIn(), as a sentence; nullopt = none.
std::optional<QString> complaintOf(const ManagerConfig& config);

} // namespace lockscope
