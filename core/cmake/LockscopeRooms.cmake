# SPDX-License-Identifier: Apache-2.0
#
# A room is one folder with one idea and one library. Its headers are reached as <room/file.h>, and only by rooms that
# name it in LINKS: each room exposes a folder holding nothing but a link to itself, so a wrong include does not compile.

set(LOCKSCOPE_SANITIZE "" CACHE STRING "Sanitizers, as the compiler's -fsanitize takes them: address,undefined or thread")

add_library(lockscope_flags INTERFACE)
target_compile_options(lockscope_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Werror
  # GCC 12 reports these in standard and Qt headers under optimisation and sanitizers, where there is nothing to fix.
  -Wno-error=maybe-uninitialized -Wno-error=array-bounds -Wno-error=restrict
  -Wno-error=stringop-overflow -Wno-error=stringop-overread -Wno-error=free-nonheap-object -Wno-error=tsan
  # With a precompiled header ccache needs the compiler to keep the include in preprocessed text.
  -fpch-preprocess -fcoroutines)
target_compile_definitions(lockscope_flags INTERFACE
  QT_NO_CAST_FROM_ASCII QT_NO_CAST_TO_ASCII QT_NO_FOREACH QT_NO_KEYWORDS QT_DISABLE_DEPRECATED_BEFORE=0x060400)
# Libraries that only some rooms need are loaded only by the programs that have these rooms: each costs time at start.
target_link_options(lockscope_flags INTERFACE -Wl,--as-needed)
# The quickest linker that is there links the hundreds of test programs, unless somebody has chosen one.
include(CheckLinkerFlag)
if(NOT "${CMAKE_EXE_LINKER_FLAGS} ${CMAKE_SHARED_LINKER_FLAGS}" MATCHES "-fuse-ld=")
  foreach(linker mold lld)
    check_linker_flag(CXX -fuse-ld=${linker} LOCKSCOPE_LINKS_BY_${linker})
    if(LOCKSCOPE_LINKS_BY_${linker})
      target_link_options(lockscope_flags INTERFACE -fuse-ld=${linker})
      break()
    endif()
  endforeach()
