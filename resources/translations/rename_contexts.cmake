# SPDX-License-Identifier: GPL-3.0-or-later
# lupdate files the strings of free functions named tr() under the namespace around them; at run time they are looked up
# under the name that the function gives. Run after lupdate: cmake -P rename_contexts.cmake
foreach(language en zh_CN)
  set(ts ${CMAKE_CURRENT_LIST_DIR}/lockscope_${language}.ts)
  file(READ ${ts} text)
  string(REGEX REPLACE "<name>lockscope::cli(::[A-Za-z]+)?</name>" "<name>cli</name>" text "${text}")
  string(REGEX REPLACE "<name>lockscope::scenario(::[A-Za-z]+)?</name>" "<name>scenario</name>" text "${text}")
  string(REPLACE "<name>lockscope::sim::World</name>" "<name>Faults</name>" text "${text}")
  string(REPLACE "<name>lockscope::sim</name>" "<name>Settings</name>" text "${text}")
  string(REPLACE "<name>std</name>" "<name>lockscope::session::Session</name>" text "${text}")
  file(WRITE ${ts} "${text}")
endforeach()
