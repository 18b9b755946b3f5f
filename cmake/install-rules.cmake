# SPDX-License-Identifier: MIT
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
set(logitkit_package_dir ${CMAKE_INSTALL_DATADIR}/cmake/logitkit)

install(DIRECTORY include/logitkit DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS logitkit EXPORT logitkit-targets INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT logitkit-targets NAMESPACE logitkit:: DESTINATION ${logitkit_package_dir})

configure_package_config_file(cmake/logitkit-config.cmake.in logitkit-config.cmake
  INSTALL_DESTINATION ${logitkit_package_dir})
write_basic_package_version_file(logitkit-config-version.cmake COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/logitkit-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/logitkit-config-version.cmake
  DESTINATION ${logitkit_package_dir})
