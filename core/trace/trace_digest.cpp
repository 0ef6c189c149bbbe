// SPDX-License-Identifier: Apache-2.0
#include "trace/trace_digest.h"

#include <QtEndian>
#include <vector>
#include <xxhash.h>

namespace lockscope::trace {

namespace {

template <typename T>
char* put(char* to, T value) {
    qToLittleEndian(value, to);
    return to + sizeof value;
}

} // namespace

struct TraceDigest::State {
    std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> hash{XXH3_createState(), &XXH3_freeState};
    std::vector<char> buffer = std::vector<char>(Columns::kRows * Columns::kRowBytes);

    void take(const char* end) {
        XXH3_128bits_update(hash.get(), buffer.data(), static_cast<std::size_t>(end - buffer.data()));
    }
};

TraceDigest::TraceDigest() : m_state(std::make_unique<State>()) {
    XXH3_128bits_reset(m_state->hash.get());
}

TraceDigest::~TraceDigest() = default;

void TraceDigest::add(const Entity& entity) {
    char* end = put(m_state->buffer.data(), static_cast<std::uint8_t>(entity.kind));
    end = put(put(end, entity.parent), entity.other);
    m_state->take(put(end, static_cast<std::uint32_t>(entity.name.size())));
    XXH3_128bits_update(m_state->hash.get(), entity.name.constData(), static_cast<std::size_t>(entity.name.size()));
}

void TraceDigest::add(const Columns& rows, std::size_t count) {
    Q_ASSERT(count <= Columns::kRows);
    char* end = m_state->buffer.data();
    for (std::size_t i = 0; i < count; ++i) {
        end = put(put(end, rows.at[i]), rows.value[i]);
        end = put(put(put(end, rows.actor[i]), rows.subject[i]), rows.aux[i]);
        end = put(put(end, rows.kind[i]), rows.flags[i]);
    }
    m_state->take(end);
}

QByteArray TraceDigest::hex() const {
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(m_state->hash.get()));
    return QByteArray(reinterpret_cast<const char*>(canonical.digest), sizeof canonical.digest).toHex();
}

} // namespace lockscope::trace
