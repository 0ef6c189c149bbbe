// SPDX-License-Identifier: Apache-2.0
#include "trace/text.h"

#include <QStringDecoder>

namespace lockscope::trace {

namespace {

/// Characters of other categories that leave no mark of their own.
bool leavesNoMark(char32_t c) {
    return c == 0x034f || c == 0x115f || c == 0x1160 || c == 0x17b4 || c == 0x17b5 || c == 0x3164 || c == 0xffa0 ||
           (c >= 0x180b && c <= 0x180f) || (c >= 0xfe00 && c <= 0xfe0f) || (c >= 0xe0100 && c <= 0xe01ef);
}

bool isVisible(char32_t c) {
    if (c == U' ') return true;
    switch (QChar::category(c)) {
    case QChar::Other_Control:
    case QChar::Other_Format:
    case QChar::Other_Surrogate:
    case QChar::Other_PrivateUse:
    case QChar::Other_NotAssigned:
    case QChar::Separator_Space:
    case QChar::Separator_Line:
    case QChar::Separator_Paragraph:
        return false;
    default:
        return !leavesNoMark(c);
    }
}

QString hex(char32_t n, int digits) {
    return QString::number(uint(n), 16).rightJustified(digits, u'0');
}

/// \xNN is a byte: of a character beyond ASCII it would look like the byte of what is not UTF-8.
QString escaped(char32_t c) {
    if (c < 0x80) return QStringLiteral("\\x") + hex(c, 2);
    return c > 0xffff ? QStringLiteral("\\U") + hex(c, 8) : QStringLiteral("\\u") + hex(c, 4);
}

enum class As : std::uint8_t { Name, Sentence };

/// Most names are such: they need no second look.
bool isPlain(const QByteArray& bytes, As as) {
    const bool name = as == As::Name;
    if (name && (bytes.startsWith(' ') || bytes.endsWith(' '))) return false;
    return std::ranges::all_of(bytes, [name](char c) { return c >= 0x20 && c < 0x7f && !(name && c == '\\'); });
}

QString shown(const QByteArray& bytes, As as) {
    if (isPlain(bytes, as)) return QString::fromLatin1(bytes);
    const bool name = as == As::Name;
    QStringDecoder decoder(QStringDecoder::Utf8, QStringDecoder::Flag::Stateless);
    const QString text = decoder(bytes);
    QString out;
    if (decoder.hasError()) {
        for (const char c : bytes) {
            if (name && c == '\\')
                out += QStringLiteral("\\\\");
            else if (uchar(c) < 0x20 || uchar(c) >= 0x7f)
                out += QStringLiteral("\\x") + hex(uchar(c), 2);
            else
                out += QLatin1Char(c);
        }
        return out;
    }
    const QList<uint> characters = text.toUcs4();
    for (qsizetype i = 0; i < characters.size(); ++i) {
        const char32_t c = characters[i];
        const bool atEnd = name && c == U' ' && (i == 0 || i + 1 == characters.size());
        if (name && c == U'\\')
            out += QStringLiteral("\\\\");
        else if (atEnd || !isVisible(c))
            out += escaped(c);
        else
            out += QString::fromUcs4(&c, 1);
    }
    return out;
}

} // namespace

QString readable(const QByteArray& bytes) {
    return shown(bytes, As::Name);
}

QString readableSentence(const QByteArray& bytes) {
    return shown(bytes, As::Sentence);
}

} // namespace lockscope::trace
