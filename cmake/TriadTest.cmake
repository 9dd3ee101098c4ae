# How tests are declared.

find_package(GTest QUIET)
if(NOT GTest_FOUND)
  message(FATAL_ERROR "GoogleTest was not found (Debian, Ubuntu: apt-get install libgtest-dev). "
                      "-D BUILD_TESTING=OFF builds without tests.")
endif()

find_program(valgrind valgrind NO_CACHE)
add_custom_target(units)  # the programs that the tests with the label unit run

# What GoogleTest prints at the end, with --gtest_brief=1, if it has skipped all cases, and none has failed.
set(triad_all_cases_skipped "\\[  PASSED  \\] 0 tests\\.\n\\[  SKIPPED \\] [0-9]+ tests?\\.\n$")

# triad_gtest(name sources... [LABELS label]), of the label unit without one
# One program, which is one test: a process per case would take several times as long. If the program skips all its
# cases, so does CTest.
function(triad_gtest name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "LABELS" "")
  add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/unittest)
  target_link_libraries(${name} PRIVATE triad_core GTest::gtest_main)
  add_dependencies(units ${name})
  if(NOT arg_LABELS)
    set(arg_LABELS unit)
  endif()
  add_test(NAME ${name} COMMAND ${name} --gtest_brief=1)
  set_tests_properties(${name} PROPERTIES
    # OMP_WAIT_POLICY: threads that wait for others do not keep cores from the tests beside them
    ENVIRONMENT "LAMMPS_POTENTIALS=${TRIAD_POTENTIALS_DIR};OMP_WAIT_POLICY=passive"
    LABELS ${arg_LABELS}
    SKIP_REGULAR_EXPRESSION "${triad_all_cases_skipped}"
    TIMEOUT 1800)
endfunction()

# triad_skipped_test(name reason)
# A test that cannot run in this build: CTest lists it as skipped, so it does not vanish from the count.
function(triad_skipped_test name reason)
  add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E echo "skipped: ${reason}")
  set_tests_properties(${name} PROPERTIES SKIP_REGULAR_EXPRESSION "^skipped: ")
endfunction()

# triad_memcheck(name target [arguments...])
# A test executable under valgrind, where no sanitizer is built in.
function(triad_memcheck name target)
  if(TRIAD_SANITIZE)
    triad_skipped_test(${name} "valgrind cannot run a program with AddressSanitizer")
  elseif(NOT valgrind)
    triad_skipped_test(${name} "valgrind was not found (Debian, Ubuntu: apt-get install valgrind)")
  else()
    add_test(NAME ${name} COMMAND ${valgrind} --quiet --error-exitcode=9 $<TARGET_FILE:${target}> ${ARGN})
  endif()
endfunction()

# triad_pytest(name file [ONE_CORE] [LABELS label] [ENVIRONMENT name=value...])
# One pytest file, run against the plugin of this build. Without a LAMMPS executable there is nothing to run it in.
# ONE_CORE: few of its runs have several ranks or threads (they keep at most 1.4 cores busy on average), so that CTest may
# run another test beside it.
function(triad_pytest name file)
  if(NOT TRIAD_LMP)
    triad_skipped_test(${name} "no LAMMPS executable (TRIAD_LMP)")
    return()
  elseif(TRIAD_SANITIZE)
    triad_skipped_test(${name} "LAMMPS was not built with AddressSanitizer")
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 2 arg "ONE_CORE" "LABELS" "ENVIRONMENT")
  set(cores 2)
  if(arg_ONE_CORE)
    set(cores 1)
  endif()
  add_test(NAME ${name}
    COMMAND ${TRIAD_PYTHON} -m pytest -q -rs -p no:cacheprovider ${CMAKE_CURRENT_SOURCE_DIR}/${file})
  set_tests_properties(${name} PROPERTIES
    ENVIRONMENT "${TRIAD_TEST_ENVIRONMENT};${arg_ENVIRONMENT}"
    LABELS "${arg_LABELS}"
    PROCESSORS ${cores}
    SKIP_REGULAR_EXPRESSION "(^|\n)[0-9]+ skipped(, [0-9]+ deselected)? in"  # pytest's summary when nothing else ran
    TIMEOUT 900)
endfunction()

set(TRIAD_TEST_ENVIRONMENT
  ${TRIAD_RUN_ENVIRONMENT}
  TRIAD_MISMATCH_PLUGIN=$<TARGET_FILE:mismatchplugin>
  TRIAD_SHIFTED_PLUGINS=${PROJECT_BINARY_DIR}/shifted
  OMP_NUM_THREADS=2
  OMP_WAIT_POLICY=passive
  TRIAD_OVERSUBSCRIBE=1)  # tests of several threads need no core for each
# Ranks of MPICH that wait for each other leave their core: in its default collective operations they do not. Four ranks
# on two cores, 400 steps of npt with 1,728 atoms: 18 s by default, 1.2 with these settings.
foreach(collective ALLREDUCE BARRIER BCAST REDUCE)
  list(APPEND TRIAD_TEST_ENVIRONMENT MPIR_CVAR_${collective}_POSIX_INTRA_ALGORITHM=mpir)
endforeach()
list(APPEND TRIAD_TEST_ENVIRONMENT MPIR_CVAR_POLLS_BEFORE_YIELD=100)
if(NOT TRIAD_LMP)
  message(STATUS "Tests inside LAMMPS are skipped: -D TRIAD_LMP=<executable> names the LAMMPS of that source tree")
endif()
