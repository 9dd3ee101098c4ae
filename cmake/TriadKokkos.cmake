# The KOKKOS package of the user's own LAMMPS, for triadkkplugin.so.
#   LAMMPS_BINARY_DIR   the folder in which the tree LAMMPS_SOURCE_DIR was built with CMake, or
#   Kokkos_DIR          that of KokkosConfig.cmake of the installed Kokkos which that LAMMPS uses
#
# Sets TRIAD_HAS_KOKKOS, and then TRIAD_KOKKOS_LANGUAGE (CUDA when that KOKKOS is built for CUDA, otherwise CXX),
# TRIAD_KOKKOS_STANDARD (of C++) and the target triad_kokkos: headers, definitions and options. No library, for Kokkos
# is inside liblammps.so, and a process must not hold it twice.

set(TRIAD_HAS_KOKKOS FALSE)
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)  # nvcc has it since 12.0, CMake 3.25 does not know
endif()

# The folders of headers of the Kokkos that this LAMMPS contains, the C++ standard that they are configured for (17 up to
# Kokkos 4, 20 since Kokkos 5) and the devices, such as CUDA, that it is built for.
function(triad_kokkos_of_lammps headers_out standard_out devices_out)
  set(source ${LAMMPS_SOURCE_DIR}/lib/kokkos)
  set(binary ${LAMMPS_BINARY_DIR}/lib/kokkos)
  set(headers ${binary} ${source}/tpls/desul/include ${source}/tpls/mdspan/include)
  foreach(part core containers algorithms)
    list(APPEND headers ${source}/${part}/src ${binary}/${part}/src)
  endforeach()
  file(STRINGS ${binary}/KokkosCore_config.h enabled REGEX "^#define KOKKOS_ENABLE_CXX[0-9]+$")
  string(REGEX MATCH "[0-9]+$" standard "${enabled}")
  foreach(device CUDA HIP SYCL OPENMPTARGET)
    if(LAMMPS_CACHE_Kokkos_ENABLE_${device})
      list(APPEND devices ${device})
    endif()
  endforeach()
  set(${headers_out} ${headers} PARENT_SCOPE)
  set(${standard_out} ${standard} PARENT_SCOPE)
  set(${devices_out} ${devices} PARENT_SCOPE)
endfunction()

# The same of an installed one.
function(triad_kokkos_installed headers_out standard_out devices_out)
  # The component keeps Kokkos from redirecting our compilers.
  find_package(Kokkos REQUIRED CONFIG COMPONENTS separable_compilation HINTS ${LAMMPS_CACHE_Kokkos_DIR})
  foreach(part core containers algorithms)
    list(APPEND headers "$<TARGET_PROPERTY:Kokkos::kokkos${part},INTERFACE_INCLUDE_DIRECTORIES>")
  endforeach()
  set(${headers_out} ${headers} PARENT_SCOPE)
  set(${standard_out} ${Kokkos_CXX_STANDARD} PARENT_SCOPE)
  set(${devices_out} ${Kokkos_DEVICES} PARENT_SCOPE)
endfunction()

function(triad_use_kokkos)
  if(LAMMPS_CACHE_EXTERNAL_KOKKOS OR NOT LAMMPS_BINARY_DIR)
    triad_kokkos_installed(headers standard devices)
  else()
    triad_kokkos_of_lammps(headers standard devices)
  endif()
  set(cuda FALSE)
  if(CUDA IN_LIST devices)
    set(cuda TRUE)
  endif()
  foreach(device HIP SYCL OPENMPTARGET)
    if(device IN_LIST devices)
      message(STATUS "KOKKOS: this LAMMPS is built for ${device}, Triad has loops for CUDA and the host: no "
                     "triadkkplugin.so")
      return()
    endif()
  endforeach()
  if(cuda AND NOT TRIAD_HAS_CUDA)
    message(STATUS "KOKKOS: this LAMMPS is built for CUDA and this Triad is not: no triadkkplugin.so")
    return()
  endif()
  if(LAMMPS_BINARY_DIR AND NOT LAMMPS_CACHE_BUILD_SHARED_LIBS)
    message(STATUS "KOKKOS: this LAMMPS is linked statically; triadkkplugin.so needs one built with "
                   "-D BUILD_SHARED_LIBS=on: left out")
    return()
  endif()
  # Cache entries of LAMMPS since September 2025; older ones have double precision and one layout.
  string(TOLOWER "${LAMMPS_CACHE_KOKKOS_PREC}" precision)
  string(TOUPPER "${LAMMPS_CACHE_KOKKOS_LAYOUT}" layout)
  if(precision AND NOT precision STREQUAL "double")
    message(STATUS "KOKKOS: this LAMMPS is built with -D KOKKOS_PREC=${precision}; Triad takes arrays of "
                   "KOKKOS_PREC=double, and has its own precisions: no triadkkplugin.so")
    return()
  endif()
  if(layout STREQUAL "DEFAULT" AND cuda)
    message(STATUS "KOKKOS: this LAMMPS is built with -D KOKKOS_LAYOUT=default, which keeps x, y and z of an atom apart "
                   "on a GPU; Triad takes those of KOKKOS_LAYOUT=legacy: no triadkkplugin.so")
    return()
  endif()
  add_library(triad_kokkos INTERFACE)
  target_include_directories(triad_kokkos SYSTEM INTERFACE ${LAMMPS_SOURCE_DIR}/src/KOKKOS ${headers})
  target_compile_definitions(triad_kokkos INTERFACE LMP_KOKKOS)
  if(layout)
    target_compile_definitions(triad_kokkos INTERFACE LMP_KOKKOS_LAYOUT_${layout})
  endif()
  if(cuda)
    set(language CUDA)
    target_compile_options(triad_kokkos INTERFACE
      $<$<COMPILE_LANGUAGE:CUDA>:--extended-lambda;-Xcudafe=--diag_suppress=128;-Xcompiler=${OpenMP_CXX_FLAGS}>)
  else()
    set(language CXX)
    target_link_libraries(triad_kokkos INTERFACE triad_threads)
  endif()
  set(TRIAD_KOKKOS_LANGUAGE ${language} PARENT_SCOPE)
  set(TRIAD_KOKKOS_STANDARD ${standard} PARENT_SCOPE)
  set(TRIAD_HAS_KOKKOS TRUE PARENT_SCOPE)
  message(STATUS "KOKKOS: triadkkplugin.so for the package in ${LAMMPS_SOURCE_DIR}, as ${language}")
endfunction()

if(LAMMPS_BINARY_DIR AND NOT LAMMPS_CACHE_PKG_KOKKOS)
  message(STATUS "KOKKOS: not in the LAMMPS of ${LAMMPS_BINARY_DIR}: no triadkkplugin.so")
elseif(LAMMPS_BINARY_DIR OR (LAMMPS_SOURCE_DIR AND Kokkos_DIR))
  triad_use_kokkos()
elseif(LAMMPS_SOURCE_DIR)
  message(STATUS "KOKKOS: -D LAMMPS_BINARY_DIR=<build folder of that LAMMPS>, or -D Kokkos_DIR=<folder of "
                 "KokkosConfig.cmake> of the installed Kokkos that it uses, would build triadkkplugin.so too")
endif()
