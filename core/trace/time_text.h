// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/time.h"

#include <QString>

namespace lockscope {

// Times as text for people, translated. The views and a verdict's sentences write every time by these functions. An
// instant is always rounded down, so that it reads alike everywhere: its text with fewer decimals is the beginning of
// its text with more.

/// A length of time with its unit and as many digits as matter: "120 µs", "812 ms", "4.2 s", "29.1 s", "3 m 12 s",
/// "8 h 12 m", "3 d 4 h". kNever gives "never". Rounded down, so that a TTL never shows more than is left.
QString durationText(Nanos d);

/// A length of time that somebody chose, as one writes it: "5 s" for a lease or a pause, where durationText() has "5.0
/// s". A reading keeps its tenth, so that it does not change its width as it runs.
QString spanText(Nanos d);

/// An instant on the time axis with as many decimals as tell instants `scale` apart: tenths of a second from 1 s on,
/// milliseconds from 10 ms on, else microseconds; milliseconds where `scale` is 0, for a moment that stands alone.
/// "6.8 s", "6.812 s", from a minute on "1:06.8". kNever gives "never".
QString instantText(Nanos t, Nanos scale = Nanos(0));

/// "6.0 – 7.2 s", with as many decimals as tell the two ends apart. to = kNever means that the interval goes on:
/// "6.0 s – now", with as many decimals as tell `from` and `now` apart.
QString intervalText(Nanos from, Nanos to, Nanos now = kNever);

/// The length of an interval, as a reader computes it from the two ends that intervalText() shows: "1.2 s" for 5.858 s
/// to 7.071 s, which are shown as 5.8 s and 7.0 s. Precondition: to is not kNever and not before from.
QString lengthText(Nanos from, Nanos to);

/// A clock of constant width: "00:06.812", from an hour on "1:00:06.812". Times below 0 read as 0.
QString clockText(Nanos t);

} // namespace lockscope
