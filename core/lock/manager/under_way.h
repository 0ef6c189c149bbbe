// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace lockscope::detail {

/// Counts something as under way until its coroutine ends, by a stop request, too.
class UnderWay {
public:
    explicit UnderWay(int& count) : m_count(count) { ++m_count; }
    ~UnderWay() { --m_count; }
    UnderWay(const UnderWay&) = delete;
    UnderWay& operator=(const UnderWay&) = delete;

private:
    int& m_count;
};

} // namespace lockscope::detail
