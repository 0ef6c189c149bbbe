// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/memcached/port.h"
#include "lock/record_store.h"

#include <map>

namespace lockscope {

/// An item `lockscope_record:<name>` without an end, compared by its unique number and by the connection that told it:
/// a server that was started again counts anew. What was seen before a reconnect is out of date, and read again.
///
/// memcached forgets when it is restarted or short of memory. Each store remembers what it read or wrote last, and puts
/// it back where it finds nothing: a record is only gone when every process that knew it is gone, too, or when a new
/// process was there sooner. So let memcached be one of several servers that keep the same record, if not the locks
/// themselves are on it: then nothing outlives its restart anyhow.
class MemcachedRecords final : public RecordStore {
public:
    explicit MemcachedRecords(std::shared_ptr<memcached::Port> port) : m_port(std::move(port)) {}
    recipes::Outcome<Record> read(QByteArray name, std::stop_token stop) override;
    recipes::Outcome<bool> replace(QByteArray name, Record seen, QByteArray value, std::stop_token stop) override;

private:
    using Values = std::map<QByteArray, QByteArray>; ///< by key
    // Kept by those that are being read and written, which may outlive this.
    std::shared_ptr<memcached::Port> m_port;
    std::shared_ptr<Values> m_known = std::make_shared<Values>();
};

} // namespace lockscope
