// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// listing is what a tree contains: slash-separated paths below its root, without the root.
type listing map[string]listed

type listed struct {
	kind     entryKind
	size     int64 // of a file
	mode     fs.FileMode
	modified int64 // in seconds, as a sandbox knows it
	nanos    int64 // the rest of the time, on this machine
	link     string
	sum      string // if checksums are compared
}

type entryKind int

const (
	entryOther entryKind = iota // it is neither copied nor deleted
	entryFile
	entryDirectory
	entryLink
)

// remove removes a name and what is below it.
func (l listing) remove(name string) {
	for one := range l {
		if one == name || strings.HasPrefix(one, name+"/") {
			delete(l, one)
		}
	}
}

// syncPlan is what makes a tree like another one. The names are sorted.
type syncPlan struct {
	copy []string
	// delete are the names that only the destination has, and replace those that must make way for a copy.
	delete, replace []deletion
	unchanged       int
}

// deletion is a name to be deleted.
type deletion struct {
	name  string
	isDir bool
}

// planSync compares two listings. Excluded names must be in neither.
func planSync(from, to listing, o SyncOptions) (syncPlan, error) {
	var plan syncPlan
	for _, name := range sortedNames(from) {
		source := from[name]
		target, exists := to[name]
		switch {
		case source.kind == entryOther:
			continue
		case exists && source.sameAs(target, o.Checksum) && !o.Changed[name]:
			if source.kind != entryDirectory {
				plan.unchanged++
			}
			continue
		case exists && (source.kind == entryDirectory) != (target.kind == entryDirectory):
			if !o.Delete || target.kind == entryOther {
				return plan, conflictError(name, source.kind == entryDirectory, o.Delete)
			}
			plan.replace = append(plan.replace, entriesBelow(to, name)...)
		}
		plan.copy = append(plan.copy, name)
	}
	if !o.Delete {
		return plan, nil
	}
	making := map[string]bool{}
	for _, one := range plan.replace {
		making[one.name] = true
	}
	for _, name := range sortedNames(to) {
		if _, kept := from[name]; !kept && to[name].kind != entryOther && !making[name] {
			plan.delete = append(plan.delete, deletion{name, to[name].kind == entryDirectory})
		}
	}
	if len(from) == 0 && len(plan.delete) > 0 && !o.AllowEmpty {
		return plan, ErrEmptySource
	}
	return plan, nil
}

func conflictError(name string, isDir, deletes bool) error {
	kinds := "a directory at the source, and something else at the destination"
	if !isDir {
		kinds = "a directory at the destination, and something else at the source"
	}
	if deletes {
		return fmt.Errorf("%s is %s, which cannot be deleted", name, kinds)
	}
	return fmt.Errorf("%s is %s: --delete replaces it", name, kinds)
}

// sameAs reports whether a copy is not needed.
func (l listed) sameAs(other listed, checksum bool) bool {
	if l.kind != other.kind {
		return false
	}
	sameMode := l.mode == other.mode || !hasModes
	switch l.kind {
	case entryFile:
		same := l.modified == other.modified
		if checksum {
			same = l.sum == other.sum
		}
		return l.size == other.size && same && sameMode
	case entryDirectory:
		return sameMode
	case entryLink:
		return l.link == other.link
	default:
		return false
	}
}

// entriesBelow returns a name and what can be deleted below it.
func entriesBelow(tree listing, name string) []deletion {
	var all []deletion
	for one, entry := range tree {
		if (one == name || strings.HasPrefix(one, name+"/")) && entry.kind != entryOther {
			all = append(all, deletion{one, entry.kind == entryDirectory})
		}
	}
	slices.SortFunc(all, func(a, b deletion) int { return cmp.Compare(a.name, b.name) })
	return all
}

// withParents returns what is copied, and the directories that contain it, up to the root: a directory gets the mode
// and time of its copy.
func (p syncPlan) withParents() map[string]bool {
	all := map[string]bool{".": true}
	for _, name := range p.copy {
		for ; name != "."; name = path.Dir(name) {
			all[name] = true
		}
	}
	return all
}

// report describes the plan.
func (p syncPlan) report(target string, from listing) *SyncReport {
	r := &SyncReport{Target: target, Unchanged: p.unchanged}
	for _, name := range p.copy {
		if from[name].kind == entryDirectory {
			r.Copied = append(r.Copied, name+"/")
			continue
		}
		r.Copied = append(r.Copied, name)
		if from[name].kind == entryFile {
			r.Files++
			r.Bytes += from[name].size
		}
	}
	for _, one := range slices.Concat(p.replace, p.delete) {
		if one.isDir {
			one.name += "/"
		}
		r.Deleted = append(r.Deleted, one.name)
	}
	slices.Sort(r.Deleted)
	return r
}

func sortedNames[V any](of map[string]V) []string {
	all := make([]string, 0, len(of))
	for name := range of {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}
