# Code that is compiled once per instruction set, and chosen at run time.
#   TRIAD_ISAS   the sets: baseline is what the compiler's flags say, on x86-64 also avx2 and avx512

# Kernels are compiled with -O3 whatever the build type says. Sanitizers and coverage counters are for one set only and
# with the optimisation of the build type, because their code in functions that are inlined everywhere takes minutes to
# compile. UndefinedBehaviorSanitizer is left out of kernels for the same reason; their tests run under valgrind, too.
set(TRIAD_KERNEL_OPTIONS -O3)
if(TRIAD_SANITIZE)
  set(TRIAD_KERNEL_OPTIONS -fno-sanitize=undefined)
elseif(TRIAD_COVERAGE)
  set(TRIAD_KERNEL_OPTIONS "")
endif()

set(TRIAD_ISAS baseline)
set(TRIAD_ISA_FLAGS_baseline -DTRIAD_REGISTER_BYTES=16)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND NOT TRIAD_SANITIZE AND NOT TRIAD_COVERAGE)
  list(APPEND TRIAD_ISAS avx2 avx512)
  set(TRIAD_ISA_DEFINITION TRIAD_X86_ISAS=1)
  set(TRIAD_ISA_FLAGS_avx2 -DTRIAD_REGISTER_BYTES=32 -mavx2 -mfma)
  set(TRIAD_ISA_FLAGS_avx512 -DTRIAD_REGISTER_BYTES=64 -mavx512f -mavx512dq -mavx512vl -mavx512bw -mfma)
endif()

# triad_isa_objects(target [name source]...)
# Adds the objects of the sources to a target, once per instruction set. Each source defines the function <name>_<set>,
# whose name is in the macro TRIAD_<NAME>. The objects of a set are in the library <target>_kernels_<set>.
function(triad_isa_objects target)
  foreach(isa IN LISTS TRIAD_ISAS)
    set(object ${target}_kernels_${isa})
    add_library(${object} OBJECT)
    set(kernels ${ARGN})
    while(kernels)
      list(POP_FRONT kernels name source)
      string(TOUPPER TRIAD_${name} macro)
      target_sources(${object} PRIVATE ${source})
      target_compile_definitions(${object} PRIVATE ${macro}=${name}_${isa})
    endwhile()
    set_target_properties(${object} PROPERTIES UNITY_BUILD ${TRIAD_UNITY} UNITY_BUILD_BATCH_SIZE 0)
    target_include_directories(${object} PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_compile_definitions(${object} PRIVATE ${TRIAD_ISA_DEFINITION})
    # The formulas are long chains of dependent operations, several of which can run at once if they stand near each other:
    # GCC's first scheduling pass, off by default on x86, makes a row of four 1.5 to 1.8 times as fast.
    # Products and sums may fuse, nothing else is relaxed. Vector types never cross to functions of other files, so the
    # note on their calling convention (psabi) is void; GCC's own intrinsics raise the warnings on uninitialised values.
    target_compile_options(${object} PRIVATE ${TRIAD_KERNEL_OPTIONS} -ffp-contract=fast -fno-math-errno -Wno-psabi
                           $<$<CXX_COMPILER_ID:GNU>:-fschedule-insns;-fsched-pressure;-Wno-maybe-uninitialized;-Wno-uninitialized> ${TRIAD_ISA_FLAGS_${isa}})
    triad_package_options(${object})
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${object}>)
  endforeach()
  target_compile_definitions(${target} PUBLIC ${TRIAD_ISA_DEFINITION})
endfunction()
