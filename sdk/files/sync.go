// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// SyncOptions configure one synchronization.
type SyncOptions struct {
	// Checksum compares the content of files. Otherwise files with the same size and time are taken to be the same.
	Checksum bool
	// Delete deletes what the source does not have.
	Delete bool
	// AllowEmpty lets Delete delete everything because the source is empty.
	AllowEmpty bool
	// DryRun changes nothing.
	DryRun bool
	// Changed are names that are copied although they look the same.
	Changed map[string]bool
}

// SyncReport is what a synchronization has done, or would do.
type SyncReport struct {
	// Target is the directory that was made like the source.
	Target string
	// Copied and Deleted are slash-separated paths below it, sorted; those of directories end in a slash.
	Copied, Deleted []string
	// Files and Bytes are the number of files among Copied and their size.
	Files int
	Bytes int64
	// Unchanged is the number of files and links that were the same.
	Unchanged int
	// Kept is the number of directories among Deleted that still contain something, such as excluded files.
	Kept int
}

// ErrEmptySource is the error for a source without files, with which Delete would delete everything.
var ErrEmptySource = errors.New("the source is empty, and everything at the destination would be deleted")

// SyncUp makes a directory of the container like a local one: it copies what differs. Where the copy goes depends on
// the paths as for Upload.
func (c *Copier) SyncUp(ctx context.Context, local, remote string, o SyncOptions) (*SyncReport, error) {
	target := remotePaths().directoryTarget(localPaths().name(local), remote)
	fromHere := make(chan localResult, 1)
	go func() {
		tree, err := c.listLocal(local)
		fromHere <- localResult{tree, err}
	}()
	there, errThere := c.listRemote(ctx, target)
	here := <-fromHere
	switch {
	case here.err != nil:
		return nil, here.err
	case here.tree == nil:
		return nil, fmt.Errorf("%s: no such directory", local)
	case errThere != nil:
		return nil, errThere
	}
	c.leaveOutMounts(local, target, here.tree, there)
	if o.Checksum {
		if err := c.addSums(ctx, local, target, here.tree, there); err != nil {
			return nil, err
		}
	}
	plan, err := planSync(here.tree.entries, there.entries, o)
	if err != nil {
		return nil, err
	}
	report := plan.report(target, here.tree.entries)
	if o.DryRun {
		return report, nil
	}
	c.progress.start(report.Bytes, 0)
	identity := identityOf("sync", local, target)
	c.resume = there.hasLeftover(c.newLeftover(identity).shared)
	c.beforeMerge = func(ctx context.Context) error {
		_, err := c.deleteRemote(ctx, target, plan.replace)
		return err
	}
	if len(plan.copy) > 0 || there.missing {
		if err := c.withRetries(ctx, func() error { return c.uploadOnly(ctx, local, target, identity, plan) }); err != nil {
			return nil, err
		}
	}
	report.Kept, err = c.deleteRemote(ctx, target, plan.delete)
	return report, err
}

type localResult struct {
	tree *localTree
	err  error
}

// uploadOnly copies what the plan names.
func (c *Copier) uploadOnly(ctx context.Context, local, target, identity string, plan syncPlan) error {
	only := plan.withParents()
	return c.uploadTree(ctx, target, identity, func(archive *packer, root string, own bool) error {
		archive.filter.admit = func(name string, _ bool) bool { return only[name] }
		return archive.tree(local, root, own)
	})
}

