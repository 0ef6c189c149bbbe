// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace lockscope {

/// Turns good and bad checks into healthy and unhealthy, without flapping: so many bad ones in a row make it unhealthy,
/// so many good ones in a row healthy again. Healthy to begin with.
class Hysteresis {
public:
    Hysteresis(int failures, int successes) : m_failures(failures), m_successes(successes) {}
    /// Enters a check; true when that has changed healthy().
    bool enter(bool good) {
        m_against = good == m_healthy ? 0 : m_against + 1;
        if (m_against < (m_healthy ? m_failures : m_successes)) return false;
        m_against = 0;
        m_healthy = !m_healthy;
        return true;
    }
    /// Other numbers from now on.
    void want(int failures, int successes) {
        m_failures = failures;
        m_successes = successes;
    }
    bool healthy() const { return m_healthy; }

private:
    int m_failures, m_successes;
    int m_against = 0; ///< checks in a row that speak against the state
    bool m_healthy = true;
};

} // namespace lockscope
