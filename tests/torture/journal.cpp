// SPDX-License-Identifier: Apache-2.0
#include "journal.h"

#include <QFile>
#include <cstdio>
#include <fcntl.h>
#include <unistd.h>

namespace lockscope::torture {

JournalWriter::JournalWriter(const QString& path)
    : m_file(::open(QFile::encodeName(path).constData(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)) {
}

JournalWriter::~JournalWriter() {
    if (m_file >= 0) ::close(m_file);
}

void JournalWriter::write(const Entry& entry) {
    std::array<char, 512> line{};
    const trace::Event& e = entry.event;
    const int length = std::snprintf(line.data(), line.size(), "%c %lld %u %u %u %lld %u %u %.200s\n", char(entry.what),
                                     static_cast<long long>(e.at), unsigned(e.kind), e.actor, e.subject,
                                     static_cast<long long>(e.value), e.aux, unsigned(e.flags), entry.text.constData());
    if (::write(m_file, line.data(), std::size_t(length)) != length)
        ::_exit(4); // a journal with holes is worth nothing
}

std::expected<std::vector<Entry>, QString> readJournal(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) return std::unexpected(QStringLiteral("%1: %2").arg(path, file.errorString()));
    std::vector<Entry> entries;
    while (!file.atEnd()) {
        const QByteArray line = file.readLine();
        if (!line.endsWith('\n')) break;
        Entry entry;
        char what = 0;
        long long at = 0, value = 0;
        unsigned kind = 0, flags = 0;
        int text = 0;
        if (std::sscanf(line.constData(), "%c %lld %u %u %u %lld %u %u %n", &what, &at, &kind, &entry.event.actor,
                        &entry.event.subject, &value, &entry.event.aux, &flags, &text) != 8)
            return std::unexpected(
                QStringLiteral("%1: not a line of a journal: %2").arg(path, QString::fromUtf8(line)));
        entry.what = static_cast<Entry::What>(what);
        entry.event.at = at;
        entry.event.value = value;
        entry.event.kind = static_cast<trace::EventKind>(kind);
        entry.event.flags = static_cast<std::uint8_t>(flags);
        entry.text = line.mid(text);
        if (entry.text.endsWith('\n')) entry.text.chop(1); // an empty text: the pattern's last space took it already
        entries.push_back(std::move(entry));
    }
    return entries;
}

Counter::Counter(const QString& path)
    : m_file(::open(QFile::encodeName(path).constData(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
}

Counter::~Counter() {
    if (m_file >= 0) ::close(m_file);
}

std::int64_t Counter::read() const {
    std::int64_t value = 0;
    return ::pread(m_file, &value, sizeof(value), 0) == sizeof(value) ? value : 0;
}

void Counter::write(std::int64_t value) const {
    if (::pwrite(m_file, &value, sizeof(value), 0) != sizeof(value)) ::_exit(4);
}

QByteArray lockName(int number, bool several) {
    const QByteArray name = "torture-" + QByteArray::number(number);
    return several ? name + "-a," + name + "-b" : name;
}

} // namespace lockscope::torture
