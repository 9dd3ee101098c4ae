"""The build backend that pip calls: scikit-build-core, with the progress of the compilation on the terminal.

pip hides what a build prints unless -v is given, and a build with GPU code takes minutes. So this backend reads the
output of CMake and Ninja (or make) as it passes, and writes how long the build takes and how far it is to the terminal of
the process. Without a terminal nothing is written.
"""

import os

from build_progress import progress
from scikit_build_core import build as scikit_build
from scikit_build_core.build import *  # noqa: F403 - the other hooks of PEP 517 and 660


def get_requires_for_build_wheel(config_settings=None):
    """The hook of PEP 517. cmake/TriadPip.cmake needs pip, which takes seconds to install, only for the compiler from PyPI."""
    settings = [f"{name}={value}" for name, value in (config_settings or {}).items()]
    settings += [os.environ.get("CMAKE_ARGS", ""), os.environ.get("SKBUILD_CMAKE_DEFINE", "")]
    required = scikit_build.get_requires_for_build_wheel(config_settings)
    return [*required, "pip"] if any("TRIAD_CUDA=pypi" in setting for setting in settings) else required


def get_requires_for_build_editable(config_settings=None):
    """The same for an editable installation."""
    return get_requires_for_build_wheel(config_settings)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """The hook of PEP 517."""
    try:
        terminal = open("/dev/tty", "w")
    except OSError:
        return scikit_build.build_wheel(wheel_directory, config_settings, metadata_directory)
    with terminal, progress(terminal):
        return scikit_build.build_wheel(wheel_directory, config_settings, metadata_directory)
