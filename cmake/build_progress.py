"""Shows how far a compilation by Ninja or make is, by reading its output as it passes."""

import contextlib
import os
import re
import threading
import time

EVERY = 10  # seconds between lines
TOLD = re.compile(rb"^-- (Building the plugin takes .*)")
DONE = re.compile(rb"^\[\s*(\d+/\d+|\d+%)\]")


def line_of(output, elapsed):
    """What a line of the build's output has to tell, as (text, always), or None. `elapsed` is in seconds."""
    told = TOLD.match(output)
    if told:
        return told[1].decode(errors="replace"), True
    done = DONE.match(output)
    if done:
        return f"{done[1].decode().replace('/', ' of ')} compiled after {elapsed:.0f} s", False
    return None


def pass_on(source, target, terminal):
    """Copies the file descriptor `source` to `target` until its end, and tells the progress."""
    start, last = time.monotonic(), 0
    with os.fdopen(source, "rb") as lines:
        for output in lines:
            os.write(target, output)
            now = time.monotonic()
            found = line_of(output, now - start)
            if found and (found[1] or now - last >= EVERY):
                last = now
                terminal.write(f"\n  lammps-triad: {found[0]}")
                terminal.flush()


@contextlib.contextmanager
def progress(terminal):
    """While this is open, standard output of this process and its children also goes to pass_on()."""
    own = os.dup(1)
    source, target = os.pipe()
    os.dup2(target, 1)
    os.close(target)
    thread = threading.Thread(target=pass_on, args=(source, own, terminal))
    thread.start()
    try:
        yield
    finally:
        os.dup2(own, 1)  # closes the pipe, which ends the thread
        thread.join()
        os.close(own)
        terminal.write("\n")
