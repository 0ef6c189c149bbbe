// SPDX-License-Identifier: Apache-2.0
#include "ports/zookeeper/port.h"

#include <QString>

namespace lockscope::zookeeper {

QCoro::Task<QByteArray> Reader::askServer(Endpoint /*server*/, QByteArray /*word*/, std::stop_token /*stop*/) {
    co_return QByteArray();
}

Port::Reply<void> Port::makePath(QByteArray path, NodeMode mode, std::stop_token stop) {
    // Mostly only the last one is missing: begin there, go up as far as needed, then down again.
    std::vector<QByteArray> missing{path};
    while (!missing.empty()) {
        const QByteArray next = missing.back();
        const Result<CreatedNode> made = co_await create(next, QByteArray(), mode, Nanos(0), stop);
        if (made || made.error().kind == Error::Kind::NodeExists) {
            missing.pop_back();
        } else if (made.error().kind == Error::Kind::NotSupported && mode == NodeMode::Container) {
            mode = NodeMode::Persistent;
        } else if (made.error().kind == Error::Kind::NoNode && parentOf(next) != "/") {
            missing.push_back(parentOf(next));
        } else {
            co_return std::unexpected(made.error());
        }
    }
    co_return Result<void>();
}

bool validPath(const QByteArray& path) {
    if (!path.startsWith('/')) return false;
    if (path == "/") return true;
    const QString text = QString::fromUtf8(path);
    for (const QChar c : text) {
        const ushort u = c.unicode(); // the server's own rule: it takes no surrogates either
        if (u < 0x20 || (u >= 0x7f && u <= 0x9f) || (u >= 0xd800 && u <= 0xf8ff) || u >= 0xfff0) return false;
    }
    for (const QByteArray& part : path.mid(1).split('/')) {
        if (part.isEmpty() || part == "." || part == "..") return false;
    }
    return true;
}

QByteArray parentOf(const QByteArray& path) {
    const qsizetype slash = path.lastIndexOf('/');
    return slash <= 0 ? QByteArray("/") : path.left(slash);
}

QByteArray nameOf(const QByteArray& path) {
    return path.mid(path.lastIndexOf('/') + 1);
}

QByteArray childOf(const QByteArray& parent, const QByteArray& name) {
    QByteArray path;
    path.reserve(parent.size() + 1 + name.size());
    if (parent != "/") path.append(parent);
    return path.append('/').append(name);
}

} // namespace lockscope::zookeeper
