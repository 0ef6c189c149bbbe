// SPDX-License-Identifier: Apache-2.0
#include "inspect/sql/known_keys.h"

#include <cstdint>
#include <limits>

namespace lockscope::inspect {

namespace {

/// The usual CRC-32 (of zlib, PNG), by which Rails makes a number of a database's name.
std::uint32_t crc32(const QByteArray& text) {
    constexpr std::uint32_t kPolynomial = 0xedb88320;
    std::uint32_t crc = ~0U;
    for (const char byte : text) {
        crc ^= static_cast<unsigned char>(byte);
        for (int bit = 0; bit < 8; ++bit)
            crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
    }
    return ~crc;
}

} // namespace

QByteArray libraryOfKey(const QByteArray& key, const QByteArray& database) {
    bool isNumber = false;
    const qlonglong number = key.toLongLong(&isNumber);
    if (!isNumber) return {};
    constexpr qlonglong kFlyway = 77'431'708'279'161; // plus a hash of 32 bits of the table's name
    if (number >= kFlyway + std::numeric_limits<std::int32_t>::min() &&
        number <= kFlyway + std::numeric_limits<std::int32_t>::max())
        return "Flyway";
    constexpr qlonglong kRails = 2'053'462'845;
    if (!database.isEmpty() && number == kRails * qlonglong(crc32(database))) return "Rails migrations";
    return {};
}

QByteArray advisoryLockName(const QByteArray& key, const QByteArray& database) {
    const QByteArray library = libraryOfKey(key, database);
    return library.isEmpty() ? key : key + " (" + library + ')';
}

} // namespace lockscope::inspect
