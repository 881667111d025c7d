#!/usr/bin/env python3
"""Writes the tutorial of the public headers as a script for bash.

    tutorial.py README PORT ADMIN WEB RTC >SCRIPT

Takes the sections behind the first of the chapter "Tutorial". Commands are as they stand there, but for the ports. A
block of code is the file that the text before it names, a block of differences is applied, and the commands of a block
"sh fails" must not all succeed. Without WEB, the port of the gateway, blocks "sh npm" are left out.
"""

import re
import sys

HEREDOC = "END_OF_FILE"


def chapter(text):
    start = text.index("\n## Tutorial")
    end = text.index("\n## ", start + 1)
    return text[text.index("\n### 2.", start):end]


def blocks(text):
    """Gives (kind, content, the text before it)."""
    end = 0
    for found in re.finditer(r"^```(.*?)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        yield found[1], found[2], text[end:found.start()]
        end = found.end()


def script_of(kind, content, before, has_gateway):
    if kind == "sh" or kind == "sh npm" and has_gateway:
        return content
    if kind == "sh npm":
        return ""
    if kind == "sh fails":
        return f"if (\nset -e\n{content}); then echo 'these commands should fail' >&2; exit 1; fi\n"
    if kind == "diff":
        return f"git apply - <<'{HEREDOC}'\n{content}{HEREDOC}\n"
    if kind in ("cpp", "cmake"):
        name = re.findall(r"`([\w.]+)`:\s*$", before.rstrip())
        if len(name) != 1:
            sys.exit(f"no name of a file before:\n{content}")
        return f"cat >{name[0]} <<'{HEREDOC}'\n{content}{HEREDOC}\n"
    sys.exit(f"a block of no known kind: {kind}")


def main():
    readme, port, admin, *gateway = sys.argv[1:]
    with open(readme, encoding="utf-8") as file:
        text = chapter(file.read())
    text = text.replace("127.0.0.1:7777", f"127.0.0.1:{port}").replace("127.0.0.1:9180", f"127.0.0.1:{admin}")
    # The server takes its ports from the environment.
    print(f"set -euxo pipefail\nexport TICKBOX_PORT={port} TICKBOX_ADMIN_PORT={admin}")
    print("trap 'kill $server $gateway $rivals 2>/dev/null || true' EXIT; gateway= rivals=")
    # A window needs a screen. The gateway takes its ports from its options.
    print("love() { SDL_AUDIODRIVER=dummy ALSOFT_DRIVERS=null xvfb-run -a -s '-screen 0 800x600x24' love \"$@\"; }")
    if gateway:
        text = text.replace("127.0.0.1:8080", f"127.0.0.1:{gateway[0]}")
        ports = f"--port {gateway[0]} --rtc-port {gateway[1]} --figures-port 0 --to 127.0.0.1:{port}"
        print('node() { exec node "$@" ' + ports + "; }")
    # 5: this machine is too busy to judge a server. What the tutorial shows does not depend on its speed.
    print('build/coins() { command build/coins "$@" || { local code=$?; [ $code = 5 ] || return $code; }; }')
    # In the background env takes the place of the function, so that `kill` reaches the program.
    text = re.sub(r"^build/coins .* &$", r"env \g<0>", text, flags=re.MULTILINE)
    for block in blocks(text):
        print(script_of(*block, bool(gateway)))


main()
