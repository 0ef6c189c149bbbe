// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "connections/connection.h"

namespace lockscope {

// One factory per Service, in <name>_connection.cpp beside this file.
std::unique_ptr<Connection> makeRedisConnection(Runtime& runtime, const Diallers& diallers, ConnectionUrl url,
                                                QByteArray client);
std::unique_ptr<Connection> makeRedisSentinelConnection(Runtime& runtime, const Diallers& diallers, ConnectionUrl url,
                                                        QByteArray client);
std::unique_ptr<Connection> makeRedisClusterConnection(Runtime& runtime, const Diallers& diallers, ConnectionUrl url,
                                                       QByteArray client);
std::unique_ptr<Connection> makeRedlockConnection(Runtime& runtime, const Diallers& diallers, ConnectionUrl url,
                                                  QByteArray client);
/// Whichever of these four the URL asks for.
std::unique_ptr<Connection> makeRedisKindConnection(Runtime& runtime, const Diallers& diallers, ConnectionUrl url,
                                                    QByteArray client);
std::unique_ptr<Connection> makeEtcdConnection(Runtime& runtime, const Diallers& diallers, ConnectionUrl url,
                                               QByteArray client);
std::unique_ptr<Connection> makeSqlConnection(Runtime& runtime, const Diallers& diallers, ConnectionUrl url,
                                              QByteArray client);
std::unique_ptr<Connection> makeMemcachedConnection(Runtime& runtime, const Diallers& diallers, ConnectionUrl url,
                                                    QByteArray client);
std::unique_ptr<Connection> makeZooKeeperConnection(Runtime& runtime, const Diallers& diallers, ConnectionUrl url,
                                                    QByteArray client);

} // namespace lockscope
