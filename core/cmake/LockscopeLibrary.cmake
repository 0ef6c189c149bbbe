# SPDX-License-Identifier: Apache-2.0
#
# The lock library as others use it: one shared library of the rooms `lock` and below, their headers, a CMake package
# (find_package(Lockscope), target Lockscope::Lockscope) and a pkg-config file. Everything of it is in the install
# component "library".
include(CMakePackageConfigHelpers)

set(library_rooms lock connections recipes drivers ports runtime trace)
file(WRITE ${CMAKE_BINARY_DIR}/texts/library.cpp "")
add_library(lockscope_library SHARED ${CMAKE_BINARY_DIR}/texts/library.cpp)
add_library(Lockscope::Lockscope ALIAS lockscope_library)
set_target_properties(lockscope_library PROPERTIES OUTPUT_NAME lockscope EXPORT_NAME Lockscope
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
list(TRANSFORM library_rooms PREPEND lockscope_ OUTPUT_VARIABLE library_archives)
target_link_libraries(lockscope_library PRIVATE ${library_archives})
list(JOIN library_archives "," archives)
set_property(TARGET lockscope_library PROPERTY LINK_LIBRARY_OVERRIDE "WHOLE_ARCHIVE,${archives}")
target_link_libraries(lockscope_library PRIVATE lockscope_flags lockscope_scripts
  PUBLIC Qt6::Core Qt6::Network Qt6::Sql QCoro6::Core)
target_compile_features(lockscope_library PUBLIC cxx_std_23)
target_include_directories(lockscope_library INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

install(TARGETS lockscope_library EXPORT LockscopeTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT library)
foreach(room ${library_rooms})
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/core/${room}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/lockscope/${room}
    COMPONENT library FILES_MATCHING PATTERN "*.h")
endforeach()
set(headers ${CMAKE_SOURCE_DIR}/core/lock/headers)
install(FILES ${headers}/lockscope.h ${headers}/blocking.h ${headers}/manager.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/lockscope COMPONENT library)
# Among themselves the headers say "runtime/…"; installed they say <lockscope/runtime/…>, or a program's own folder of
# that name would be found first.
list(JOIN library_rooms "|" rooms)
install(CODE "
  file(GLOB_RECURSE installed \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}/lockscope/*.h\")
  foreach(header \${installed})
    file(READ \${header} text)
    string(REGEX REPLACE \"#include \\\"((${rooms})/[^\\\"]+)\\\"\" \"#include <lockscope/\\\\1>\" text \"\${text}\")
    file(WRITE \${header} \"\${text}\")
  endforeach()" COMPONENT library)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Lockscope)
install(EXPORT LockscopeTargets NAMESPACE Lockscope:: DESTINATION ${package_folder} COMPONENT library)
configure_package_config_file(${CMAKE_SOURCE_DIR}/core/cmake/LockscopeConfig.cmake.in
  ${CMAKE_BINARY_DIR}/package/LockscopeConfig.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/package/LockscopeConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/package/LockscopeConfig.cmake ${CMAKE_BINARY_DIR}/package/LockscopeConfigVersion.cmake
  DESTINATION ${package_folder} COMPONENT library)

# QCoro has no .pc file: its include directories are written down.
get_target_property(qcoro_includes QCoro6::Core INTERFACE_INCLUDE_DIRECTORIES)
set(qcoro_cflags "")
foreach(folder ${qcoro_includes})
  if(NOT folder STREQUAL "/usr/include")
    string(APPEND qcoro_cflags " -I${folder}")
  endif()
endforeach()
file(RELATIVE_PATH pc_to_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file(${CMAKE_SOURCE_DIR}/core/cmake/lockscope.pc.in ${CMAKE_BINARY_DIR}/package/lockscope.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/package/lockscope.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT library)
