// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTest>

namespace lockscope::tests {

inline const QString kProgram = QStringLiteral(LOCKSCOPE_BIN_DIR "/lockscope");

/// The result of a program's run.
struct Ran {
    int status = -1; ///< -1: did not end, or crashed
    QByteArray out, err;

    QJsonObject object() const { return QJsonDocument::fromJson(out).object(); }
    QJsonArray array() const { return QJsonDocument::fromJson(out).array(); }
    std::vector<QJsonObject> objects() const {
        std::vector<QJsonObject> lines;
        for (const QByteArray& line : out.trimmed().split('\n'))
            lines.push_back(QJsonDocument::fromJson(line).object());
        return lines;
    }
    /// For the message of a failed check.
    QByteArray told() const { return "status " + QByteArray::number(status) + "\nstdout: " + out + "\nstderr: " + err; }
};

inline QProcessEnvironment plainEnvironment() {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("LC_ALL"), QStringLiteral("C.UTF-8"));
    for (const char* gone : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM", "LANGUAGE"})
        environment.remove(QLatin1String(gone));
    return environment;
}

inline Ran runProgram(const QString& path, const QStringList& arguments, const QByteArray& input = {},
                      const QProcessEnvironment& environment = plainEnvironment()) {
    QProcess process;
    process.setProcessEnvironment(environment);
    process.start(path, arguments);
    process.write(input);
    process.closeWriteChannel();
    if (!process.waitForFinished(120'000)) {
        process.kill();
        process.waitForFinished();
        return {-1, process.readAllStandardOutput(), "(did not end) " + process.readAllStandardError()};
    }
    const int status = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
    return {status, process.readAllStandardOutput(), process.readAllStandardError()};
}

inline Ran program(const QStringList& arguments, const QByteArray& input = {}) {
    return runProgram(kProgram, arguments, input);
}

/// lockscope with one line of words.
inline Ran program(const char* words) {
    return program(QString::fromUtf8(words).split(QLatin1Char(' '), Qt::SkipEmptyParts));
}

} // namespace lockscope::tests
