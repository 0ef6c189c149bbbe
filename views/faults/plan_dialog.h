// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/view_context.h"

#include <QDialog>

class QComboBox;
class QDialogButtonBox;
class QFormLayout;
class QLineEdit;
class QSpinBox;

namespace lockscope::views {

class DimLabel;
class TargetPicker;

/// Asks for a fault of a simulation: the verb, the target, how long it lasts, how often it comes again, and when it
/// strikes, at a time or by a condition. Accepting adds it to what was done by hand, or puts it in the place of one of
/// those.
class PlanDialog : public QDialog {
    Q_OBJECT
public:
    explicit PlanDialog(ViewContext* context, QWidget* parent = nullptr);
    /// Fills the form.
    void fill(const scenario::Fault& fault);
    /// Begins with the usual condition, that a client gets the lock, instead of a time.
    void chooseCondition();
    /// Accepting changes that one of Session::doneByHand(), with which the form is filled.
    void change(std::size_t deed);
    /// The fault as it stands in the form; nullopt while a field is wrong.
    std::optional<scenario::Fault> fault() const;
    void accept() override;

private:
    void addVerbs();
    void addConditions();
    void addLocks();
    /// Lists what the verb can be done to.
    void listTargets();
    /// If the field names the instant at which faults strike now: as that reads for a condition, or for a time.
    void showWhereItCounts();
    void refresh();
    scenario::Action verb() const;
    session::Breakable::Kind kind() const;
    bool takesTarget() const;
    /// Whether it can strike again and again.
    bool repeats() const;
    /// nullopt: at a time.
    std::optional<scenario::Trigger::On> condition() const;
    std::optional<scenario::Trigger> trigger() const;
    /// Why the form makes no fault yet, as a sentence; empty: it does.
    QString complaint() const;

    ViewContext* m_context;
    QFormLayout* m_form;
    QComboBox* m_verb;
    TargetPicker* m_target = nullptr;
    QComboBox* m_evicted; ///< the lock whose keys are thrown out
    QLineEdit* m_value;
    QLineEdit* m_lasts;
    QLineEdit* m_every;
    QSpinBox* m_times;
    QComboBox* m_when;
    QComboBox* m_client;
    QComboBox* m_lock; ///< of the condition
    QComboBox* m_step;
    QLineEdit* m_left;
    QComboBox* m_server;
    QSpinBox* m_nth;
    QLineEdit* m_after;
    QLineEdit* m_at;
    DimLabel* m_sentence;
    QDialogButtonBox* m_buttons;
    std::optional<scenario::Fault> m_changed; ///< what accepting replaces
};

/// Opens the dialogue over `owner`, for a verb of that entity (kNoEntity: any), which strikes at `at` (missing: at the
/// instant at which faults strike) for `duration`.
void planFault(QWidget* owner, ViewContext& context, trace::EntityId entity, std::optional<Nanos> at = {},
               std::optional<Nanos> duration = {});
/// Opens it to change one of the faults done by hand.
void changeDeed(QWidget* owner, ViewContext& context, std::size_t deed);

} // namespace lockscope::views
