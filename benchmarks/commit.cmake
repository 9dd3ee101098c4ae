cmake_policy(VERSION 3.25)

# Writes the header with the commit that results are stored with; run at every build, rewritten only when it changes.
find_program(git git NO_CACHE)
set(TRIAD_COMMIT unknown)
if(git)
  execute_process(COMMAND ${git} -C ${SOURCE_DIR} describe --always --dirty --abbrev=12 --exclude=*
                  OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(described)
    set(TRIAD_COMMIT ${described})
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#define TRIAD_COMMIT \"@TRIAD_COMMIT@\"\n" @ONLY)