endif()
if(LOCKSCOPE_SANITIZE)
  target_compile_options(lockscope_flags INTERFACE -fsanitize=${LOCKSCOPE_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=undefined)
  target_link_options(lockscope_flags INTERFACE -fsanitize=${LOCKSCOPE_SANITIZE})
  if(LOCKSCOPE_SANITIZE STREQUAL "thread")
    target_sources(lockscope_flags INTERFACE
      $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:${CMAKE_SOURCE_DIR}/core/cmake/thread_sanitizer.cpp>)
  endif()
endif()

# What the sanitizers of a test are told: which reports are about libraries that are not ours.
set(lockscope_sanitizer_options "TSAN_OPTIONS=suppressions=${CMAKE_SOURCE_DIR}/tests/tsan.supp:die_after_fork=0;ASAN_OPTIONS=detect_stack_use_after_return=1;LSAN_OPTIONS=suppressions=${CMAKE_SOURCE_DIR}/tests/lsan.supp;UBSAN_OPTIONS=print_stacktrace=1")

# One precompiled header per kind of room, of one file or a list of them; every user links the same Qt modules, or the
# header would not match.
function(lockscope_pch target headers)
  file(WRITE ${CMAKE_BINARY_DIR}/pch/${target}.cpp "")
  add_library(${target} STATIC ${CMAKE_BINARY_DIR}/pch/${target}.cpp)
  target_link_libraries(${target} PUBLIC lockscope_flags ${ARGN})
  target_precompile_headers(${target} PRIVATE ${headers})
endfunction()

# Gives the target the precompiled header of another one, and the Qt modules that it was compiled with.
function(lockscope_reuse_pch target pch visibility)
  get_target_property(qt ${pch} INTERFACE_LINK_LIBRARIES)
  target_link_libraries(${target} ${visibility} ${qt})
  target_precompile_headers(${target} REUSE_FROM ${pch})
endfunction()

# lockscope_room(<name> FOLDER <path> PCH <pch target> [LINKS <targets…>] [PRIVATE <targets…>])
# Builds every .cpp in FOLDER (and its subfolders) into lockscope_<name>.
function(lockscope_room name)
  cmake_parse_arguments(ROOM "" "FOLDER;PCH" "LINKS;PRIVATE" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${ROOM_FOLDER}/*.cpp ${ROOM_FOLDER}/*.h)
  get_filename_component(leaf ${ROOM_FOLDER} NAME)
  set(door ${CMAKE_BINARY_DIR}/doors/${name})
  file(MAKE_DIRECTORY ${door})
  file(CREATE_LINK ${ROOM_FOLDER} ${door}/${leaf} SYMBOLIC)
  add_library(lockscope_${name} STATIC ${sources})
  set_target_properties(lockscope_${name} PROPERTIES AUTOMOC ON)
  target_include_directories(lockscope_${name} PUBLIC ${door})
  target_link_libraries(lockscope_${name} PUBLIC lockscope_flags ${ROOM_LINKS} PRIVATE ${ROOM_PRIVATE})
  if(ROOM_PCH)
    lockscope_reuse_pch(lockscope_${name} ${ROOM_PCH} PUBLIC)
  endif()
endfunction()

# lockscope_test(<source> LINKS <targets…> [LABELS <labels…>] [TIMEOUT <seconds>] [WITH <folders…>]): one program, one
# ctest entry. WITH names other folders of tests/ whose headers it uses.
function(lockscope_test source)
  cmake_parse_arguments(TEST "" "TIMEOUT" "LINKS;LABELS;DEFINES;WITH" ${ARGN})
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  # Not by AUTOMOC, which gives each of hundreds of programs a target of its own and an empty source to compile.
  get_filename_component(path ${source} ABSOLUTE)
  set(moc ${CMAKE_CURRENT_BINARY_DIR}/${name}.moc)
  set(includes "")
  file(STRINGS ${path} interfaces REGEX "Q_INTERFACES") # the one thing for which moc looks into headers
  if(interfaces)
    set(includes "-I$<JOIN:$<TARGET_PROPERTY:${name},INCLUDE_DIRECTORIES>,$<SEMICOLON>-I>")
  endif()
  add_custom_command(OUTPUT ${moc} COMMAND Qt6::moc ${includes} -o ${moc} ${path} DEPENDS ${path}
    COMMAND_EXPAND_LISTS VERBATIM)
  target_sources(${name} PRIVATE ${moc})
  target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
  target_link_libraries(${name} PRIVATE lockscope_flags Qt6::Test ${TEST_LINKS})
  target_compile_options(${name} PRIVATE ${lockscope_test_options})
  if(TEST_LINKS MATCHES "lockscope_views|lockscope_app|timeline_scenes|Qt6::Gui")
    lockscope_reuse_pch(${name} lockscope_view_tests_pch PRIVATE)
  else()
    lockscope_reuse_pch(${name} lockscope_tests_pch PRIVATE)
  endif()
  list(TRANSFORM TEST_WITH PREPEND ${CMAKE_SOURCE_DIR}/tests/)
  if("live" IN_LIST TEST_LABELS)
    list(APPEND TEST_WITH ${CMAKE_SOURCE_DIR}/tests/live) # for <support/…>
  endif()
  target_include_directories(${name} PRIVATE ${TEST_WITH})
  target_compile_definitions(${name} PRIVATE LOCKSCOPE_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
    LOCKSCOPE_BIN_DIR="${CMAKE_BINARY_DIR}/bin" ${TEST_DEFINES})
  if(NOT TEST_TIMEOUT)
    set(TEST_TIMEOUT 120)
  endif()
  if(LOCKSCOPE_SANITIZE) # several times slower, and no less right for it
    math(EXPR TEST_TIMEOUT "4 * ${TEST_TIMEOUT}")
  endif()
  math(EXPR function_timeout "1000 * ${TEST_TIMEOUT}") # one limit: Qt's own is five minutes for a function
  add_test(NAME ${name} COMMAND ${name})
  if("live" IN_LIST TEST_LABELS)
    set(processors 1) # it mostly waits for its server
  else()
    set(processors 2)
  endif()
  # The longest begin first, or the last one would run alone.
  set_tests_properties(${name} PROPERTIES TIMEOUT ${TEST_TIMEOUT} COST ${TEST_TIMEOUT} LABELS "${TEST_LABELS}"
    PROCESSORS ${processors}
    ENVIRONMENT "QT_QPA_PLATFORM=offscreen;QTEST_FUNCTION_TIMEOUT=${function_timeout};LC_ALL=C.UTF-8;${lockscope_sanitizer_options}")
endfunction()
