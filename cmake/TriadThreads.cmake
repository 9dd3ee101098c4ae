# triad_threads: OpenMP for code of the host, or nothing where the compiler has none. Then a rank is one thread, whatever
# OMP_NUM_THREADS says.

find_package(OpenMP COMPONENTS CXX)
add_library(triad_threads INTERFACE)
if(OpenMP_CXX_FOUND)
  target_link_libraries(triad_threads INTERFACE OpenMP::OpenMP_CXX)
elseif(TRIAD_HAS_CUDA)
  message(FATAL_ERROR "The CUDA backend needs a compiler with OpenMP, which ${CMAKE_CXX_COMPILER} has not.")
else()
  message(STATUS "OpenMP: none with this compiler; each rank computes with one thread")
  target_compile_options(triad_threads INTERFACE -Wno-unknown-pragmas -Wno-unused-parameter
                         $<$<CXX_COMPILER_ID:Clang,AppleClang>:-Wno-unused-private-field>)
endif()
