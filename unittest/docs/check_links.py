"""Every relative link of every Markdown file leads to a file of the project, and its #anchor to a heading there.

    check_links.py <root of the project>

Headings get the anchors that GitHub gives them. Prints each broken link with file and line; exit status 1 if any.
"""

import re
import subprocess
import sys
from pathlib import Path

LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^()\s]+)(?:\s+\"[^\"]*\")?\)")
HTML = re.compile(r"<(?:img|a|source)\b[^>]*?(?:src|href|srcset)=\"([^\"]+)\"")
FENCE = re.compile(r"^\s*(```+|~~~+|:::+)")


def markdown_files(root):
    listed = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard", "*.md"], capture_output=True,
                            text=True)
    names = listed.stdout.splitlines() if listed.returncode == 0 else [
        str(path.relative_to(root)) for path in root.rglob("*.md") if "build" not in path.parts]
    return [root / name for name in names if (root / name).is_file()]


def text_lines(path):
    """(line number, line) of everything outside code blocks; inline code is blanked."""
    fence = None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = FENCE.match(line)
        if match and match[1][0] != ":":
            if fence is None:
                fence = match[1]
            elif line.strip().startswith(fence):
                fence = None
            continue
        if fence is None and not line.startswith("    "):
            yield number, re.sub(r"`[^`]*`", lambda code: "`" * len(code[0]), line)


def anchor(heading):
    """GitHub's anchor of a heading: lower case, punctuation dropped, blanks to hyphens."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", text.replace("`", "").replace("*", "").lower()).strip().replace(" ", "-")


def anchors(path, known={}):
    if path not in known:
        found, fence = {}, False
        for line in path.read_text(encoding="utf-8").splitlines():
            if FENCE.match(line) and not line.lstrip().startswith(":"):  # in a page of the site, ::: is no code
                fence = not fence
            heading = None if fence else re.match(r"#{1,6}\s+(.*?)\s*#*$", line)
            if heading:
                name = anchor(heading[1])
                count = found.get(name, -1) + 1
                found[name] = count
                if count:
                    found[f"{name}-{count}"] = 0
            included = re.match(r"```\{include\}\s+(\S+\.md)", line)
            if included and (path.parent / included[1]).is_file():
                found.update(dict.fromkeys(anchors((path.parent / included[1]).resolve()), 0))
        known[path] = found.keys()
    return known[path]


def broken_links(root):
    count, broken = 0, []
    for path in markdown_files(root):
        for number, line in text_lines(path):
            for target in LINK.findall(line) + HTML.findall(line):
                if re.match(r"[a-z]+:", target):
                    continue
                count += 1
                name, _, fragment = target.partition("#")
                file = (path.parent / name).resolve() if name else path
                if not file.exists():
                    broken.append(f"{path.relative_to(root)}:{number}: there is no {target}")
                elif fragment and file.suffix == ".md" and fragment not in anchors(file):
                    broken.append(f"{path.relative_to(root)}:{number}: {name or 'this page'} has no heading #{fragment}")
    return count, broken


def main():
    count, broken = broken_links(Path(sys.argv[1]).resolve())
    print(*broken, sep="\n")
    print(f"{count} links, {len(broken)} broken")
    return 1 if broken or not count else 0


if __name__ == "__main__":
    sys.exit(main())
