# quince_version.h: the version (from VERSION) and the git revision, looked up at every build so that a new commit shows.
# Included by the build, it makes the target quince_version; run as a script (cmake -P), it writes the header.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(version_dir "${PROJECT_BINARY_DIR}/generated")
  add_custom_target(quince_version_header
    COMMAND "${CMAKE_COMMAND}" "-DSOURCE=${PROJECT_SOURCE_DIR}" "-DVERSION=${PROJECT_VERSION}"
            "-DHEADER=${version_dir}/quince_version.h" -P "${CMAKE_CURRENT_LIST_FILE}"
    BYPRODUCTS "${version_dir}/quince_version.h"
    COMMENT "Looking up the git revision"
    VERBATIM)
  add_library(quince_version INTERFACE)
  target_include_directories(quince_version INTERFACE "${version_dir}")
  add_dependencies(quince_version quince_version_header)
  return()
endif()

set(REVISION "unknown")
find_program(GIT git)
if(GIT)
  execute_process(COMMAND "${GIT}" -C "${SOURCE}" rev-parse --show-toplevel
    OUTPUT_VARIABLE top OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  file(REAL_PATH "${SOURCE}" source)
  # Sources unpacked inside another repository have no revision of their own.
  if(top STREQUAL source)
    execute_process(COMMAND "${GIT}" -C "${SOURCE}" describe --always --dirty --abbrev=12 "--exclude=*"
      OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE result)
    if(result EQUAL 0)
      set(REVISION "${described}")
    endif()
  endif()
endif()
configure_file("${CMAKE_CURRENT_LIST_DIR}/quince_version.h.in" "${HEADER}" @ONLY)
