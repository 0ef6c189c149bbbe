// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>
#include <array>
#include <optional>

class QLineEdit;

namespace lockscope::views {

class Pill;

/// How many locks there are of the kinds that a person on call looks for.
struct LockCounts {
    int held = 0, waitedFor = 0, alerted = 0, endless = 0, guesses = 0;
    friend bool operator==(const LockCounts&, const LockCounts&) = default;
};

/// A row of chips above the table of locks: "held 5", "alerts 1", …. Each one stands for a word of the filter field,
/// which it writes there and takes away again; a chip of a word that somebody typed is checked, too. Alt+1 to Alt+5,
/// in its parent.
class LockChips : public QWidget {
    Q_OBJECT
public:
    explicit LockChips(QLineEdit* filter, QWidget* parent = nullptr);
    void setCounts(const LockCounts& counts);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Chip {
        QString term; ///< of the filter
        Pill* pill = nullptr;
        int count = 0;
    };
    void toggle(const Chip& chip);
    /// Words, ticks, and which chips there are: those that stand for no lock and are not checked stay away.
    void tell();
    void fit();
    /// "held": without its count.
    static QString nameOf(std::size_t chip);

    QLineEdit* m_filter;
    std::array<Chip, 5> m_chips;
    std::optional<LockCounts> m_counts;
};

} // namespace lockscope::views
