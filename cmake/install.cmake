# Install rules: the library, its headers, the command, and the package that find_package(quince) reads.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/quince")
install(TARGETS quince EXPORT quinceTargets FILE_SET HEADERS)
if(TARGET quince_cli)
  install(TARGETS quince_cli)
endif()
install(EXPORT quinceTargets NAMESPACE quince:: DESTINATION "${package_dir}")

configure_package_config_file(cmake/quinceConfig.cmake.in "${PROJECT_BINARY_DIR}/generated/quinceConfig.cmake"
  INSTALL_DESTINATION "${package_dir}")
# Before 1.0 a minor version may change the API.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/generated/quinceConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/generated/quinceConfig.cmake"
              "${PROJECT_BINARY_DIR}/generated/quinceConfigVersion.cmake"
  DESTINATION "${package_dir}")
install(FILES LICENSE-MIT LICENSE-APACHE DESTINATION "${CMAKE_INSTALL_DOCDIR}")