// SyncDown makes a local directory like one of the container: it copies what differs. Where the copy goes depends on
// the paths as for Download.
func (c *Copier) SyncDown(ctx context.Context, remote, local string, o SyncOptions) (*SyncReport, error) {
	target := localPaths().directoryTarget(remotePaths().name(remote), local)
	fromHere := make(chan localResult, 1)
	go func() {
		tree, err := c.listLocal(target)
		fromHere <- localResult{tree, err}
	}()
	there, errThere := c.listRemote(ctx, remote)
	here := <-fromHere
	switch {
	case errThere != nil:
		return nil, errThere
	case there.missing:
		return nil, fmt.Errorf("%s: no such directory in the sandbox", remote)
	case here.err != nil:
		return nil, here.err
	}
	missing := here.tree == nil
	if missing {
		here.tree = &localTree{entries: listing{}}
	}
	c.leaveOutMounts(target, remote, here.tree, there)
	if o.Checksum {
		if err := c.addSums(ctx, target, remote, here.tree, there); err != nil {
			return nil, err
		}
	}
	plan, err := planSync(there.entries, here.tree.entries, o)
	if err != nil {
		return nil, err
	}
	report := plan.report(target, there.entries)
	if o.DryRun {
		return report, nil
	}
	c.progress.start(report.Bytes, 0)
	if len(plan.copy) > 0 || missing {
		c.beforeMerge = func(context.Context) error {
			_, err := deleteLocal(target, plan.replace)
			return err
		}
		if err := c.downloadOnly(ctx, remote, target, there, plan); err != nil {
			return nil, err
		}
	}
	report.Kept, err = deleteLocal(target, plan.delete)
	return report, err
}

// downloadOnly copies what the plan names.
func (c *Copier) downloadOnly(ctx context.Context, remote, target string, there *remoteTree, plan syncPlan) error {
	if !there.has.tar {
		return ErrNeedsTar
	}
	only := plan.withParents()
	selected := selection{only: only, names: sortedNames(only), exclude: c.exclude}
	if !c.allFilesystems {
		selected.mounts = topmost(there.mounts)
	}
	c.resume = true // only if an earlier copy has left something, which is found out on this machine
	return c.withRetries(ctx, func() error {
		return c.downloadDirectory(ctx, remote, target, selected, there.has, nil)
	})
}

// leaveOutMounts leaves out what is on other file systems on either side.
func (c *Copier) leaveOutMounts(local, remote string, here *localTree, there *remoteTree) {
	if c.allFilesystems {
		return
	}
	var shown []string
	mounts := topmost(there.mounts)
	for _, mount := range mounts {
		shown = append(shown, remotePaths().join(remote, mount))
	}
	for _, mount := range here.mounts {
		shown = append(shown, filepath.Join(local, filepath.FromSlash(mount)))
	}
	c.warnMounts(shown)
	for _, mount := range append(mounts, here.mounts...) {
		here.entries.remove(mount)
		there.entries.remove(mount)
	}
}

// addSums adds the sums of all files that both sides have in the same size.
func (c *Copier) addSums(ctx context.Context, local, remote string, here *localTree, there *remoteTree) error {
	if there.missing || len(here.entries) == 0 {
		return nil
	}
	if !there.has.sum {
		return errors.New("the image has no sha256sum, which comparing checksums needs: compare sizes and times")
	}
	// Other file systems stay out: place decides by name afterwards.
	selected := selection{exclude: c.exclude, mounts: there.mounts}
	found, err := c.selectedSums(ctx, remote, selected)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(local)
	if err != nil {
		return err
	}
	defer root.Close()
	for name, mine := range here.entries {
		other, both := there.entries[name]
		if !both || mine.kind != entryFile || other.kind != entryFile || mine.size != other.size {
			continue
		}
		in, err := root.Open(filepath.FromSlash(name))
		if err != nil {
			return err
		}
		mine.sum, _, err = sumReader(in)
		if err = errors.Join(err, in.Close()); err != nil {
			return err
		}
		here.entries[name] = mine
		other.sum = found[name].sum
		there.entries[name] = other
	}
	return nil
}

// Snapshot is the state of a local tree.
type Snapshot struct{ entries listing }

// Snapshot lists a local directory, as SyncUp does.
func (c *Copier) Snapshot(local string) (Snapshot, error) {
	tree, err := c.listLocal(local)
	switch {
	case err != nil:
		return Snapshot{}, err
	case tree == nil:
		return Snapshot{}, fmt.Errorf("%s: no such directory", local)
	}
	return Snapshot{entries: tree.entries}, nil
}

// Since returns the names that are new, different or gone since an earlier snapshot. It notices changes within one
// second, which the times in a sandbox do not show.
func (s Snapshot) Since(earlier Snapshot) map[string]bool {
	changed := map[string]bool{}
	for name, now := range s.entries {
		if before, found := earlier.entries[name]; !found || before != now {
			changed[name] = true
		}
	}
	for name := range earlier.entries {
		if _, found := s.entries[name]; !found {
			changed[name] = true
		}
	}
	return changed
}
