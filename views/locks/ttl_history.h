// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/view_context.h"

#include <QWidget>

namespace lockscope::views {

/// One stretch of a lease: from a grant or a renewal to the next, or to its end.
struct LeaseStretch {
    Nanos from{}, to{};
    Nanos deadline = kNever;
    Nanos lease{};        ///< full length; 0 = never expires
    bool renewed = false; ///< began by a renewal, not by a new holder nor by a server that came back into sight
    friend bool operator==(const LeaseStretch&, const LeaseStretch&) = default;
};

/// The leases of a lock in [from, to], by the record: none while that was not observed. Looks at no more than
/// `mostRows` rows before `to`; `*cut` tells that it stopped there.
std::vector<LeaseStretch> leaseHistory(const trace::Trace& trace, trace::EntityId lock, Nanos from, Nanos to,
                                       std::size_t mostRows, bool* cut = nullptr);

/// The lease's remaining time over the last while: a small saw-tooth that ends at the playhead.
class TtlHistory : public QWidget {
    Q_OBJECT
public:
    explicit TtlHistory(ViewContext* context, QWidget* parent = nullptr);
    void setLock(trace::EntityId lock);
    /// Call when playhead or trace changed.
    void refresh();
    /// How far back the picture goes.
    Nanos span() const { return m_to - m_from; }
    const std::vector<LeaseStretch>& stretches() const { return m_stretches; }
    QSize sizeHint() const override { return {200, 40}; }

protected:
    void paintEvent(QPaintEvent*) override;

private:
    ViewContext* m_context;
    trace::EntityId m_lock = trace::kNoEntity;
    Nanos m_from{}, m_to{};
    QString m_end; ///< m_to in words
    std::vector<LeaseStretch> m_stretches;
    bool m_cut = false; ///< what is older was not looked at
};

} // namespace lockscope::views
