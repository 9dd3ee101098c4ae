# The CUDA compiler, and what to compile for.
#   TRIAD_CUDA=auto   nvcc of the machine when there is one, otherwise a host-only plugin
#   TRIAD_CUDA=gpu    the same on a machine with an NVIDIA GPU; without a GPU a host-only plugin, whether or not there is
#                     an nvcc
#   TRIAD_CUDA=on     nvcc of the machine, an error when there is none
#   TRIAD_CUDA=pypi   nvcc from NVIDIA's packages on PyPI, installed into the build folder
#   TRIAD_CUDA=off    host-only
#   TRIAD_CUDA_ARCHITECTURES   release (Turing to Blackwell), auto (this machine's GPU, or 90 when it has none), or
#                              any value of CMAKE_CUDA_ARCHITECTURES
# Sets TRIAD_HAS_CUDA and, when it is on, enables the language CUDA. Says how long the build takes.

include(CheckLanguage)
include(TriadPip)

set(TRIAD_CUDA auto CACHE STRING "CUDA compiler: auto, gpu, on, off or pypi")
set_property(CACHE TRIAD_CUDA PROPERTY STRINGS auto gpu on off pypi)
set(TRIAD_CUDA_ARCHITECTURES auto CACHE STRING "release, auto, or a list such as 80-real;90-real")

# Installs NVIDIA's compiler packages and gives the path of their nvcc.
function(triad_install_nvcc out)
  set(folder ${CMAKE_BINARY_DIR}/cuda)
  set(requirements ${PROJECT_SOURCE_DIR}/cmake/requirements-cuda.txt)
  set(toolkit ${folder}/nvidia/cu13)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${requirements})

  triad_pip_is_current(current ${folder} ${requirements})
  if(NOT current)
    message(STATUS "CUDA: installing NVIDIA's compiler from PyPI into ${folder}")
    file(REMOVE_RECURSE ${folder})
    triad_pip_install(${folder} ${TRIAD_PYTHON} ${requirements} --no-deps --target ${folder})
    # nvcc looks for its libraries in lib64, the packages put them into lib.
    file(CREATE_LINK lib ${toolkit}/lib64 SYMBOLIC)
  endif()
  set(${out} ${toolkit}/bin/nvcc PARENT_SCOPE)
endfunction()

# True in `out` when this machine has an NVIDIA GPU.
function(triad_has_gpu out)
  set(${out} FALSE PARENT_SCOPE)
  find_program(nvidia_smi nvidia-smi NO_CACHE)
  if(nvidia_smi)
    execute_process(COMMAND ${nvidia_smi} --list-gpus OUTPUT_VARIABLE gpus ERROR_QUIET)
    if(gpus MATCHES "GPU [0-9]")
      set(${out} TRUE PARENT_SCOPE)
    endif()
  endif()
endfunction()

# The architectures to compile for, in the form of CMAKE_CUDA_ARCHITECTURES.
function(triad_cuda_architectures out)
  set(architectures ${TRIAD_CUDA_ARCHITECTURES})
  if(architectures STREQUAL "release")
    set(architectures 75-real 80-real 86-real 89-real 90-real 100-real 120)  # the last one also as PTX, for newer GPUs
  elseif(architectures STREQUAL "auto")
    set(architectures 90)
    triad_has_gpu(gpu)
    if(gpu)
      set(architectures native)
    endif()
  endif()
  set(${out} ${architectures} PARENT_SCOPE)
endfunction()

set(TRIAD_HAS_CUDA FALSE)
set(gpu FALSE)
if(TRIAD_CUDA STREQUAL "gpu")
  triad_has_gpu(gpu)
endif()
if(TRIAD_CUDA STREQUAL "pypi")
  include(TriadLammps)  # for TRIAD_PYTHON
  triad_install_nvcc(installed_nvcc)
  if(CMAKE_CUDA_COMPILER AND NOT CMAKE_CUDA_COMPILER STREQUAL installed_nvcc)
    message(FATAL_ERROR "This build folder already uses ${CMAKE_CUDA_COMPILER}. Configure with --fresh to change to "
                        "the compiler from PyPI.")
  endif()
  set(CMAKE_CUDA_COMPILER ${installed_nvcc})
elseif(TRIAD_CUDA MATCHES "^(auto|on)$" OR gpu)
  if(NOT CMAKE_CUDA_COMPILER)
    unset(CMAKE_CUDA_COMPILER CACHE)  # forget that an earlier configuration found none
    find_program(nvcc nvcc HINTS /usr/local/cuda/bin NO_CACHE)
    if(nvcc AND NOT DEFINED ENV{CUDACXX})
      set(ENV{CUDACXX} ${nvcc})
    endif()
    if(DEFINED ENV{CUDACXX})
      check_language(CUDA)
    endif()
  endif()
elseif(NOT TRIAD_CUDA MATCHES "^(gpu|off)$")
  message(FATAL_ERROR "TRIAD_CUDA=${TRIAD_CUDA}: must be auto, gpu, on, off or pypi.")
endif()

if(CMAKE_CUDA_COMPILER AND (TRIAD_CUDA MATCHES "^(auto|on|pypi)$" OR gpu))
  triad_cuda_architectures(CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_RUNTIME_LIBRARY Static)  # the plugin loads on machines without CUDA
  enable_language(CUDA)
  if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12.8)
    message(FATAL_ERROR "${CMAKE_CUDA_COMPILER} is CUDA ${CMAKE_CUDA_COMPILER_VERSION}; 12.8 or newer is needed. "
                        "-D TRIAD_CUDA=pypi fetches one, -D TRIAD_CUDA=off builds for the host only.")
  endif()
  set(TRIAD_HAS_CUDA TRUE)
  message(STATUS "CUDA: ${CMAKE_CUDA_COMPILER_VERSION}, ${CMAKE_CUDA_COMPILER}, for ${CMAKE_CUDA_ARCHITECTURES}")
elseif(TRIAD_CUDA STREQUAL "on")
  message(FATAL_ERROR "TRIAD_CUDA=on, but no working nvcc was found on the PATH, in CUDACXX or in /usr/local/cuda. "
                      "-D TRIAD_CUDA=pypi fetches one.")
elseif(TRIAD_CUDA STREQUAL "auto")
  message(STATUS "CUDA: no working nvcc found, building a host-only plugin (-D TRIAD_CUDA=pypi fetches a compiler)")
elseif(TRIAD_CUDA STREQUAL "gpu" AND NOT gpu)
  message(STATUS "CUDA: this machine has no NVIDIA GPU, building a host-only plugin")
elseif(TRIAD_CUDA STREQUAL "gpu")
  message(STATUS "CUDA: no working nvcc found, building a host-only plugin (-D TRIAD_CUDA=pypi fetches a compiler)")
else()
  message(STATUS "CUDA: off, building a host-only plugin")
endif()

# Minutes that the plugin takes to compile from nothing on two cores, as measured (CONTRIBUTING.md): one for the code of
# the host, and three and a half for each GPU architecture.
if(TRIAD_HAS_CUDA)
  list(LENGTH CMAKE_CUDA_ARCHITECTURES n_architectures)
  math(EXPR minutes "(2 + 7 * ${n_architectures}) / 2")
  message(STATUS "Building the plugin takes about ${minutes} minutes on two cores")
else()
  message(STATUS "Building the plugin takes about one minute on two cores")
endif()
