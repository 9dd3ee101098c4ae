# pip installs into the build folder, repeated only when the list of requirements changed.

# True in `out` when `folder` was completed from exactly this requirements file.
function(triad_pip_is_current out folder requirements)
  file(SHA256 ${requirements} wanted)
  set(found "")
  if(EXISTS ${folder}/.triad-complete)
    file(READ ${folder}/.triad-complete found)
  endif()
  if(found STREQUAL wanted)
    set(${out} TRUE PARENT_SCOPE)
  else()
    set(${out} FALSE PARENT_SCOPE)
  endif()
endfunction()

# Runs `python -m pip install -r requirements [extra arguments]` and marks `folder` complete.
function(triad_pip_install folder python requirements)
  execute_process(
    COMMAND ${python} -m pip install --disable-pip-version-check --no-input --quiet -r ${requirements} ${ARGN}
    RESULT_VARIABLE failed ERROR_VARIABLE error OUTPUT_VARIABLE output)
  if(failed)
    message(FATAL_ERROR "pip could not install the packages of ${requirements}:\n${output}${error}\n"
                        "Check the network or proxy settings and configure again.")
  endif()
  file(SHA256 ${requirements} hash)
  file(WRITE ${folder}/.triad-complete ${hash})
endfunction()
