// SPDX-License-Identifier: GPL-3.0-or-later
#include "editor/scenario_editor.h"

#include "editor/fault_axis.h"
#include "editor/field_keys.h"
#include "editor/list_editor.h"
#include "editor/object_form.h"
#include "editor/run_preview.h"
#include "scenario/scenario_file.h"
#include "scenario/user_files.h"

#include <QListWidget>
#include <QMenu>

namespace lockscope::views {

ScenarioEditor::ScenarioEditor(QWidget* parent)
    : EditorWindow(EditedDocument::Kind::Scenario, parent),
      m_axis(new FaultAxis(document())),
      m_preview(new RunPreview(document(), [this]() -> std::optional<RunPreview::Wanted> {
          const auto& scenario = document()->scenario();
          if (!scenario) return std::nullopt;
          return RunPreview::Wanted{*scenario, scenario->seed.value_or(scenario::kUsualSeed), {}};
      })) {
    setObjectName(QStringLiteral("scenario-editor"));
    addSection(tr("Scenario"),
               keys({"id", "title", "summary", "recipe", "until", "seed", "recipes", "chapter", "order"}));
    addSection(tr("Servers"), keys({"services", "manager"}));
    addSection(tr("Locks"), keys({"locks", "resource"}));
    addSection(tr("Clients and programs"), keys({"workload", "programs", "clients"}));
    addSection(tr("Network"), keys({"network"}));
    m_faultSection = sections()->count();
    addSection(tr("Faults"), keys({"faults"}));
    addSection(tr("Promises"), keys({"expect", "source"}));
    QAction* const run =
        addCommand(QStringLiteral("editor.run"), tr("Run"), tr("Puts it on the timeline, with the seed in use there"),
                   {Qt::CTRL | Qt::Key_R}, "play", [this] { this->run(); });
    connect(document(), &EditedDocument::changed, run,
            [this, run] { run->setEnabled(document()->scenario().has_value()); });
    m_axis->setObjectName(QStringLiteral("editor.axis"));
    addBelow(m_axis, m_preview);
    connect(m_preview, &RunPreview::shown, this, [this] { m_axis->setLeft(m_preview->axisLeft()); });
    m_showPreview = addSwitch(QStringLiteral("editor.preview-run"), tr("&Show what it does"),
                              {Qt::CTRL | Qt::SHIFT | Qt::Key_D}, [this] { showPreview(); });
    connect(m_axis, &FaultAxis::told, this, &ScenarioEditor::tell);
    connect(m_axis, &FaultAxis::currentChanged, this, [this](int index) {
        if (index < 0) return;
        showSection(m_faultSection);
        if (ListEditor* const list = faultList(); list && list->current() != index) list->setCurrent(index);
    });
    // The list of the form comes with its section.
    connect(sections(), &QListWidget::currentRowChanged, this, [this](int section) {
        ListEditor* const list = section == m_faultSection ? faultList() : nullptr;
        if (!list) return;
        connect(list, &ListEditor::currentChanged, m_axis, &FaultAxis::setCurrent, Qt::UniqueConnection);
        if (m_axis->current() < 0) m_axis->setCurrent(list->current());
    });
    newDocument();
}

void ScenarioEditor::resizeEvent(QResizeEvent* event) {
    EditorWindow::resizeEvent(event);
    showPreview();
}

void ScenarioEditor::showPreview() {
    if (!m_showPreview) return;
    m_preview->fitInto(height(), m_showPreview->isChecked());
    if (m_preview->isHidden()) m_axis->setLeft(0);
}

ListEditor* ScenarioEditor::faultList() const {
    return form() ? qobject_cast<ListEditor*>(form()->field(QStringLiteral("faults"))) : nullptr;
}

void ScenarioEditor::run() {
    document()->flush();
    if (document()->scenario()) Q_EMIT runWanted(*document()->scenario());
}

QString ScenarioEditor::folder() const {
    return scenario::userFolder(scenario::Shelf::Scenarios);
}

void ScenarioEditor::fillCopies() {
    for (const QString& name : scenario::userFiles(scenario::Shelf::Scenarios))
        offerCopy(name, scenario::userFile(scenario::Shelf::Scenarios, name));
    copiesMenu()->addSeparator();
    for (const QString& id : scenario::builtinScenarios())
        offerCopy(id, QStringLiteral(":/scenarios/%1.json").arg(id));
}

} // namespace lockscope::views
