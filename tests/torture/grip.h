// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <lockscope/mutex.h>
#include <lockscope/semaphore.h>
#include <lockscope/shared_mutex.h>

namespace lockscope::torture {

/// One thread's way to take one lock in one mode.
class Grip {
public:
    virtual ~Grip() = default;
    /// Throws LockException, InterruptedException.
    virtual bool take(Nanos wait, std::stop_token stop) = 0;
    virtual bool stillMine() const = 0;
    /// How often this thread has it.
    virtual int holds() const = 0;
    /// Gives one hold up; those left. Throws LockException.
    virtual int giveUp() = 0;
};

class AloneGrip final : public Grip {
public:
    explicit AloneGrip(blocking::ExclusiveLock& lock) : m_lock(lock) {}
    bool take(Nanos wait, std::stop_token stop) override {
        if (wait == Nanos(0)) return m_lock.try_lock();
        if (wait != kNever) return m_lock.try_lock_for(wait, std::move(stop));
        m_lock.lock(std::move(stop));
        return true;
    }
    bool stillMine() const override { return m_lock.stillMine(); }
    int holds() const override { return m_lock.holdCount(); }
    int giveUp() override { return m_lock.unlockOrThrow(); }

private:
    blocking::ExclusiveLock& m_lock;
};

class SharedGrip final : public Grip {
public:
    explicit SharedGrip(blocking::SharedMutex& lock) : m_lock(lock) {}
    bool take(Nanos wait, std::stop_token stop) override {
        if (wait == Nanos(0)) return m_lock.try_lock_shared();
        if (wait != kNever) return m_lock.try_lock_shared_for(wait, std::move(stop));
        m_lock.lock_shared(std::move(stop));
        return true;
    }
    bool stillMine() const override { return m_lock.stillShared(); }
    int holds() const override { return m_lock.sharedHoldCount(); }
    int giveUp() override { return m_lock.unlockSharedOrThrow(); }

private:
    blocking::SharedMutex& m_lock;
};

class PermitGrip final : public Grip {
public:
    PermitGrip(blocking::Semaphore& seats, int permits) : m_seats(seats), m_permits(permits) {}
    bool take(Nanos wait, std::stop_token stop) override {
        if (wait == Nanos(0))
            m_permit = m_seats.tryAcquire(m_permits);
        else if (wait != kNever)
            m_permit = m_seats.tryAcquireFor(wait, m_permits, std::move(stop));
        else
            m_permit = m_seats.acquire(m_permits, std::move(stop));
        return bool(m_permit);
    }
    bool stillMine() const override { return m_permit.stillMine(); }
    int holds() const override { return m_permit ? 1 : 0; }
    int giveUp() override {
        m_permit.unlock();
        return 0;
    }

private:
    blocking::Semaphore& m_seats;
    int m_permits;
    blocking::Permit m_permit;
};

} // namespace lockscope::torture
