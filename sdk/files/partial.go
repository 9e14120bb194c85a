// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"context"
	"fmt"
	"os"
	"strings"
)

// partialName is the temporary name of an incomplete copy. Its first part is the same for all copies of the same
// source, so that a resumed copy finds it; its second part is unique, so that two simultaneous copies do not share it.
type partialName struct{ shared, name string }

func (c *Copier) newLeftover(identity string) partialName {
	shared := tempPrefix + identity + "-"
	return partialName{shared: shared, name: shared + c.token}
}

// adopt renames what an earlier copy has left on this machine to our name, and reports whether there was something.
// What another copy has locked stays.
func (l partialName) adopt(root *os.Root) bool {
	if _, err := root.Lstat(l.name); err == nil {
		return true // our own, after a lost connection
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

// adoptRemote does the same in the container.
func (c *Copier) adoptRemote(ctx context.Context, dir string, l partialName) (bool, error) {
	var out limitedOutput
	err := c.run(ctx, []string{"sh", "-c", compose(adoptScript), "sh", argument(dir), l.shared, l.name}, &out)
	return strings.Contains(out.String(), "found"), err
}

// removePartial handles the error of a copy. If the copy can be resumed, what has arrived stays and Partial names it;
// otherwise it is removed, or named in the error if that fails.
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
