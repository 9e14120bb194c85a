// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"context"
	"fmt"
	"os"
	"strings"
)

// partialName is the name of what is not complete yet. It has a part that all copies of the same share, so that one that goes on finds what
// was left, and a part of its own, so that two at once do not share it.
type partialName struct{ shared, name string }

func (c *Copier) newLeftover(identity string) partialName {
	shared := tempPrefix + identity + "-"
	return partialName{shared: shared, name: shared + c.token}
}

// adopt gives what an earlier copy has left on this machine our name, and says whether there was something. What another copy holds is not left.
func (l partialName) adopt(root *os.Root) bool {
	if _, err := root.Lstat(l.name); err == nil {
		return true // our own, whose connection was lost
	}
	entries, _ := readDir(root, ".")
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), l.shared) {
			continue
		}
		held, err := lock(root, entry.Name())
		if err != nil {
			continue
		}
		err = root.Rename(entry.Name(), l.name)
		_ = held.Close() // it was not written to
		if err == nil {
			return true
		}
	}
	return false
}

// inherited gives what is left in the directory $1 under a name that begins with $2 the name $3, and ends who may still write to it: a connection that
// was lost here may be there for long. Its last line says whether there was something.
const inherited = `cd "$1" 2>/dev/null || exit 0
[ -e "$3" ] && set -- "$1" "$3" "$3"
for f in "$2"*; do
  [ -e "$f" ] || continue
  for p in /proc/[0-9]*; do
    [ "$p" != "/proc/$$" ] || continue
    { while IFS= read -r l || [ -n "$l" ]; do
      case $l in *"$f"*) kill -s KILL "${p#/proc/}"; break ;; esac
      l=
    done <"$p/cmdline"; } 2>/dev/null
  done
  [ "$f" = "$3" ] || mv "$f" "$3" 2>/dev/null || continue
  echo found
  exit
done`

// adoptRemote is inherit in the container.
func (c *Copier) adoptRemote(ctx context.Context, dir string, l partialName) (bool, error) {
	var out limitedOutput
	err := c.run(ctx, []string{"sh", "-c", inherited, "sh", argument(dir), l.shared, l.name}, &out)
	return strings.Contains(out.String(), "found"), err
}

// remove removes $1 and what is in it, which may be directories that nobody may write to.
const remove = `rm -rf "$1" 2>/dev/null || { chmod -R u+rwX "$1"; rm -rf "$1"; }`

// removePartial is the error of a copy that failed. What has arrived stays for one that goes on, if that may be, and is named; else it is removed, or named
// if that fails.
func (c *Copier) removePartial(ctx context.Context, err error, where string, remove func() error) error {
	if resumable(ctx, err) {
		c.partial = where
		return err
	}
	if problem := remove(); problem != nil {
		return fmt.Errorf("%w; %s could not be removed: %w", err, where, problem)
	}
	return err
}
