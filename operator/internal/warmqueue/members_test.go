// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package warmqueue

import "slices"

// allMembers returns the selected members, the best first, including leased ones.
func (q *Queue) allMembers(selector Selector) []Member {
	q.mu.Lock()
	defer q.mu.Unlock()
	var all []*entry
	for _, e := range q.members {
		if e.Namespace == selector.Namespace && (selector.PoolHash == "" || e.PoolHash == selector.PoolHash) &&
			(selector.TemplateNameHash == "" || e.TemplateNameHash == selector.TemplateNameHash) {
			all = append(all, e)
		}
	}
	slices.SortFunc(all, func(a, b *entry) int {
		if preferred(a, b) {
			return -1
		}
		return 1
	})
	members := make([]Member, 0, len(all))
	for _, e := range all {
		members = append(members, e.Member)
	}
	return members
}
