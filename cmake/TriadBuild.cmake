# How sources are compiled: the compiler cache, warnings, grouping and sanitizers.
#   TRIAD_CCACHE     use ccache when it is installed and no compiler launcher was set
#   TRIAD_WERROR     warnings of the host compiler in Triad's own sources are errors (on in the CI presets)
#   TRIAD_UNITY      compile small sources in groups, which halves the time of a build from nothing; off for tools that
#                    want one command per source (clang-tidy) and for short rebuilds after an edit
#   TRIAD_SANITIZE   build everything with AddressSanitizer and UndefinedBehaviorSanitizer, for the unit tests
#   TRIAD_COVERAGE   build everything with GCC's coverage counters
#   TRIAD_PACKAGE    build a package to be handed out: the files name no folder of this machine, the same inputs give the
#                    same bytes, and GPU code is compressed as far as nvcc can

option(TRIAD_CCACHE "Use ccache when it is installed" ON)
option(TRIAD_WERROR "Treat warnings in Triad's sources as errors" OFF)
option(TRIAD_UNITY "Compile small sources in groups" ON)
option(TRIAD_SANITIZE "AddressSanitizer and UndefinedBehaviorSanitizer" OFF)
option(TRIAD_COVERAGE "Coverage counters" OFF)
option(TRIAD_PACKAGE "Reproducible and small" OFF)

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


# triad_package_options(target): what TRIAD_PACKAGE says, for the sources of a target in its own folder.
function(triad_package_options target)
  if(NOT TRIAD_PACKAGE)
    return()
  endif()
  set(map -ffile-prefix-map=${PROJECT_SOURCE_DIR}=. -ffile-prefix-map=${PROJECT_BINARY_DIR}=.)
  list(JOIN map "," map_for_nvcc)
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${map}>"
                                           "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${map_for_nvcc}>")
  if(NOT TRIAD_HAS_CUDA)
    return()
  endif()
  if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-Xfatbin=-compress-all>)
    return()  # zstd, which is smaller, needs a driver of CUDA 12.4
  endif()
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:--compress-mode=size>)
  # nvcc draws names of internal symbols at random; the seed must differ between files.
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cu$")
  foreach(source IN LISTS sources)
    set_property(SOURCE ${source} APPEND PROPERTY COMPILE_OPTIONS -frandom-seed=${source})
  endforeach()
endfunction()
