// SPDX-License-Identifier: GPL-3.0-or-later
#include "program.h"

#include <QImage>
#include <QSet>
#include <QTemporaryDir>
#include <cmath>

#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

using namespace lockscope::tests;

class tst_cli_export : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;
    QString m_recording;
    int m_events = 0;

    QString path(const char* name) const { return m_folder.filePath(QLatin1String(name)); }
    Ran exportTo(const char* format, const QString& out) const {
        return program({QStringLiteral("export"), m_recording, QStringLiteral("--to"), QLatin1String(format), out});
    }
    static QByteArray content(const QString& path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

private Q_SLOTS:
    void initTestCase() {
        m_recording = path("run.lockscope");
        const Ran run = program({QStringLiteral("simulate"), QStringLiteral("gc-pause"), QStringLiteral("--json"),
                                 QStringLiteral("--record"), m_recording});
        QVERIFY2(run.status == 1, run.told());
        m_events = run.object()[u"events"].toInt();
    }

    void aTableHasALineForEveryEvent() {
        QCOMPARE(exportTo("csv", path("run.csv")).status, 0);
        const QByteArray csv = content(path("run.csv"));
        QCOMPARE(csv.trimmed().split('\n').size(), m_events + 1);
        QVERIFY(csv.startsWith("time_ns,kind,actor,subject,value,aux,flags,text"));
        QCOMPARE(exportTo("csv", QStringLiteral("-")).out, csv);
    }

    /// A device or a pipe is written to. Replacing it by a file would break it for every other program.
    void aDeviceIsWrittenToAndNotReplaced() {
        QCOMPARE(exportTo("csv", QStringLiteral("/dev/stdout")).out, exportTo("csv", QStringLiteral("-")).out);
        if (geteuid() != 0) return; // only root could have replaced it
        const QByteArray device = QFile::encodeName(path("null"));
        QCOMPARE(mknod(device.constData(), S_IFCHR | 0600, makedev(1, 3)), 0);
        QCOMPARE(exportTo("csv", path("null")).status, 0);
        struct stat there {};
        QCOMPARE(stat(device.constData(), &there), 0);
        QVERIFY2(S_ISCHR(there.st_mode), "a file stands where the device was");
    }

    void theRecordingItselfIsNotWrittenOver() {
        const QByteArray before = content(m_recording);
        QVERIFY(QFile::link(m_recording, path("link.lockscope")));
        for (const QString& out : {m_recording, path("./run.lockscope"), path("link.lockscope")}) {
            const Ran ran = exportTo("csv", out);
            QVERIFY2(ran.status == 2 && ran.err.contains("OUT is the recording itself"), ran.told());
        }
        QVERIFY(content(m_recording) == before);
    }

    void jsonLinesAreObjectsInOrder() {
        QCOMPARE(exportTo("jsonl", path("run.jsonl")).status, 0);
        const QList<QByteArray> lines = content(path("run.jsonl")).trimmed().split('\n');
        QCOMPARE(lines.size(), m_events);
        double last = 0;
        QSet<QString> kinds;
        for (const QByteArray& line : lines) {
            const QJsonObject event = QJsonDocument::fromJson(line).object();
            QVERIFY2(event[u"time_ns"].toDouble() >= last, line);
            last = event[u"time_ns"].toDouble();
            kinds += event[u"kind"].toString();
        }
        for (const char* kind : {"granted", "record-held", "write-accepted", "client-paused"})
            QVERIFY2(kinds.contains(QLatin1String(kind)), kind);
    }

    void aPictureShowsSomething() {
        const Ran ran = exportTo("png", path("run.png"));
        QVERIFY2(ran.status == 0 && ran.err.isEmpty(), ran.told());
        const QImage image(path("run.png"));
        QVERIFY(image.width() >= 1200 && image.height() >= 300);
        QSet<QRgb> colours;
        for (int y = 0; y < image.height(); y += 3) {
            for (int x = 0; x < image.width(); x += 3)
                colours += image.pixel(x, y);
        }
        QVERIFY2(colours.size() > 50, qPrintable(QString::number(colours.size())));
    }

    void aDrawingIsSvgWithWords() {
        QCOMPARE(exportTo("svg", path("run.svg")).status, 0);
        const QByteArray svg = content(path("run.svg"));
        QVERIFY(svg.contains("<svg") && svg.contains("orders") && svg.trimmed().endsWith("</svg>"));
        QVERIFY2(svg.size() < 1'000'000, qPrintable(QString::number(svg.size()))); // of the whole run, on one screen
    }

    /// One page, with and without names.
    void aCardIsOnePage() {
        QCOMPARE(exportTo("card", path("run.pdf")).status, 0);
        const QByteArray pdf = content(path("run.pdf"));
        QVERIFY(pdf.startsWith("%PDF-") && pdf.count("/Type /Page\n") == 1);
        QCOMPARE(exportTo("card", path("card.png")).status, 0);
        const QImage page(path("card.png"));
        QVERIFY(std::abs(double(page.height()) / page.width() - std::sqrt(2.0)) < 0.01); // A4
        const Ran hidden = program({QStringLiteral("export"), m_recording, QStringLiteral("--to"),
                                    QStringLiteral("card"), QStringLiteral("--redact"), path("hidden.png")});
        QVERIFY2(hidden.status == 0, hidden.told());
        QVERIFY(QImage(path("hidden.png")) != page);
    }

    /// A picture and a history are as whole as with names.
    void noFormatTellsNamesWhenTheyAreHidden() {
        for (const char* format : {"csv", "jsonl", "perfetto", "jepsen", "svg", "scenario"}) {
            const QString out = path("hidden.out");
            const Ran ran = program({QStringLiteral("export"), m_recording, QStringLiteral("--to"),
                                     QLatin1String(format), QStringLiteral("--redact"), out});
            QVERIFY2(ran.status == 0, ran.told());
            const QByteArray hidden = content(out);
            for (const char* name : {"orders", "gc-pause"})
                QVERIFY2(!hidden.contains(name) && !ran.err.contains(name), format);
            QVERIFY2(hidden.contains("lock-1"), format);
        }
        QCOMPARE(exportTo("csv", path("named.csv")).status, 0);
        QVERIFY(content(path("named.csv")).contains("orders"));
        const Ran picture = program({QStringLiteral("export"), m_recording, QStringLiteral("--to"),
                                     QStringLiteral("png"), QStringLiteral("--redact"), path("hidden-run.png")});
        QVERIFY2(picture.status == 0 && !QImage(path("hidden-run.png")).isNull(), picture.told());
    }

    void aStretchIsShownAsItHappens() {
        const Ran ran = program({QStringLiteral("export"), m_recording, QStringLiteral("--to"), QStringLiteral("webp"),
                                 QStringLiteral("--from"), QStringLiteral("9s"), QStringLiteral("--until"),
                                 QStringLiteral("10s"), path("run.webp")});
        QVERIFY2(ran.status == 0 && ran.err.isEmpty(), ran.told());
        const QByteArray webp = content(path("run.webp"));
        QVERIFY(webp.startsWith("RIFF") && webp.mid(8, 4) == "WEBP" && webp.contains("ANIM"));
        QVERIFY2(webp.count("ANMF") >= 3, qPrintable(QString::number(webp.count("ANMF"))));
        const Ran table = program({QStringLiteral("export"), m_recording, QStringLiteral("--to"), QStringLiteral("csv"),
                                   QStringLiteral("--from"), QStringLiteral("9s"), path("part.csv")});
        QVERIFY2(table.status == 2 && table.err.contains("only a picture"), table.told());
        const Ran empty = program({QStringLiteral("export"), m_recording, QStringLiteral("--to"), QStringLiteral("png"),
                                   QStringLiteral("--from"), QStringLiteral("9s"), QStringLiteral("--until"),
                                   QStringLiteral("8s"), path("none.png")});
        QVERIFY2(empty.status == 2 && !QFile::exists(path("none.png")), empty.told());
    }

    /// A stretch in which nothing was recorded is no picture; a clock is read where the recording has one.
    void aStretchBeyondTheEndIsRefused() {
        const auto from = [&](const char* at) {
            return program({QStringLiteral("export"), m_recording, QStringLiteral("--to"), QStringLiteral("png"),
                            QStringLiteral("--from"), QLatin1String(at), path("beyond.png")});
        };
        const Ran ran = from("900s");
        QVERIFY2(ran.status == 2 && ran.err.contains("the recording ends") && !QFile::exists(path("beyond.png")),
                 ran.told());
        const Ran clock = from("13:19:30");
        QVERIFY2(clock.status == 2 && clock.err.contains("this recording has no clock"), clock.told());
    }

    void otherToolsGetTheirFormats() {
        QCOMPARE(exportTo("perfetto", path("run.json")).status, 0);
        const QJsonArray events = QJsonDocument::fromJson(content(path("run.json"))).object()[u"traceEvents"].toArray();
        const auto named = [&](const char* name) {
            return std::any_of(events.begin(), events.end(), [name](const QJsonValue& event) {
                return event[u"name"].toString().contains(QLatin1String(name));
            });
        };
        for (const char* name : {"holds #", "waits", "paused", "writes #", "client-paused"})
            QVERIFY2(named(name), name);
        QCOMPARE(exportTo("jepsen", path("run.edn")).status, 0);
        const QByteArray history = content(path("run.edn"));
        QVERIFY(history.contains(":type :ok, :f :acquire") && history.contains(":process :nemesis"));
        const int invoked = int(history.count(":type :invoke"));
        QVERIFY(invoked > 10 && history.count(":type :ok") <= invoked);
    }

    void formatsThatDoNotExistAreRefused() {
        const Ran typo = exportTo("pgn", path("x"));
        QVERIFY2(typo.status == 2 && typo.err.contains("did you mean “png”?"), typo.told());
        QVERIFY(!QFile::exists(path("x")));
    }

    void whatCannotBeWrittenLeavesNothing() {
        const Ran ran = exportTo("csv", path("no/such/folder/run.csv"));
        QVERIFY2(ran.status == 2 && ran.err.contains("no/such/folder"), ran.told());
        const Ran missing = program({QStringLiteral("export"), path("missing.lockscope"), QStringLiteral("--to"),
                                     QStringLiteral("csv"), path("y.csv")});
        QVERIFY2(missing.status == 2 && !QFile::exists(path("y.csv")), missing.told());
    }
};

QTEST_GUILESS_MAIN(tst_cli_export)
#include "tst_cli_export.moc"
