// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "connections/record_store.h"
#include "ports/etcd/port.h"
#include "ports/redis/port.h"
#include "ports/zookeeper/port.h"

namespace lockscope {

/// A string key `lockscope_record:{name}` without a TTL. As durable as the Redis.
class RedisRecords final : public RecordStore {
public:
    explicit RedisRecords(redis::Port& port) : m_port(port) {}
    recipes::Outcome<Record> read(QByteArray name, std::stop_token stop) override;
    recipes::Outcome<bool> replace(QByteArray name, Record seen, QByteArray value, std::stop_token stop) override;

private:
    redis::Port& m_port;
};

/// A persistent node /lockscope-records/<name>, compared by its version.
class ZooKeeperRecords final : public RecordStore {
public:
    explicit ZooKeeperRecords(zookeeper::Port& port) : m_port(port) {}
    recipes::Outcome<Record> read(QByteArray name, std::stop_token stop) override;
    recipes::Outcome<bool> replace(QByteArray name, Record seen, QByteArray value, std::stop_token stop) override;

private:
    zookeeper::Port& m_port;
};

/// Keys lockscope-records/<name>/<number>: each value is a new key, which is created only if the key that was read is
/// the last one.
class EtcdRecords final : public RecordStore {
public:
    explicit EtcdRecords(etcd::Port& port) : m_port(port) {}
    recipes::Outcome<Record> read(QByteArray name, std::stop_token stop) override;
    recipes::Outcome<bool> replace(QByteArray name, Record seen, QByteArray value, std::stop_token stop) override;

private:
    etcd::Port& m_port;
};

} // namespace lockscope
