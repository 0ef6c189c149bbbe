// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stop_token>

namespace lockscope::blocking::detail {

/// A stop token for one hold, made when it is first asked for: most holds end before anybody does. Guarded by
/// Entry::guard.
class Loss {
public:
    /// `happened`: the hold is lost already. A hold that was taken anew after a loss has a new token.
    std::stop_token token(bool happened) {
        if (!m_source.stop_possible() || (m_source.stop_requested() && !happened)) m_source = std::stop_source();
        if (happened) m_source.request_stop(); // nobody has a callback yet, or it has been called
        return m_source.get_token();
    }
    /// The source to stop when the hold is lost after the guard was released.
    const std::stop_source& source() const { return m_source; }

private:
    std::stop_source m_source{std::nostopstate};
};

} // namespace lockscope::blocking::detail
