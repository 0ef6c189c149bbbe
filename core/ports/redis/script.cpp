// SPDX-License-Identifier: Apache-2.0
#include "ports/redis/port.h"

#include <QCryptographicHash>
#include <QFile>

namespace lockscope::redis {

namespace {

// Licence line and explanation stay in the file: the server, its slow log and SCRIPT EXISTS see only the algorithm.
QByteArray withoutLeadingComments(const QByteArray& text) {
    qsizetype at = 0;
    while (at < text.size()) {
        const qsizetype end = text.indexOf('\n', at);
        const QByteArray line = text.mid(at, end < 0 ? -1 : end - at).trimmed();
        if (!line.isEmpty() && !line.startsWith("--")) break;
        if (end < 0) return {};
        at = end + 1;
    }
    return text.mid(at);
}

QByteArray sourceOf(const char* name) {
    QFile file(QStringLiteral(":/lua/%1.lua").arg(QLatin1String(name)));
    if (!file.open(QIODevice::ReadOnly)) qFatal("The Redis script %s.lua is not part of this program.", name);
    QByteArray source = withoutLeadingComments(file.readAll());
    if (source.isEmpty()) qFatal("The Redis script %s.lua is empty.", name);
    return source;
}

} // namespace

Script::Script(QByteArray name, QByteArray source)
    : m_name(std::move(name)),
      m_source(std::move(source)),
      m_sha1(QCryptographicHash::hash(m_source, QCryptographicHash::Sha1).toHex()) {
}

Script Script::load(const char* name, Sees sees) {
    Script script(name, sourceOf(name));
    script.m_sees = sees;
    if (script.source().contains("'publish'"))
        script.m_inCluster = std::make_shared<const Script>(name, sourceOf("cluster_publish") + script.source());
    return script;
}

} // namespace lockscope::redis
