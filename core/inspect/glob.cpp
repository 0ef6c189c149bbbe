// SPDX-License-Identifier: Apache-2.0
#include "inspect/glob.h"

namespace lockscope::inspect {

namespace {

// Consumes one [class] of the pattern, which starts after the '['; false when c is not in it.
bool classMatches(QByteArrayView& pattern, char c) {
    const bool negated = pattern.startsWith('^');
    if (negated) pattern = pattern.sliced(1);
    bool inside = false;
    while (!pattern.isEmpty() && pattern.front() != ']') {
        if (pattern.front() == '\\' && pattern.size() > 1) pattern = pattern.sliced(1);
        uchar low = uchar(pattern.front());
        uchar high = low;
        if (pattern.size() >= 3 && pattern[1] == '-' && pattern[2] != ']') {
            high = uchar(pattern[2]);
            pattern = pattern.sliced(2);
        }
        if (low > high) std::swap(low, high);
        inside = inside || (uchar(c) >= low && uchar(c) <= high);
        pattern = pattern.sliced(1);
    }
    if (!pattern.isEmpty()) pattern = pattern.sliced(1);
    return inside != negated;
}

} // namespace

bool globMatches(QByteArrayView pattern, QByteArrayView text) {
    // Only the last '*' can ever need another try: O(pattern × text), not exponential.
    QByteArrayView retryPattern, retryText;
    bool canRetry = false;
    for (;;) {
        if (pattern.startsWith('*')) {
            pattern = pattern.sliced(1);
            retryPattern = pattern;
            retryText = text;
            canRetry = true;
            continue;
        }
        if (text.isEmpty() && pattern.isEmpty()) return true;
        bool matches = false;
        if (!text.isEmpty() && !pattern.isEmpty()) {
            const char c = text.front();
            char wanted = pattern.front();
            pattern = pattern.sliced(1);
            if (wanted == '[') {
                matches = classMatches(pattern, c);
            } else {
                const bool any = wanted == '?';
                if (wanted == '\\' && !pattern.isEmpty()) {
                    wanted = pattern.front();
                    pattern = pattern.sliced(1);
                }
                matches = any || wanted == c;
            }
        }
        if (matches) {
            text = text.sliced(1);
        } else {
            if (!canRetry || retryText.isEmpty()) return false;
            retryText = retryText.sliced(1);
            text = retryText;
            pattern = retryPattern;
        }
    }
}

std::optional<QByteArray> plainTextOf(QByteArrayView pattern) {
    QByteArray text;
    for (qsizetype at = 0; at < pattern.size(); ++at) {
        if (QByteArrayView("*?[").contains(pattern[at])) return std::nullopt;
        if (pattern[at] == '\\' && at + 1 < pattern.size()) ++at;
        text += pattern[at];
    }
    return text;
}

const std::vector<KeyPattern>& usualLockNames() {
    static const std::vector<KeyPattern> names = [] {
        std::vector<KeyPattern> all;
        for (const char* glob :
             {"lock[:_.-]*", "*[:_.-]lock", "*[:_.-]lock[:_.-]*", "locks[:_.-]*", "*[:_.-]locks[:_.-]*", "lock",
              "*Lock", "*_LOCK", "LOCK_*", "mutex[:_.-]*", "*[:_.-]mutex", "*Mutex", "lock[0-9]*", "mylock*"})
            all.push_back({glob, "string"});
        return all;
    }();
    return names;
}

} // namespace lockscope::inspect
