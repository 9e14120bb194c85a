// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Only names that were listed are deleted, one by one, and directories only when they are empty: what was excluded, or
// was created meanwhile, stays.

// deleteRemote deletes names below a directory of the container, and returns how many directories were not empty.
func (c *Copier) deleteRemote(ctx context.Context, directory string, names []deletion) (kept int, err error) {
	if len(names) == 0 {
		return 0, nil
	}
	program := deleteProgram(names)
	script := compose(walkScript, readSelectionScript, watchdogScript, deleteListedScript)
	words := []string{strconv.Itoa(len(program)), argument(directory)}
	var out limitedOutput
	err = c.runScriptWithInput(ctx, program, script, words, &out, &stderrTail{})
	return strings.Count(out.String(), "kept\n"), err
}

// deleteProgram returns the names for delete_listed.sh: first the files of each directory, then the directories, the
// innermost first.
func deleteProgram(names []deletion) string {
	files := map[string][]string{}
	for _, one := range names {
		if !one.isDir {
			files[path.Dir(one.name)] = append(files[path.Dir(one.name)], "./"+path.Base(one.name))
		}
	}
	var text strings.Builder
	text.WriteString("names() {\n")
	for _, directory := range sortedNames(files) {
		writeEach(&text, "at "+quoted(directory)+" && gone", files[directory])
	}
	for _, directory := range innermostFirst(names) {
		writeEach(&text, "at "+quoted(path.Dir(directory))+" && empty", []string{"./" + path.Base(directory)})
	}
	text.WriteString("}\n")
	return text.String()
}

// innermostFirst returns the directories among the names.
func innermostFirst(names []deletion) []string {
	var all []string
	for _, one := range names {
		if one.isDir {
			all = append(all, one.name)
		}
	}
	slices.SortFunc(all, func(a, b string) int {
		if depth := strings.Count(b, "/") - strings.Count(a, "/"); depth != 0 {
			return depth
		}
		return strings.Compare(a, b)
	})
	return all
}

// deleteLocal deletes names below a local directory, and returns how many directories were not empty.
func deleteLocal(directory string, names []deletion) (kept int, err error) {
	if len(names) == 0 {
		return 0, nil
	}
	root, err := os.OpenRoot(directory)
	if err != nil {
		return 0, err
	}
	defer root.Close()
	for _, one := range names {
		if one.isDir {
			continue
		}
		if err := deleteLocalFile(root, filepath.FromSlash(one.name)); err != nil {
			return 0, err
		}
	}
	for _, name := range innermostFirst(names) {
		err := root.Remove(filepath.FromSlash(name))
		switch {
		case errors.Is(err, fs.ErrExist): // it is not empty
			kept++
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return kept, err
		}
	}
	return kept, nil
}

// deleteLocalFile deletes a file or link, unless it has become a directory, or is now reached through a link.
func deleteLocalFile(root *os.Root, name string) error {
	for above := filepath.Dir(name); above != "."; above = filepath.Dir(above) {
		if info, err := root.Lstat(above); err == nil && !info.IsDir() {
			return fmt.Errorf("%s is not the directory that was listed any more: nothing in it was deleted", above)
		}
	}
	info, err := root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%s has become a directory: it was not deleted", name)
	}
	return root.Remove(name)
}
