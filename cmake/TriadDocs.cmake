# The documentation: the target `docs` builds it into <build>/site with the packages of doc/requirements.txt, which it
# installs into <build>/docs-venv unless TRIAD_PYTHON has them.

set(TRIAD_DOCS_COMMAND
  ${TRIAD_PYTHON} ${PROJECT_SOURCE_DIR}/doc/build_site.py --environment ${PROJECT_BINARY_DIR}/docs-venv)

add_custom_target(docs
  COMMAND ${TRIAD_DOCS_COMMAND} --install --output ${PROJECT_BINARY_DIR}/site
  USES_TERMINAL VERBATIM
  COMMENT "Building the documentation")
