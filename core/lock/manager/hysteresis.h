// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace lockscope {

/// Derives healthy or unhealthy from good and bad checks, without flapping: `failures` bad checks in a row make it
/// unhealthy, `successes` good ones in a row healthy again. Starts healthy.
class Hysteresis {
public:
    Hysteresis(int failures, int successes) : m_failures(failures), m_successes(successes) {}
    /// Enters the result of a check; true when healthy() changed.
    bool enter(bool good) {
        m_against = good == m_healthy ? 0 : m_against + 1;
        if (m_against < (m_healthy ? m_failures : m_successes)) return false;
        m_against = 0;
        m_healthy = !m_healthy;
        return true;
    }
    /// Sets new thresholds.
    void want(int failures, int successes) {
        m_failures = failures;
        m_successes = successes;
    }
    bool healthy() const { return m_healthy; }

private:
    int m_failures, m_successes;
    int m_against = 0; ///< checks in a row that contradict the present state
    bool m_healthy = true;
};

} // namespace lockscope
