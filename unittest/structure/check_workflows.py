"""The workflows of GitHub Actions run parts of .ci/run and nothing else, so that both stay the same.

    check_workflows.py <root of the project>

The only other command that a workflow may have installs git for actions/checkout. Prints each command that is neither, and
each part that .ci/run does not have; exit status 1 if there is one.
"""

import re
import sys
from pathlib import Path

MATRIX = "${{ matrix.part }}"


def main():
    root = Path(sys.argv[1])
    parts = set(re.findall(r"^    ([\w-]+)\)", (root / ".ci" / "run").read_text(), re.MULTILINE))
    wrong = []
    for workflow in sorted((root / ".github" / "workflows").glob("*.yml")):
        text = workflow.read_text()
        of_matrix = [word for words in re.findall(r"^ +part: \[([^]]*)\]", text, re.MULTILINE) for word in words.split(", ")]
        for command in re.findall(r"^ *(?:- )?run: *(.*)$", text, re.MULTILINE):
            if re.fullmatch(r"apt-get update -qq && apt-get install [-\w ]+ ca-certificates git", command):
                continue
            called = re.fullmatch(r"\./\.ci/run (.+)", command)
            named = of_matrix if called and called[1] == MATRIX else called[1].split() if called else []
            if not named or not parts.issuperset(named):
                wrong.append(f"{workflow.name}: {command}" + (f" ({', '.join(named)})" if named else ""))
    if wrong:
        print(*wrong, sep="\n")
    return int(bool(wrong) or not parts)


if __name__ == "__main__":
    sys.exit(main())
