// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"context"
	"io"
	"path"
	"strconv"
	"strings"
)

// inContainer lands a file in a container with a shell.
type inContainer struct {
	c            *Copier
	left         partialName
	part, target string
	large        bool // worth the start of Python, if the image has it
}

func (c *Copier) inContainerAt(target string, from source) inContainer {
	left := c.newLeftover(identityOf(from.identity(), path.Base(target)))
	return inContainer{c: c, target: target, left: left, part: path.Join(path.Dir(target), left.name), large: from.info().size >= largeFile}
}

func (l inContainer) command(script string, args ...string) []string {
	return append([]string{"sh", "-c", script, "sh", argument(l.part)}, args...)
}

func (l inContainer) script(ctx context.Context, script string, args ...string) error {
	return l.c.run(ctx, l.command(script, args...), &limitedOutput{})
}

// arrived prints the size of the file $1 and the sum of so many bytes: one that was cut may be written to for a while.
const arrived = tended + `[ -f "$1" ] || exit 0
n=$(wc -c <"$1") && echo "$n"
command -v sha256sum >/dev/null 2>&1 && head -c "$n" "$1" | sha256sum
:`

func (l inContainer) existing(ctx context.Context) (int64, string, error) {
	found, err := l.c.adoptRemote(ctx, path.Dir(l.part), l.left)
	if err != nil || !found {
		return 0, "", err
	}
	var out limitedOutput
	err = l.c.runScript(ctx, arrived, []string{argument(l.part)}, &out, &stderrTail{})
	n, sum := sizeAndSum(out.String())
	return n, sum, err
}

// write makes the file $1, in the directory $2, of its first $3 bytes and standard input; $4 is empty or the program for Python.
// The file is made anew, because what was left of a copy that was cut may still be written to by its command. It is not tee
// that writes it: one that cannot goes on reading, and Busybox's says so at the end only.
const write = taps + `[ -d "$2" ] || mkdir -p "$2" || exit 1
command -v chmod >/dev/null 2>&1 && umask 077
if [ "$3" = 0 ]; then rm -f "$1"; : >"$1" || exit 1
else head -c "$3" "$1" >"$1~" && mv -f "$1~" "$1" || exit 1; fi
if [ -n "$4" ] && command -v python3 >/dev/null 2>&1; then
  s=$(python3 -I -c "$4" "$1") && { wc -c <"$1"; echo "${s#begun?}"; exit; }
  [ "${s%%[!a-z]*}" != begun ] || exit 1
fi
if taps; then
  s=$({ { tee /dev/fd/4 | { cat >>"$1" || { echo ` + failureMarker + ` >&2; echo failed >&3; cat >/dev/null; }; }; } 4>&1 | sha256sum; } 3>&1)
  case "$s" in ''|*failed*) exit 1; esac
  wc -c <"$1"; echo "$s"
else
  cat >>"$1" || exit 1
  wc -c <"$1" 2>/dev/null && can sha256sum && tail -c "+$(($3 + 1))" "$1" | sha256sum
fi
:`

func (l inContainer) receive(ctx context.Context, n int64, in *io.PipeReader) (int64, string, error) {
	var out limitedOutput
	command := l.command(write, argument(path.Dir(l.part)), strconv.FormatInt(n, 10), python(l.large))
	err := l.c.sendInput(ctx, true, command, in, &out)
	size, sum := sizeAndSum(out.String())
	return size, sum, err
}

func sizeAndSum(text string) (int64, string) {
	first, second, _ := strings.Cut(strings.TrimSpace(text), "\n")
	n, err := strconv.ParseInt(strings.TrimSpace(first), 10, 64)
	if err != nil {
		return -1, ""
	}
	return n, firstWord(second)
}

// rename gives $1 the name $2. A file that is a mount of its own cannot be replaced, only written to.
const rename = `[ -f "$1" ] || { echo "another copy of the same, with --resume, has gone on with what this one had" >&2; exit 1; }
m=$3
[ -n "$m" ] || m=$(stat -L -c %a "$2" 2>/dev/null) || m=644
chmod "$m" "$1" 2>/dev/null
[ -n "$4" ] && touch -d "@$4" "$1" 2>/dev/null
mv -f "$1" "$2" 2>/dev/null || { cat <"$1" >"$2" && rm -f "$1"; }`

func (l inContainer) commit(ctx context.Context, about pathInfo) error {
	mode, at := "", ""
	if about.mode != 0 {
		mode = strconv.FormatUint(uint64(about.mode.Perm()), 8)
	}
	if !about.modified.IsZero() {
		at = unix(about.modified)
	}
	return l.script(ctx, rename, argument(l.target), mode, at)
}

func (l inContainer) discard(ctx context.Context) error {
	return l.script(ctx, `rm -f "$1" "$1~"`)
}

func (l inContainer) path() string { return l.part }
