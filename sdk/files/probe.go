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

// pathInfo are what a look at a remote path told.
type pathInfo struct {
	kind kind
	// size is -1 if it is not known. With it, mode and modified are known too. Of a directory it is about what is in it.
	size     int64
	mode     fs.FileMode
	modified time.Time
	// waits says of a device that it is a pipe or a socket: who reads it waits for somebody who writes.
	isPipe bool
}

// imageTools are programs of the image.
type imageTools struct {
	shell bool
	// sum is sha256sum, with the find that gives it many files.
	sum, find bool
	tar       bool
}

// errPipeSource is the error for a source that is a pipe or socket.
func errPipeSource(remote string) error {
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

// probe at remote paths. Without a shell, less is known. To measure a directory takes a walk through it, which only one who
// watches the progress wants.
func (c *Copier) probe(ctx context.Context, measure bool, paths ...string) ([]pathInfo, imageTools, error) {
	words := []string{c.measureWord(measure)}
	for _, p := range paths {
		words = append(words, argument(p))
	}
	var out limitedOutput
	err := c.runScript(ctx, look, words, &out, &stderrTail{})
	if stream.Missing(err) {
		all, err := c.probeWithoutShell(ctx, paths...)
		return all, imageTools{}, err
	}
	if err != nil {
		return nil, imageTools{}, err
	}
	all, t := parseProbe(out.String())
	for len(all) < len(paths) {
		all = append(all, pathInfo{size: -1}) // the script always tells; this is for shells that do not
	}
	return all, t, nil
}

// measureWord is the script's word for it.
func (c *Copier) measureWord(wanted bool) string {
	if wanted && c.measure {
		return "measure"
	}
	return ""
}

func (c *Copier) probeWithoutShell(ctx context.Context, paths ...string) ([]pathInfo, error) {
	all := make([]pathInfo, len(paths))
	for i, p := range paths {
		var err error
		if all[i].kind, err = c.kindOf(ctx, p); err != nil {
			return nil, err
		}
		all[i].size = -1
	}
	return all, nil
}

func parseProbe(text string) ([]pathInfo, imageTools) {
	t := imageTools{shell: true}
	var all []pathInfo
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) < 2 {
			continue
		}
		if words[0] == "kind" {
			all = append(all, pathInfo{size: -1, isPipe: words[1] == "pipe", kind: map[string]kind{
				"directory": directory, "file": file, "device": device, "pipe": device, "missing": missing,
			}[words[1]]})
			continue
		}
		t.sum = t.sum || line == "has sha256sum\n"
		t.find = t.find || line == "has find\n"
		t.tar = t.tar || line == "has tar\n"
		if len(all) > 0 {
			all[len(all)-1].parse(words)
		}
	}
	return all, t
}

func (f *pathInfo) parse(words []string) {
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
