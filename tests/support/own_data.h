// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QDir>
#include <QTemporaryDir>

namespace lockscope::tests {

/// A person's data folder for one test program: the programs that run beside it do not meet its files.
class OwnData {
public:
    OwnData() { qputenv("XDG_DATA_HOME", m_folder.path().toUtf8()); }
    /// Empties it.
    void clear() const { QDir(m_folder.filePath(QStringLiteral("lockscope"))).removeRecursively(); }

private:
    QTemporaryDir m_folder;
};

} // namespace lockscope::tests
