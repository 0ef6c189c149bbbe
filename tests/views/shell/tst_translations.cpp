// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/format.h"
#include "verdict/verdict.h"
#include "verdict/words.h"
#include "window/language.h"

#include <QFile>
#include <QRegularExpression>
#include <QTest>
#include <QXmlStreamReader>
#include <set>

using namespace lockscope;

namespace {

struct Message {
    QString context, source;
    QStringList translations;
    bool unfinished = false;
};

/// All messages of a translation file.
QList<Message> messagesOf(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) return {};
    QXmlStreamReader xml(&file);
    QList<Message> messages;
    QString context;
    while (!xml.atEnd()) {
        xml.readNext();
        if (!xml.isStartElement()) continue;
        if (xml.name() == u"name") context = xml.readElementText();
        if (xml.name() == u"message") messages << Message{context, {}, {}, false};
        if (xml.name() == u"source") messages.last().source = xml.readElementText();
        if (xml.name() == u"translation") {
            messages.last().unfinished = xml.attributes().hasAttribute(QStringLiteral("type"));
            const QString text = xml.readElementText(QXmlStreamReader::IncludeChildElements).trimmed();
            messages.last().translations << text;
        }
    }
    return messages;
}

QString ts(const char* language) {
    return QStringLiteral(LOCKSCOPE_SOURCE_DIR "/resources/translations/lockscope_%1.ts").arg(QLatin1String(language));
}

std::set<QString> placeholders(const QString& text) {
    static const QRegularExpression pattern(QStringLiteral("%(\\d|n)"));
    std::set<QString> found;
    for (auto it = pattern.globalMatch(text); it.hasNext();)
        found.insert(it.next().captured());
    return found;
}

} // namespace

class TestTranslations : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void cleanup() { app::speak(QStringLiteral("en")); }

    /// A string is looked up under the name that its class declares, which a tool may miss.
    void verdictsAreFoundAtRunTime() {
        app::speak(QStringLiteral("zh_CN"));
        for (const verdict::Invariant invariant : verdict::kInvariants) {
            const QString name = verdict::invariantName(invariant);
            QVERIFY2(!name.contains(QRegularExpression(QStringLiteral("[a-z]{3}"))), qPrintable(name));
        }
    }

    /// Words that testers did not understand, and that were replaced: none of them comes back.
    void oldWordsAreGone() {
        const QStringList old{QStringLiteral("Too little was seen to judge"),
                              QStringLiteral("No fault struck before this"),
                              QStringLiteral("No invariant breaks after this"),
                              QStringLiteral("seen by our own clients"),
                              QStringLiteral("This format does not say who waits"),
                              QStringLiteral("fixed here"),
                              QStringLiteral("Save the scenario so far"),
                              QStringLiteral("Restore the layout's own arrangement"),
                              QStringLiteral("Let panels be moved"),
                              QStringLiteral("foreign-format"),
                              QStringLiteral("Skip to here"),
                              QStringLiteral("from the playhead on"),
                              QStringLiteral("judge looks on"),
                              QStringLiteral("双重持有")};
        const QList<Message> messages = messagesOf(ts("zh_CN"));
        QVERIFY(messages.size() > 800);
        for (const Message& message : messages)
            for (const QString& words : old) {
                QVERIFY2(!message.source.contains(words), qPrintable(message.context + u": "_qs + message.source));
                QVERIFY2(!message.translations.join(u' ').contains(words), qPrintable(message.source));
            }
    }

    void noStringIsUnfinished_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<int>("least");
        QTest::newRow("zh_CN") << ts("zh_CN") << 800;
        QTest::newRow("en") << ts("en") << 15;
    }
    void noStringIsUnfinished() {
        QFETCH(QString, file);
        QFETCH(int, least);
        const QList<Message> messages = messagesOf(file);
        QVERIFY(messages.size() >= least);
        for (const Message& message : messages) {
            QVERIFY2(!message.unfinished, qPrintable(message.context + QStringLiteral(": ") + message.source));
            for (const QString& translation : message.translations)
                QVERIFY2(!translation.isEmpty() || message.source.trimmed().isEmpty(), qPrintable(message.source));
        }
    }

    void everyPlaceholderSurvives() {
        for (const Message& message : messagesOf(ts("zh_CN")))
            for (const QString& translation : message.translations)
                QVERIFY2(placeholders(message.source) == placeholders(translation),
                         qPrintable(message.source + QStringLiteral(" → ") + translation));
    }

    void noContextIsOneThatIsNeverLookedUp() {
        for (const Message& message : messagesOf(ts("zh_CN")))
            QVERIFY2(message.context != QLatin1String("std") && message.context != QLatin1String("lockscope::cli"),
                     qPrintable(message.context));
    }

    void englishHasItsPluralForms() {
        app::speak(QStringLiteral("en"));
        const auto servers = [](int n) {
            return QCoreApplication::translate("lockscope::app::StatusLine", "%n server(s)", nullptr, n);
        };
        QCOMPARE(servers(1), QStringLiteral("1 server"));
        QCOMPARE(servers(3), QStringLiteral("3 servers"));
        for (const Message& message : messagesOf(ts("en")))
            for (const QString& translation : message.translations)
                QVERIFY2(!translation.contains(QLatin1String("(s)")), qPrintable(translation));
    }

    void chineseIsSpokenWhenAskedFor() {
        app::speak(QStringLiteral("zh_CN"));
        QCOMPARE(views::unknown(), QStringLiteral("未知"));
        QCOMPARE(QCoreApplication::translate("cli", "FILE"), QStringLiteral("文件"));
        app::speak(QStringLiteral("en"));
        QCOMPARE(views::unknown(), QStringLiteral("unknown"));
    }

    void theWordsOfTheFieldAreUsed() {
        QString all;
        for (const Message& message : messagesOf(ts("zh_CN")))
            all += message.translations.join(QLatin1Char(' '));
        for (const char16_t* word :
             {u"持有者", u"等待者", u"租约", u"剩余时间", u"看门狗", u"栅栏令牌", u"可重入次数", u"不变量"})
            QVERIFY2(all.contains(QString::fromUtf16(word)), qPrintable(QString::fromUtf16(word)));
    }

    void anUnknownLanguageFallsBack() {
        QCOMPARE(app::resolvedLanguage(QStringLiteral("zh_CN")), QStringLiteral("zh_CN"));
        QVERIFY(app::languages().contains(app::resolvedLanguage(QStringLiteral("tlh"))));
    }
};

QTEST_GUILESS_MAIN(TestTranslations)
#include "tst_translations.moc"
