// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "mutator.h"

#include <QString>

namespace lockscope::fuzz {

/// Changes recordings: single cells of their tables by SQL; the bytes of the file; or events and names of the trace,
/// written again as a recording whose checks all agree, so that what reads traces sees them.
class RecordingMutator {
public:
    /// `file`: a place for a file of this object's own.
    explicit RecordingMutator(QString file) : m_file(std::move(file)) {}

    QByteArray mutate(const QByteArray& recording, std::span<const QByteArray> others, Chance& chance) const;
    /// A recording after some statements of SQL; one that the database refuses changes nothing.
    QByteArray after(const QByteArray& recording, const QByteArrayList& statements) const;

private:
    QByteArray withOtherEvents(const QByteArray& recording, Chance& chance) const;

    QString m_file;
    Mutator m_bytes{{QByteArray(4, '\0'), QByteArray("\xff\xff\xff\xff", 4), "chunks", "entities", "lkSc"}};
};

/// The bytes of a file; empty when it cannot be read.
QByteArray contentOf(const QString& file);
/// False when the file could not be written.
bool putInto(const QString& file, const QByteArray& bytes);

} // namespace lockscope::fuzz
