// SPDX-License-Identifier: Apache-2.0
#include "ports/zookeeper/error.h"

#include <QCoreApplication>
#include <zookeeper/zookeeper.h>

namespace lockscope::zookeeper::errors {

namespace {
struct Text {
    Q_DECLARE_TR_FUNCTIONS(ZooKeeper)
};
using Kind = Error::Kind;
} // namespace

Error of(int code, const char* what, const QByteArray& path, const QString& where) {
    const QString node = QString::fromUtf8(path);
    const QString verb = QString::fromLatin1(what);
    switch (code) {
    case ZCONNECTIONLOSS:
    case ZOPERATIONTIMEOUT:
    case ZRUNTIMEINCONSISTENCY: // an answer out of order: the C client has cut the connection
    case ZSESSIONMOVED:
        return {Kind::ConnectionLoss, code,
                Text::tr("The connection to %1 broke before it answered “%2”; whether that was done is not known.")
                    .arg(where, verb)};
    case ZSESSIONEXPIRED:
    case ZINVALIDSTATE:
    case ZCLOSING:
        return sessionLost(where);
    case ZAUTHFAILED:
    case ZSESSIONCLOSEDREQUIRESASLAUTH:
        return authFailed(where);
    case ZNONODE:
        return {Kind::NoNode, code, Text::tr("There is no node “%1” on %2.").arg(node, where)};
    case ZNODEEXISTS:
        return {Kind::NodeExists, code, Text::tr("There is a node “%1” on %2 already.").arg(node, where)};
    case ZNOTEMPTY:
        return {Kind::NotEmpty, code, Text::tr("The node “%1” on %2 has children.").arg(node, where)};
    case ZBADVERSION:
        return {Kind::BadVersion, code, Text::tr("Somebody else changed the node “%1” on %2.").arg(node, where)};
    case ZNOAUTH:
        return {
            Kind::NoAuth, code,
            Text::tr("The access list of “%1” on %2 does not allow “%3”. Check user and password in the URL, or ask "
                     "the node's owner.")
                .arg(node, where, verb)};
    case ZNOCHILDRENFOREPHEMERALS:
        return {Kind::EphemeralParent, code,
                Text::tr("A node above “%1” on %2 is ephemeral and can not have children. Use another name.")
                    .arg(node, where)};
    case ZBADARGUMENTS:
        return {Kind::BadArguments, code, Text::tr("%1 refused “%2” of “%3”: bad arguments.").arg(where, verb, node)};
    case ZINVALIDACL:
        return {Kind::BadArguments, code,
                Text::tr("%1 refused the access list for “%2”. Check the login in the URL.").arg(where, node)};
    case ZUNIMPLEMENTED:
        return {Kind::NotSupported, code,
                Text::tr("%1 does not have this kind of node. Use a newer server, or switch its extended types on.")
                    .arg(where)};
    default:
        return {
            Kind::Refused, code,
            Text::tr("%1 refused “%2” of “%3”: ZooKeeper's error %4.").arg(where, verb, node, QString::number(code))};
    }
}

Error unreachable(const QString& where) {
    return {Kind::Unreachable, 0,
            Text::tr("No ZooKeeper server at %1 gives a session. Check that they run, are reachable and have a quorum.")
                .arg(where)};
}

Error unresolved(const QString& host) {
    return {Kind::Unreachable, 0,
            Text::tr("The host name “%1” is not known. Check the URL and the network.").arg(host)};
}

Error sessionLost(const QString& where) {
    return {Kind::SessionLost, ZSESSIONEXPIRED,
            Text::tr("The session with %1 ended before it answered; its ephemeral nodes are gone with it.").arg(where)};
}

Error garbage(const QString& where) {
    return {Kind::Protocol, 0,
            Text::tr("What answers at %1 does not speak ZooKeeper's protocol. Check host and port.").arg(where)};
}

Error authFailed(const QString& where) {
    return {Kind::AuthFailed, ZAUTHFAILED,
            Text::tr("%1 refused the login. Check user and password in the URL.").arg(where)};
}

Error goneAway(const QString& where) {
    return {Kind::Refused, ZCLOSING, Text::tr("The connection to %1 was closed here.").arg(where)};
}

Error badPath(const QByteArray& path) {
    return {Kind::BadArguments, ZBADARGUMENTS,
            Text::tr("“%1” is no path of a node: it has to begin with a slash and have no empty, “.” or “..” parts.")
                .arg(QString::fromUtf8(path))};
}

} // namespace lockscope::zookeeper::errors
