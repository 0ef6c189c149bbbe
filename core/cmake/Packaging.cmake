# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts beside the program, and how `./dev package` makes a Debian package of it.
install(FILES ${CMAKE_SOURCE_DIR}/resources/lockscope.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
install(FILES ${CMAKE_SOURCE_DIR}/resources/lockscope-mime.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages
  RENAME lockscope.xml)
install(FILES ${CMAKE_SOURCE_DIR}/resources/icons/lockscope.svg
  DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps)
# For editors of scenarios and lessons: the program has them inside.
install(FILES ${CMAKE_SOURCE_DIR}/resources/scenarios/scenario-2.schema.json
  ${CMAKE_SOURCE_DIR}/resources/scenarios/scenario.schema.json ${CMAKE_SOURCE_DIR}/resources/lessons/lesson.schema.json
  DESTINATION ${CMAKE_INSTALL_DATADIR}/lockscope/schemas COMPONENT data)
install(FILES ${CMAKE_SOURCE_DIR}/tests/examples/manager.json
  DESTINATION ${CMAKE_INSTALL_DATADIR}/lockscope/examples COMPONENT data)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE.GPL-3.0 ${CMAKE_SOURCE_DIR}/LICENSE.Apache-2.0 ${CMAKE_SOURCE_DIR}/README.md
  DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/lockscope)
install(FILES ${CMAKE_SOURCE_DIR}/app/README.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/lockscope/app)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME lockscope)
set(CPACK_PACKAGE_CONTACT "Lockscope developers <lockscope@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Oscilloscope for distributed locks")
set(CPACK_PACKAGE_DESCRIPTION "Shows who holds a distributed lock, who waits, what is left of the lease, and what the lock
 does when something breaks: in a simulator, and on a running Redis.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Plugins, which no link shows: recordings are SQLite files, icons are SVG.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libqt6sql6-sqlite, libqt6svg6")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "fonts-inter, fonts-jetbrains-mono, fonts-noto-cjk, qt6-translations-l10n")
include(CPack)
