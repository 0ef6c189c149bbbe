// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/output.h"

#include "cli/exit_status.h"
#include "cli/text.h"
#include "ports/url_login.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace lockscope::cli {

namespace {

constexpr const char* kWords = "lockscope_words";

QStringList wordsGiven() {
    const QCoreApplication* const application = QCoreApplication::instance();
    return application ? application->property(kWords).toStringList() : QStringList();
}

void toStderr(const QString& message) {
    const QByteArray text = "lockscope: " + message.toUtf8() + '\n';
    std::fwrite(text.constData(), 1, static_cast<std::size_t>(text.size()), stderr);
}

/// Half of the data must not look like all of it, and a program that went on would work, or wait, for nobody.
[[noreturn]] void endWithoutOutput(int error) {
    if (error == EPIPE) { // ignored here, or by what has started us: else we would not have come so far
        std::signal(SIGPIPE, SIG_DFL);
        std::raise(SIGPIPE);
    }
    complain(tr("the output cannot be written: %1").arg(QString::fromLocal8Bit(std::strerror(error))));
    std::quick_exit(kUsage); // at once: other threads may be at work
}

} // namespace

// With the application object: what is loaded later has its own copy of this file.
void keepWords(const QStringList& words) {
    QCoreApplication::instance()->setProperty(kWords, words);
}

void say(const QByteArray& line) {
    const auto size = static_cast<std::size_t>(line.size());
    errno = 0;
    const bool written = std::fwrite(line.constData(), 1, size, stdout) == size && std::fputc('\n', stdout) != EOF &&
                         std::fflush(stdout) == 0; // the reader of a pipe wants each line when it happens
    if (!written) endWithoutOutput(errno);
}

void say(const QString& line) {
    say(line.toUtf8());
}

void complain(const QString& message) {
    toStderr(withoutLogins(message, wordsGiven().filter(QStringLiteral("://"))));
}

void complainOfWords(const QString& message) {
    toStderr(withoutLogins(message, wordsGiven()));
}

JsonLine& JsonLine::addJson(const char* name, const QByteArray& json) {
    if (!m_fields.isEmpty()) m_fields += ", ";
    m_fields += '"' + QByteArray(name) + "\": " + json;
    return *this;
}

JsonLine& JsonLine::add(const char* name, const QJsonValue& value) {
    const QByteArray boxed = QJsonDocument(QJsonArray{value}).toJson(QJsonDocument::Compact);
    return addJson(name, boxed.mid(1, boxed.size() - 2));
}

QByteArray jsonArray(const QList<QByteArray>& items) {
    return '[' + items.join(", ") + ']';
}

QByteArray milliseconds(std::int64_t nanos) {
    QByteArray text = QByteArray::number(static_cast<qlonglong>(nanos / 1'000'000));
    if (const std::int64_t rest = nanos % 1'000'000) {
        QByteArray digits = QByteArray::number(static_cast<qlonglong>(rest)).rightJustified(6, '0');
        while (digits.endsWith('0'))
            digits.chop(1);
        text += '.' + digits;
    }
    return text;
}

} // namespace lockscope::cli
