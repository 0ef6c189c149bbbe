// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "connections/record_store.h"
#include "ports/memcached/port.h"

#include <map>

namespace lockscope {

/// An item `lockscope_record:<name>` without expiry, compared by its unique number and by the connection that reported
/// the number, because a restarted server counts from the beginning. A number read before a reconnect is outdated: the
/// item is read again.
///
/// memcached loses items when it is restarted or short of memory. Each store remembers what it read or wrote last, and
/// restores a missing record. So a record is lost only when every process that knew it has ended, or when a new process
/// was faster. Use memcached as one of several servers that keep a record; a single one is enough only if the locks are
/// on it too, because they do not survive its restart either.
class MemcachedRecords final : public RecordStore {
public:
    explicit MemcachedRecords(std::shared_ptr<memcached::Port> port) : m_port(std::move(port)) {}
    recipes::Outcome<Record> read(QByteArray name, std::stop_token stop) override;
    recipes::Outcome<bool> replace(QByteArray name, Record seen, QByteArray value, std::stop_token stop) override;

private:
    using Values = std::map<QByteArray, QByteArray>; ///< by key
    // Shared with reads and writes in progress, which may outlive this object.
    std::shared_ptr<memcached::Port> m_port;
    std::shared_ptr<Values> m_known = std::make_shared<Values>();
};

} // namespace lockscope
