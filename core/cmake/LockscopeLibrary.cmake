# SPDX-License-Identifier: Apache-2.0
#
# The lock library as others use it: one shared library of the rooms `client` and below, the headers of core/include,
# a CMake package and pkg-config files. Everything of it is in the install component "library".
#   find_package(Lockscope)                  Lockscope::Lockscope, <lockscope/blocking.h>: C++20, nothing else
#   find_package(Lockscope COMPONENTS Qt)    Lockscope::Qt as well, <lockscope/lockscope.h>: C++23, Qt 6 and QCoro 6
include(CMakePackageConfigHelpers)

set(library_rooms client lock connections recipes drivers ports runtime trace)
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
  Qt6::Core Qt6::Network Qt6::Sql QCoro6::Core)
set(library_symbols ${CMAKE_SOURCE_DIR}/core/cmake/lockscope.map)
target_link_options(lockscope_library PRIVATE LINKER:--version-script=${library_symbols})
set_property(TARGET lockscope_library PROPERTY LINK_DEPENDS ${library_symbols})
target_compile_features(lockscope_library INTERFACE cxx_std_20)
target_include_directories(lockscope_library INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

add_library(lockscope_qt INTERFACE)
set_target_properties(lockscope_qt PROPERTIES EXPORT_NAME Qt)
target_link_libraries(lockscope_qt INTERFACE lockscope_library Qt6::Core QCoro6::Core)
target_compile_features(lockscope_qt INTERFACE cxx_std_23)

# The headers are written as they are installed.
install(DIRECTORY ${CMAKE_SOURCE_DIR}/core/include/lockscope DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  COMPONENT library FILES_MATCHING PATTERN "*.h")
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Lockscope)
foreach(part library qt)
  string(REPLACE library "" suffix ${part})
  string(REPLACE qt Qt suffix "${suffix}")
  install(TARGETS lockscope_${part} EXPORT Lockscope${suffix}Targets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT library)
  install(EXPORT Lockscope${suffix}Targets NAMESPACE Lockscope:: DESTINATION ${package_folder} COMPONENT library)
endforeach()
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
foreach(name lockscope lockscope-qt)
  configure_file(${CMAKE_SOURCE_DIR}/core/cmake/${name}.pc.in ${CMAKE_BINARY_DIR}/package/${name}.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/package/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT library)
endforeach()
