# How tools and tests run the plugin of this build inside LAMMPS, and the target `demo`.
#   TRIAD_RUN_ENVIRONMENT   the environment, as NAME=value

set(TRIAD_RUN_ENVIRONMENT
  LAMMPS_PLUGIN_PATH=${PROJECT_BINARY_DIR}/plugin
  LAMMPS_POTENTIALS=${TRIAD_POTENTIALS_DIR}
  PYTHONPATH=${PROJECT_SOURCE_DIR}/python
  PYTHONDONTWRITEBYTECODE=1
  TRIAD_LMP=${TRIAD_LMP}
  TRIAD_MPIEXEC=${TRIAD_MPIEXEC})
if(TRIAD_MPI_LIBRARY_DIR)
  set(path ${TRIAD_MPI_LIBRARY_DIR} $ENV{LD_LIBRARY_PATH})
  list(JOIN path ":" path)
  list(APPEND TRIAD_RUN_ENVIRONMENT LD_LIBRARY_PATH=${path})
endif()

if(TRIAD_LMP)
  add_custom_target(demo
    COMMAND ${CMAKE_COMMAND} -E env ${TRIAD_RUN_ENVIRONMENT}
            ${TRIAD_PYTHON} -m lammps_triad compare ${PROJECT_SOURCE_DIR}/examples/silicon/in.silicon --lmp ${TRIAD_LMP}
    DEPENDS triadplugin
    USES_TERMINAL VERBATIM
    COMMENT "Silicon: stock tersoff beside tersoff/triad")
endif()
