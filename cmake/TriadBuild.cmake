# How sources are compiled: the compiler cache, warnings, grouping and sanitizers.
#   TRIAD_CCACHE     use ccache when it is installed and no compiler launcher was set
#   TRIAD_WERROR     warnings of the host compiler in Triad's own sources are errors (on in the CI presets)
#   TRIAD_UNITY      compile small sources in groups, which halves the time of a build from nothing; off for tools that
#                    want one command per source (clang-tidy) and for short rebuilds after an edit
#   TRIAD_SANITIZE   build everything with AddressSanitizer and UndefinedBehaviorSanitizer, for the unit tests
#   TRIAD_COVERAGE   build everything with GCC's coverage counters

option(TRIAD_CCACHE "Use ccache when it is installed" ON)
option(TRIAD_WERROR "Treat warnings in Triad's sources as errors" OFF)
option(TRIAD_UNITY "Compile small sources in groups" ON)
option(TRIAD_SANITIZE "AddressSanitizer and UndefinedBehaviorSanitizer" OFF)
option(TRIAD_COVERAGE "Coverage counters" OFF)

if(TRIAD_CCACHE)
  find_program(TRIAD_CCACHE_PROGRAM ccache)
  mark_as_advanced(TRIAD_CCACHE_PROGRAM)
  if(TRIAD_CCACHE_PROGRAM)
    foreach(language CXX CUDA)
      if(NOT CMAKE_${language}_COMPILER_LAUNCHER)
        set(CMAKE_${language}_COMPILER_LAUNCHER ${TRIAD_CCACHE_PROGRAM})
      endif()
    endforeach()
    message(STATUS "ccache: ${TRIAD_CCACHE_PROGRAM}")
  endif()
endif()

set(werror "")
if(TRIAD_WERROR)
  set(werror -Werror)
endif()
add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;${werror}>")

if(TRIAD_SANITIZE)
  add_compile_options(
    "$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=address,undefined;-fno-sanitize-recover=all;-fno-omit-frame-pointer>")
  add_link_options(-fsanitize=address,undefined)
endif()
if(TRIAD_COVERAGE)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:--coverage>)
  add_link_options(--coverage)
endif()

