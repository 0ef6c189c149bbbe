// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

namespace lockscope {

/// A function without arguments that is called once and not copied. It keeps what it captures in itself, up to kRoom
/// bytes; std::function asks the heap for whatever is more than a pointer or two, at every message of a simulation.
class SmallCall {
public:
    static constexpr std::size_t kRoom = 56;

    /// Empty.
    SmallCall() = default;
    /// Keeps `call`; its captures move in.
    template <typename F, typename = std::enable_if_t<!std::is_same_v<std::remove_cvref_t<F>, SmallCall>>>
    SmallCall(F&& call) { // NOLINT(google-explicit-constructor): as std::function
        using Held = std::remove_cvref_t<F>;
        if constexpr (fits<Held>()) {
            std::construct_at(reinterpret_cast<Held*>(m_room), std::forward<F>(call));
            m_ways = &waysOf<Held>;
        } else {
            std::construct_at(reinterpret_cast<Far<Held>*>(m_room), std::make_unique<Held>(std::forward<F>(call)));
            m_ways = &waysOf<Far<Held>>;
        }
    }
    SmallCall(SmallCall&& other) noexcept { takeFrom(other); }
    /// Drops what it has, and leaves `other` empty.
    SmallCall& operator=(SmallCall&& other) noexcept {
        if (this == &other) return *this;
        reset();
        takeFrom(other);
        return *this;
    }
    ~SmallCall() { reset(); }

    /// Whether it has a function.
    explicit operator bool() const { return m_ways != nullptr; }
    /// Precondition: it is not empty.
    void operator()() { m_ways->call(m_room); }
    /// Drops what it captured.
    void reset() {
        if (const Ways* const ways = std::exchange(m_ways, nullptr)) ways->drop(m_room);
    }

private:
    template <typename F>
    struct Far {
        std::unique_ptr<F> call;
        void operator()() { (*call)(); }
    };
    /// The type of a captured function as three functions over its bytes.
    struct Ways {
        void (*call)(std::byte*);
        void (*move)(std::byte* from, std::byte* to) noexcept;
        void (*drop)(std::byte*) noexcept;
    };
    template <typename F>
    static constexpr Ways waysOf{[](std::byte* room) { (*reinterpret_cast<F*>(room))(); },
                                 [](std::byte* from, std::byte* to) noexcept {
                                     F& held = *reinterpret_cast<F*>(from);
                                     std::construct_at(reinterpret_cast<F*>(to), std::move(held));
                                     std::destroy_at(&held);
                                 },
                                 [](std::byte* room) noexcept { std::destroy_at(reinterpret_cast<F*>(room)); }};
    template <typename F>
    static constexpr bool fits() {
        return sizeof(F) <= kRoom && alignof(F) <= alignof(std::max_align_t) && std::is_nothrow_move_constructible_v<F>;
    }
    void takeFrom(SmallCall& other) {
        m_ways = std::exchange(other.m_ways, nullptr);
        if (m_ways) m_ways->move(other.m_room, m_room);
    }

    const Ways* m_ways = nullptr;
    alignas(std::max_align_t) std::byte m_room[kRoom];
};

} // namespace lockscope
