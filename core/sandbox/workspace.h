// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/runtime.h"

#include <QString>
#include <QTemporaryDir>
#include <optional>

namespace lockscope::sandbox {

/// A private directory for a server's files, in memory where the system has a place for that. Gone with this object;
/// what a crashed run left behind is removed by the next one.
class Workspace {
public:
    Workspace();
    bool valid() const { return m_directory.isValid(); }
    QString path() const { return m_directory.path(); }
    QString file(const QString& name) const { return m_directory.filePath(name); }
    /// Writes a file that only this user may read.
    bool write(const QString& name, const QByteArray& content) const;

private:
    QTemporaryDir m_directory;
};

/// A TCP port on the loopback that nobody listens on, outside the range from which the kernel takes client ports, so
/// that no passing connection sits on it when a server comes back to it. A process gives none twice before it has given
/// all of its two hundred, and no other process of this machine that asks here gives any of them while it lives.
/// nullopt: none found.
std::optional<std::uint16_t> freePort(Runtime& runtime);

} // namespace lockscope::sandbox
