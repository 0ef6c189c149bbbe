// SPDX-License-Identifier: Apache-2.0
#include "recipes/lock_error.h"

namespace lockscope {

QByteArray lockErrorId(LockError::Kind kind) {
    switch (kind) {
    case LockError::Kind::NotOwner:
        return "not-owner";
    case LockError::Kind::Unreachable:
        return "unreachable";
    case LockError::Kind::OutcomeUnknown:
        return "outcome-unknown";
    case LockError::Kind::ForeignFormat:
        return "foreign-format";
    case LockError::Kind::Refused:
        return "refused";
    case LockError::Kind::NotSupported:
        return "not-supported";
    case LockError::Kind::Deadlock:
        return "deadlock";
    case LockError::Kind::WaitExceeded:
        return "wait-exceeded";
    case LockError::Kind::NotPrepared:
        return "not-prepared";
    case LockError::Kind::Interrupted:
        return "interrupted";
    case LockError::Kind::InvalidArgument:
        return "invalid-argument";
    }
    return {};
}

} // namespace lockscope
