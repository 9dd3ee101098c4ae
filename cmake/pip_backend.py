"""The build backend that pip calls: scikit-build-core, with the progress of the compilation on the terminal.

pip hides what a build prints unless -v is given, and a build with GPU code takes minutes. So this backend reads the
output of CMake and Ninja (or make) as it passes, and writes how long the build takes and how far it is to the terminal of
the process. Without a terminal nothing is written.
"""

from build_progress import progress
from scikit_build_core import build as scikit_build
from scikit_build_core.build import *  # noqa: F403 - the other hooks of PEP 517 and 660


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """The hook of PEP 517."""
    try:
        terminal = open("/dev/tty", "w")
    except OSError:
        return scikit_build.build_wheel(wheel_directory, config_settings, metadata_directory)
    with terminal, progress(terminal):
        return scikit_build.build_wheel(wheel_directory, config_settings, metadata_directory)
