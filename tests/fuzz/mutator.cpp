// SPDX-License-Identifier: Apache-2.0
#include "mutator.h"

#include <QJsonArray>
#include <QJsonObject>

namespace lockscope::fuzz {

namespace {

constexpr qsizetype kLongest = 100'000; // bytes; an input that grew larger is cut

/// A random part of `input`: begin and length.
std::pair<qsizetype, qsizetype> part(const QByteArray& input, Chance& chance) {
    const auto begin = qsizetype(chance.below(std::size_t(input.size()) + 1));
    const auto most = std::size_t(std::min<qsizetype>(input.size() - begin, chance.oneIn(4) ? 4096 : 16));
    return {begin, qsizetype(chance.below(most + 1))};
}

/// Swaps a number in the text for another one.
void changeNumber(QByteArray& input, Chance& chance) {
    const auto isDigit = [&](qsizetype at) { return at < input.size() && input[at] >= '0' && input[at] <= '9'; };
    const auto start = qsizetype(chance.below(std::size_t(input.size()) + 1));
    for (qsizetype i = 0; i < input.size(); ++i) {
        qsizetype begin = (start + i) % input.size();
        if (!isDigit(begin)) continue;
        while (begin > 0 && isDigit(begin - 1))
            --begin;
        qsizetype end = begin;
        while (isDigit(end))
            ++end;
        input.replace(begin, end - begin, edgeNumber(chance));
        return;
    }
}

} // namespace

QByteArray edgeNumber(Chance& chance) {
    static const std::vector<QByteArray> numbers{
        "0",
        "1",
        "-1",
        "2",
        "7",
        "10",
        "99",
        "127",
        "128",
        "255",
        "256",
        "1000",
        "32767",
        "65535",
        "65536",
        "1000000",
        "1048576",
        "1048577",
        "2147483647",
        "2147483648",
        "4294967295",
        "4294967296",
        "-2147483648",
        "1099511627776",
        "1152921504606846976",
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808",
        "18446744073709551615",
        "18446744073709551616",
        "0.5",
        "1e308",
        "1e-9",
        "00",
        "+5",
        "",
    };
    if (chance.oneIn(4)) return QByteArray::number(qulonglong(chance.next() >> chance.below(64)));
    return chance.of(numbers);
}

QByteArray Mutator::mutate(QByteArray input, std::span<const QByteArray> others, Chance& chance) const {
    for (std::size_t changes = 1 + chance.below(6); changes > 0; --changes)
        change(input, others, chance);
    input.truncate(kLongest);
    return input;
}

void Mutator::change(QByteArray& input, std::span<const QByteArray> others, Chance& chance) const {
    const auto [begin, length] = part(input, chance);
    switch (chance.below(10)) {
    case 0: // a bit
        if (!input.isEmpty()) {
            char& byte = input.data()[chance.below(std::size_t(input.size()))];
            byte = char(byte ^ (1 << chance.below(8)));
        }
        break;
    case 1: // a byte
        if (!input.isEmpty()) input.data()[chance.below(std::size_t(input.size()))] = char(chance.below(256));
        break;
    case 2:
        input.remove(begin, length);
        break;
    case 3: // a part stands elsewhere, too
        input.insert(qsizetype(chance.below(std::size_t(input.size()) + 1)), input.mid(begin, length));
        break;
    case 4: // a part many times over
        input.insert(begin, input.mid(begin, length).repeated(qsizetype(chance.below(chance.oneIn(30) ? 3000 : 20))));
        break;
    case 5:
    case 6:
        if (!m_words.empty()) input.replace(begin, chance.oneIn(2) ? 0 : length, chance.of(m_words));
        break;
    case 7:
        changeNumber(input, chance);
        break;
    case 8:
        if (chance.oneIn(3)) input.truncate(begin);
        break;
    case 9:
        if (!others.empty()) {
            const QByteArray& other = others[chance.below(others.size())];
            const auto [from, count] = part(other, chance);
            input.replace(begin, length, other.mid(from, chance.oneIn(2) ? count : -1));
        }
        break;
    default:
        Q_UNREACHABLE();
    }
}

namespace {

QJsonValue anyValue(std::span<const QByteArray> words, Chance& chance, int depth = 0) {
    switch (chance.below(depth < 3 ? 8 : 6)) {
    case 0:
        return chance.oneIn(2);
    case 1:
        return QJsonValue(QJsonValue::Null);
    case 2:
        return edgeNumber(chance).toDouble();
    case 3:
        return QString::fromLatin1(edgeNumber(chance));
    case 4:
    case 5:
        return words.empty() ? QString() : QString::fromUtf8(words[chance.below(words.size())]);
    case 6: {
        QJsonArray array;
        for (std::size_t i = chance.below(4); i > 0; --i)
            array.append(anyValue(words, chance, depth + 1));
        return array;
    }
    default: {
        QJsonObject object;
        for (std::size_t i = chance.below(4); i > 0 && !words.empty(); --i)
            object.insert(QString::fromUtf8(words[chance.below(words.size())]), anyValue(words, chance, depth + 1));
        return object;
    }
    }
}

} // namespace

QJsonValue mutateJson(const QJsonValue& value, std::span<const QByteArray> words, Chance& chance) {
    if (value.isObject() && !chance.oneIn(8)) {
        QJsonObject object = value.toObject();
        if (object.isEmpty() || chance.oneIn(8)) {
            if (!words.empty())
                object.insert(QString::fromUtf8(words[chance.below(words.size())]), anyValue(words, chance));
            return object;
        }
        const QString key = chance.of(object.keys());
        if (chance.oneIn(6))
            object.remove(key);
        else
            object.insert(key, mutateJson(object.value(key), words, chance));
        return object;
    }
    if (value.isArray() && !chance.oneIn(8)) {
        QJsonArray array = value.toArray();
        const auto at = qsizetype(chance.below(std::size_t(array.size()) + 1));
        if (at == array.size())
            array.append(array.isEmpty() || chance.oneIn(2) ? anyValue(words, chance) : array.first());
        else if (chance.oneIn(6))
            array.removeAt(at);
        else
            array.replace(at, mutateJson(array.at(at), words, chance));
        return array;
    }
    if (value.isString() && chance.oneIn(2)) {
        QByteArray text = value.toString().toUtf8();
        changeNumber(text, chance);
        return QString::fromUtf8(text);
    }
    return anyValue(words, chance);
}

} // namespace lockscope::fuzz
