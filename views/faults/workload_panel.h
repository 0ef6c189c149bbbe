// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/view_context.h"

#include <QWidget>

class QComboBox;
class QFormLayout;
class QLineEdit;
class QSpinBox;

namespace lockscope::views {

class DimLabel;
class SectionCaption;

/// The settings that clients work by, as they are at the playhead. Each change goes to the session at once.
class WorkloadPanel : public QWidget {
    Q_OBJECT
public:
    explicit WorkloadPanel(ViewContext* context, QWidget* parent = nullptr);

    /// The control of a setting ("lease"), nullptr when there is none of that name.
    QWidget* control(const QString& setting) const;
    /// The names of all settings that have a control, in alphabetical order.
    QStringList settings() const;
    /// A setting's name as it stands beside its control; empty when there is none of that name.
    QString label(const QString& setting) const;
    /// The error in the last entry; empty when there is none.
    QString complaint() const;

Q_SIGNALS:
    /// Enter in a field of numbers: keys are the window's again.
    void done();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void leaveWrong(const QString& setting);
    /// Escape: the field says again what is in force.
    void giveUp(const QString& setting);
    void addText(const QString& setting, const QString& label, const QString& hint);
    void addChoice(const QString& setting, const QString& label,
                   const std::vector<std::pair<QString, QString>>& choices, const QString& hint);
    void addChoice(const QString& setting, const QString& label, QComboBox* field, const QString& hint);
    void addRow(const QString& setting, const QString& label, QWidget* field, const QString& hint);
    void showSettings();
    QString shown(const QString& setting) const;
    void submit(const QString& setting, const QString& text);
    void submitText(const QString& setting);
    void complain(QLineEdit* field, const QString& message);

    ViewContext* m_context;
    QPointer<session::Session> m_shownSession;
    SectionCaption* m_caption;
    QFormLayout* m_form;
    std::map<QString, QWidget*> m_controls;
    QSpinBox* m_clients = nullptr;
    DimLabel* m_complaint;
    QPointer<QLineEdit> m_told;  ///< the field below which the complaint stands
    QPointer<QLineEdit> m_wrong; ///< the same while the wrong text stands in it
    bool m_showing = false;
};

} // namespace lockscope::views
