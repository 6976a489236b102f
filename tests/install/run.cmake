# Installs the build folder BUILD into WORK, builds the project beside this file against it, and runs both programs.
function(run out)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE text ERROR_VARIABLE text RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message(NOTICE "${text}")
    message(FATAL_ERROR "${command}\nended with ${result}")
  endif()
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

function(expect what text pattern)
  if(NOT text MATCHES "${pattern}")
    message(NOTICE "${text}")
    message(FATAL_ERROR "${what} printed the above, which does not match ${pattern}")
  endif()
endfunction()

file(REMOVE_RECURSE "${WORK}")
run(log "${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${WORK}/prefix")
run(log "${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}" -B "${WORK}/example" -G Ninja
    "-DCMAKE_PREFIX_PATH=${WORK}/prefix" "-DCMAKE_CXX_COMPILER=${CXX}" "-DCMAKE_CXX_FLAGS=${FLAGS}")
run(log "${CMAKE_COMMAND}" --build "${WORK}/example")

run(text "${WORK}/example/example")
# softmax(0 2 4 6), then softmax(2 2 2 2)
expect("the example" "${text}" "^0\\.0021\n0\\.0158\n0\\.1171\n0\\.8650\n0\\.2500\n0\\.2500\n0\\.2500\n0\\.2500\n$")
run(text "${WORK}/prefix/bin/quince" --version)
expect("quince --version" "${text}" "^quince ${VERSION} \\(([0-9a-f]+(-dirty)?|unknown)\\)\n$")
