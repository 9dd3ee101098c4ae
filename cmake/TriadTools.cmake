# Targets that check the sources. clang-format and gcovr come from PyPI (pip install -r cmake/requirements-dev.txt),
# clang-tidy from the distribution (Debian: apt-get install clang-tidy libomp-dev).
#   format-check   clang-format would change nothing
#   format         clang-format changes what it would
#   tidy           clang-tidy, with the checks of .clang-tidy, on the sources of the host; needs TRIAD_UNITY=OFF
#   coverage       gcovr prints what the tests have run of src/; needs TRIAD_COVERAGE=ON and the tests run before

find_program(TRIAD_CLANG_FORMAT clang-format)
find_program(TRIAD_CLANG_TIDY clang-tidy)
mark_as_advanced(TRIAD_CLANG_FORMAT TRIAD_CLANG_TIDY)


set(source_checks ${TRIAD_PYTHON} ${PROJECT_SOURCE_DIR}/cmake/check_sources.py --source ${PROJECT_SOURCE_DIR})
if(TRIAD_CLANG_FORMAT)
  add_custom_target(format-check COMMAND ${source_checks} format-check ${TRIAD_CLANG_FORMAT} USES_TERMINAL VERBATIM)
  add_custom_target(format COMMAND ${source_checks} format ${TRIAD_CLANG_FORMAT} USES_TERMINAL VERBATIM)
endif()
if(TRIAD_CLANG_TIDY AND NOT TRIAD_UNITY)
  add_custom_target(tidy
    COMMAND ${source_checks} tidy ${TRIAD_CLANG_TIDY} --build ${PROJECT_BINARY_DIR}
    USES_TERMINAL VERBATIM)
endif()

# The share of lines and branches of src/ that the tests have run, in a build with TRIAD_COVERAGE. Run the tests first.
if(TRIAD_COVERAGE)
  find_program(TRIAD_GCOVR gcovr)
  mark_as_advanced(TRIAD_GCOVR)
  if(TRIAD_GCOVR)
    add_custom_target(coverage
      COMMAND ${TRIAD_GCOVR} --root ${PROJECT_SOURCE_DIR} --filter ${PROJECT_SOURCE_DIR}/src/ --merge-mode-functions separate
              --gcov-ignore-parse-errors negative_hits.warn --print-summary --txt coverage.txt ${PROJECT_BINARY_DIR}
      USES_TERMINAL VERBATIM)
  endif()
endif()
