// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/memcached/driver.h"
#include "recipes/memcached/memcached_recipe.h"
#include "sandbox/memcached_server.h"
#include "support/live.h"

namespace lockscope::test {

/// A client process of its own: connection and identity.
struct MemcachedClient {
    MemcachedClient(Runtime& runtime, const ConnectionUrl& url, memcached::DriverOptions options = {})
        : driver(runtime, url, options), uuid(runtime.randomUuid()) {}
    std::unique_ptr<recipes::Recipe> recipe(const QByteArray& name, const QByteArray& id = "memcached-lease") {
        return recipes::makeMemcachedRecipe(id, {driver, name, uuid});
    }
    memcached::MemcachedDriver driver;
    QByteArray uuid;
};

inline recipes::Request asked(Nanos wait, Nanos lease = 30s) {
    recipes::Request request;
    request.wait = wait;
    request.lease = lease;
    return request;
}

} // namespace lockscope::test
