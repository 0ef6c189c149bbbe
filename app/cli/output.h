// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QJsonValue>
#include <QString>
#include <concepts>

namespace lockscope::cli {

/// A line of data to stdout, at once. Where that is impossible the program ends: quietly by SIGPIPE when nobody reads
/// any more, else with a complaint and the status kUsage.
void say(const QString& line);
void say(const QByteArray& line);
/// The words of the command line, from which no login may be shown.
void keepWords(const QStringList& words);
/// A message to stderr: "lockscope: …". Logins in the command line's URLs are left out.
void complain(const QString& message);
/// As complain(), for a message that may repeat words of the command line: anything in them that may be a login is left
/// out.
void complainOfWords(const QString& message);

/// A JSON object whose fields stand in the order in which they were added: people read them, too.
class JsonLine {
public:
    JsonLine& add(const char* name, const QJsonValue& value);
    /// Whole numbers beyond 2^53 lose digits as QJsonValue.
    template <std::same_as<std::uint64_t> Number>
    JsonLine& add(const char* name, Number value) {
        return addJson(name, QByteArray::number(static_cast<qulonglong>(value)));
    }
    JsonLine& add(const char* name, const QByteArray& text) { return add(name, QJsonValue(QString::fromUtf8(text))); }
    /// `json` is a JSON text already.
    JsonLine& addJson(const char* name, const QByteArray& json);
    /// One line, without its end.
    QByteArray toJson() const { return '{' + m_fields + '}'; }

private:
    QByteArray m_fields;
};

/// "[a, b, c]" of JSON texts.
QByteArray jsonArray(const QList<QByteArray>& items);

/// Nanoseconds as a number of milliseconds, exact.
QByteArray milliseconds(std::int64_t nanos);

} // namespace lockscope::cli
