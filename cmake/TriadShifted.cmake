# triad_shifted_plugin(name header text): a plugin whose entry point sees LAMMPS's `header` with one more member before
# the declaration `text`. Loading it must be refused. Further arguments: a text of the header and what replaces it.
function(triad_shifted_plugin name header text)
  set(folder ${PROJECT_BINARY_DIR}/shifted/${name})
  file(READ ${TRIAD_LAMMPS_HEADERS}/${header} original)
  string(FIND "${original}" "${text}" place)
  if(place EQUAL -1)
    message(FATAL_ERROR "${TRIAD_LAMMPS_HEADERS}/${header} has no declaration '${text}'; choose another for the test")
  endif()
  string(REPLACE "${text}" "double inserted_by_a_test[2]; ${text}" changed "${original}")
  if(ARGC GREATER 3)
    string(REPLACE "${ARGV3}" "${ARGV4}" changed "${changed}")
  endif()
  file(CONFIGURE OUTPUT ${folder}/include/${header} CONTENT "@changed@" @ONLY)
  triad_add_plugin(${name} lammps/plugin/plugin.cpp ${TRIAD_LAMMPS_VERSION} ${folder})
  target_include_directories(${name} BEFORE PRIVATE ${folder}/include)
endfunction()

triad_shifted_plugin(atomplugin atom.h "int nlocal, nghost;")
triad_shifted_plugin(neighborplugin neighbor.h "double skin; ")
triad_shifted_plugin(pairplugin pair.h "int comm_forward; ")
# The size of class Fix stays: the other sources of the plugin, which see the original header, derive from it, too.
triad_shifted_plugin(fixplugin fix.h "int time_integrate; " "double virial[6];" "double virial[4];")
