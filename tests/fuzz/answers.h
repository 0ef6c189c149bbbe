// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "driver.h"

#include <QByteArrayView>

namespace lockscope::fuzz {

/// One way to cut an input: always the same for the same input and number.
inline std::vector<QByteArrayView> cut(const QByteArray& input, std::uint64_t way) {
    std::uint64_t hash = 0xcbf29ce484222325ULL + way; // FNV-1a
    for (const char c : input)
        hash = (hash ^ uchar(c)) * 0x100000001b3ULL;
    Chance chance(hash);
    const std::size_t longest = way == 0 ? 1 : 1 + chance.below(way == 1 ? 5 : 3000);
    std::vector<QByteArrayView> pieces;
    for (qsizetype at = 0; at < input.size();) {
        const auto length = std::min(qsizetype(1 + chance.below(longest)), input.size() - at);
        pieces.push_back(QByteArrayView(input).sliced(at, length));
        at += length;
    }
    return pieces;
}
/// How many ways of cutting are tried of each input. Way 0 is byte by byte.
inline constexpr std::uint64_t kCuts = 4;
inline constexpr qsizetype kShort = 4000; ///< longer inputs are not fed byte by byte

/// The result of parsing a stream of bytes: the answers, and the error that ended it, if any.
template <typename Answer>
struct Parsed {
    std::vector<Answer> answers;
    QString error;
    std::size_t largest = 0; ///< bytes, of one piece of memory that was asked for
};

/// Feeds an input whole and cut, and complains when that makes a difference, or when much more memory is asked for than
/// the input is long: a length is only a number, and whoever sends it need not send as much.
/// `parse`: Parsed<Answer>(const std::vector<QByteArrayView>&).
template <typename Parse>
Outcome checkPieces(const QByteArray& input, std::size_t memoryPerByte, Parse parse) {
    constexpr std::size_t kAlways = 128 * std::size_t(1024); // buffers that are there from the start
    const auto whole = parse({QByteArrayView(input)});
    const std::size_t most = kAlways + memoryPerByte * std::size_t(input.size());
    if (whole.largest > most)
        return Outcome::wrong(
            QStringLiteral("%1 bytes of memory in one piece for an input of %2").arg(whole.largest).arg(input.size()));
    for (std::uint64_t way = input.size() > kShort ? 1 : 0; way < kCuts; ++way) {
        const auto pieces = parse(cut(input, way));
        // Which complaint it is may depend on how much of a bad answer was there to see.
        if (!(pieces.answers == whole.answers) || pieces.error.isEmpty() != whole.error.isEmpty())
            return Outcome::wrong(QStringLiteral("fed whole: %1 answers, error “%2”; cut in way %3: %4, error “%5”")
                                      .arg(QString::number(whole.answers.size()), whole.error, QString::number(way),
                                           QString::number(pieces.answers.size()), pieces.error));
        if (pieces.largest > most)
            return Outcome::wrong(QStringLiteral("cut in way %1: %2 bytes of memory in one piece for an input of %3")
                                      .arg(way)
                                      .arg(pieces.largest)
                                      .arg(input.size()));
    }
    return Outcome::fine(QByteArray::number(std::min<qsizetype>(qsizetype(whole.answers.size()), 4)) + " answers; " +
                         sayingOf(whole.error));
}

} // namespace lockscope::fuzz
