// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"context"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
)

// kind is what a remote path is, symbolic links followed.
type kind int

const (
	unknown kind = iota // the image has neither a shell nor test
	missing
	file
	directory
	device // anything else: it can only be read from or written to
)

// facts are what a look at a remote path told.
type facts struct {
	kind kind
	// size is -1 if it is not known. With it, mode and modified are known too. Of a directory it is about what is in it.
	size     int64
	mode     fs.FileMode
	modified time.Time
	// waits says of a device that it is a pipe or a socket: who reads it waits for somebody who writes.
	waits bool
}

// tools are programs of the image.
type tools struct {
	shell bool
	// sum is sha256sum, with the find that gives it many files.
	sum, find bool
	tar       bool
}

// errWaits is the error for a source that is a pipe or socket.
func errWaits(remote string) error {
	return fmt.Errorf("%s is neither a file nor a directory: 'cp' to - reads what is written to a pipe", remote)
}

// look prints facts about paths, and which tools there are.
const look = tended + `m=$1; shift
for p; do
  if [ -d "$p" ]; then
    echo "kind directory"
    [ "$m" = measure ] && du -sk "$p" 2>/dev/null | while read -r k _; do echo "kilobytes $k"; done
  elif [ -f "$p" ]; then echo "kind file"; stat -L -c "stat %s %a %Y" "$p" 2>/dev/null
  elif [ -p "$p" ] || [ -S "$p" ]; then echo "kind pipe"
  elif [ -e "$p" ]; then echo "kind device"
  else echo "kind missing"; fi
done
for t in sha256sum find tar; do command -v $t >/dev/null 2>&1 && echo "has $t"; done
:`

// look at remote paths. Without a shell, less is known. To measure a directory takes a walk through it, which only one who
// watches the progress wants.
func (c *Copier) look(ctx context.Context, measure bool, paths ...string) ([]facts, tools, error) {
	words := []string{c.measuring(measure)}
	for _, p := range paths {
		words = append(words, argument(p))
	}
	var out answer
	err := c.tend(ctx, look, words, &out, &lastWords{})
	if stream.Missing(err) {
		all, err := c.lookWithoutShell(ctx, paths...)
		return all, tools{}, err
	}
	if err != nil {
		return nil, tools{}, err
	}
	all, t := understand(out.String())
	for len(all) < len(paths) {
		all = append(all, facts{size: -1}) // the script always tells; this is for shells that do not
	}
	return all, t, nil
}

// measuring is the script's word for it.
func (c *Copier) measuring(wanted bool) string {
	if wanted && c.measure {
		return "measure"
	}
	return ""
}

func (c *Copier) lookWithoutShell(ctx context.Context, paths ...string) ([]facts, error) {
	all := make([]facts, len(paths))
	for i, p := range paths {
		var err error
		if all[i].kind, err = c.kindOf(ctx, p); err != nil {
			return nil, err
		}
		all[i].size = -1
	}
	return all, nil
}

func understand(text string) ([]facts, tools) {
	t := tools{shell: true}
	var all []facts
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) < 2 {
			continue
		}
		if words[0] == "kind" {
			all = append(all, facts{size: -1, waits: words[1] == "pipe", kind: map[string]kind{
				"directory": directory, "file": file, "device": device, "pipe": device, "missing": missing,
			}[words[1]]})
			continue
		}
		t.sum = t.sum || line == "has sha256sum\n"
		t.find = t.find || line == "has find\n"
		t.tar = t.tar || line == "has tar\n"
		if len(all) > 0 {
			all[len(all)-1].read(words)
		}
	}
	return all, t
}

func (f *facts) read(words []string) {
	number := func(text string, base int) int64 {
		n, err := strconv.ParseInt(text, base, 64)
		if err != nil {
			return -1
		}
		return n
	}
	switch {
	case words[0] == "kilobytes":
		f.size = 1024 * number(words[1], 10)
	case words[0] == "stat" && len(words) == 4:
		f.size = number(words[1], 10)
		f.mode = fs.FileMode(number(words[2], 8)).Perm()
		f.modified = time.Unix(number(words[3], 10), 0)
	}
}
