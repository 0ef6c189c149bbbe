// SPDX-License-Identifier: Apache-2.0
#include "ports/zookeeper/port.h"

#include "trace/joined.h"

#include <QString>
#include <algorithm>

namespace lockscope::zookeeper {

QCoro::Task<QByteArray> Reader::askServer(Endpoint /*server*/, QByteArray /*word*/, std::stop_token /*stop*/) {
    co_return QByteArray();
}

Port::Reply<void> Port::makePath(QByteArray path, NodeMode mode, std::stop_token stop) {
    // Usually only the last node is missing: begin with it, and go up only as far as parents are missing.
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
    const bool plain = std::ranges::all_of(path, [](char c) { return c >= 0x20 && c < 0x7f; }); // most are
    const QString text = plain ? QString() : QString::fromUtf8(path);
    for (const QChar c : text) {
        const ushort u = c.unicode(); // the server's own rule: it takes no surrogates either
        if (u < 0x20 || (u >= 0x7f && u <= 0x9f) || (u >= 0xd800 && u <= 0xf8ff) || u >= 0xfff0) return false;
    }
    for (qsizetype begin = 1, end = 0; end < path.size(); begin = end + 1) {
        const qsizetype slash = path.indexOf('/', begin);
        end = slash < 0 ? path.size() : slash;
        const QByteArrayView part = QByteArrayView(path).sliced(begin, end - begin);
        if (part.isEmpty() || part == QByteArrayView(".") || part == QByteArrayView("..")) return false;
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
    return trace::joined({parent == "/" ? QByteArrayView() : QByteArrayView(parent), "/", name});
}

} // namespace lockscope::zookeeper
