// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// remainder is what a directory of a container has and a copy of it that was cut has not.
type remainder struct {
	// list is for fetchRest.
	list string
	// names are those that the copy has at the end.
	names []string
}

// listed prints what is in $1: directories, files of one name, and the rest, which comes again: a link needs its first name.
const listed = tended + `cd "$1" || exit
find . -type d -exec sh -c 'printf "%s\0" "$@"' sh {} + || exit
printf '\0'
find . -type f -links 1 -exec sh -c 'printf "%s\0" "$@"' sh {} + || exit
printf '\0'
find . ! -type d ! \( -type f -links 1 \) -exec sh -c 'printf "%s\0" "$@"' sh {} +`

// remainderOf looks at what is here and there, and removes here what is not the same there.
func (c *Copier) remainderOf(ctx context.Context, remote string, stage *os.Root) (*remainder, error) {
	have := localSums(stage)
	there, err := c.remoteSums(ctx, remote)
	if err != nil {
		return nil, err
	}
	const directories, files = 0, 1
	kinds, kind := map[string]int{}, directories
	err = c.runScript(ctx, listed, []string{argument(remote)}, &recordReader{handle: func(name string) {
		if name == "" {
			kind++
			return
		}
		kinds[strings.TrimPrefix(name, "./")] = kind
	}}, &stderrTail{})
	if err != nil {
		return nil, err
	}
	r, wanted := &remainder{}, []string{}
	keep := map[string]bool{}
	for name, kind := range kinds {
		same := kind == files && have[name].sum != "" && have[name].sum == there[name].sum
		keep[name] = same || kind == directories
		if same {
			c.progress.add(int(have[name].size))
		} else {
			wanted = append(wanted, name)
		}
		if kind != directories {
			r.names = append(r.names, name)
		}
	}
	slices.Sort(wanted) // a directory comes before what is in it
	for i, name := range wanted {
		wanted[i] = printfEscapes.Replace("./" + strings.TrimPrefix(name, "."+"/"))
		if name == "." {
			wanted[i] = "."
		}
	}
	r.list = strings.Join(wanted, "\n")
	var gone []string
	for name := range have {
		if _, found := kinds[name]; !found {
			gone = append(gone, name)
		}
	}
	c.warnEach(gone, "deleted in the sandbox since the copy was cut")
	return r, prune(stage, ".", keep)
}

// warnEach says the same of some names, and of many how many there are.
func (c *Copier) warnEach(names []string, what string) {
	const most = 10
	slices.Sort(names)
	for _, name := range names[:min(most, len(names))] {
		c.warn(name + " was " + what)
	}
	if more := len(names) - most; more > 0 {
		c.warn(fmt.Sprintf("%d more were %s", more, what))
	}
}

// verify says whether all that there was has come: not every tar fails when it cannot.
func (r *remainder) verify(stage *os.Root) error {
	for _, name := range r.names {
		if _, err := stage.Lstat(filepath.FromSlash(name)); err != nil {
			return fmt.Errorf("%w: %s has not come: copy again", errDiffers, name)
		}
	}
	return nil
}

// printfEscapes writes names for the shell's printf: one line each, without an escape that is not ours.
//
//nolint:gochecknoglobals // read only
var printfEscapes = strings.NewReplacer(`\`, `\0134`, "\n", `\0012`)

// packRest packs the names of $list alone. They end in zero bytes where tar takes that. A tar that takes no names, or takes lines while there are
// names with line breaks, packs everything.
const packRest = `tarred() {
  set -f
  IFS='
'
  broken=
  case $list in *'\0012'*) broken=1 ;; esac
  if printf '.\0' | tar --no-recursion --null -cf /dev/null -C / -T - 2>/dev/null; then
    printf '%b\0' $list | tar -cf - -C "$d" --no-recursion --null -T -
  elif [ -z "$broken" ] && printf '.\n' | tar --no-recursion -cf /dev/null -C / -T - 2>/dev/null; then
    printf '%b\n' $list | tar -cf - -C "$d" --no-recursion -T -
  else
    tar -cf - -C "$d" .
  fi
}
`

// fetchRemainder lets the archive of a list of names come.
func (c *Copier) fetchRemainder(ctx context.Context, remote, list string) *remoteArchive {
	script := `list=$(head -c "$2")
` + tended + pack + packRest + `pack "$1"`
	return c.startArchive(ctx, list, script, argument(remote), fmt.Sprint(len(list)))
}

// unfinished is the mode of a file until all is in it and it has its time. A copy that goes on takes it for none.
const unfinished = 0o200

// localSums are the sums of the files below a directory. What cannot be read is copied again.
func localSums(root *os.Root) sums {
	all := sums{}
	walk(root, ".", func(name string, entry fs.DirEntry) {
		info, err := entry.Info()
		if err != nil || !info.Mode().IsRegular() || info.Mode().Perm() == unfinished {
			return
		}
		in, err := root.Open(name)
		if err != nil {
			return
		}
		defer in.Close()
		if sum, size, err := sumReader(in); err == nil {
			all[filepath.ToSlash(name)] = content{sum: sum, size: size}
		}
	})
	return all
}

// walk visits what is below a directory, as far as it can be read. Unlike those of package fs it takes names that are no UTF-8.
func walk(root *os.Root, dir string, visit func(name string, entry fs.DirEntry)) {
	entries, _ := readDir(root, dir)
	for _, entry := range entries {
		name := filepath.Join(dir, entry.Name())
		visit(name, entry)
		if entry.IsDir() {
			walk(root, name, visit)
		}
	}
}

// readDir lists a directory.
func readDir(root *os.Root, dir string) ([]fs.DirEntry, error) {
	in, err := root.Open(dir)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return in.ReadDir(-1)
}

// prune removes what is not kept.
func prune(root *os.Root, dir string, keep map[string]bool) error {
	entries, err := readDir(root, dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		name := filepath.Join(dir, entry.Name())
		switch {
		case !keep[filepath.ToSlash(name)]:
			err = root.RemoveAll(name)
		case entry.IsDir():
			err = prune(root, name, keep)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
