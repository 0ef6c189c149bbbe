// SPDX-License-Identifier: GPL-3.0-or-later
#include "loader/servers.h"

#include <QCoreApplication>
#include <QDir>
#include <QLibrary>

namespace lockscope::servers {

std::expected<const Servers*, QString> load() {
    static const Servers* loaded = nullptr;
    if (loaded) return loaded;
    const QString path =
        QDir(QCoreApplication::applicationDirPath()).absoluteFilePath(QStringLiteral(LOCKSCOPE_SERVERS_LIBRARY));
    QLibrary library(QDir::cleanPath(path));
    // Its threads may still run while the program ends.
    library.setLoadHints(QLibrary::PreventUnloadHint);
    using Entry = const Servers* (*)(const char* version);
    const auto entry = reinterpret_cast<Entry>(library.resolve("lockscope_servers"));
    if (!entry)
        return std::unexpected(
            QCoreApplication::translate("servers", "The part of Lockscope that talks to servers cannot be loaded: %1. "
                                                   "Install Lockscope again, all of it.")
                .arg(library.errorString()));
    loaded = entry(LOCKSCOPE_VERSION);
    if (!loaded)
        return std::unexpected(QCoreApplication::translate("servers", "%1 belongs to another version of Lockscope. "
                                                                      "Install Lockscope again, all of it.")
                                   .arg(library.fileName()));
    return loaded;
}

} // namespace lockscope::servers
