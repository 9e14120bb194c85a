// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package rows

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
)

// Filter selects rows. The zero value matches all.
type Filter struct {
	text     string
	words    []string
	inverse  bool
	selector labels.Selector
}

// ParseFilter parses what a user types: words that a row must all contain, in any case; after "!" words that it must
// not all contain; after "-l" a label selector.
func ParseFilter(text string) (Filter, error) {
	trimmed := strings.TrimSpace(text)
	f := Filter{text: trimmed}
	if selector, is := strings.CutPrefix(trimmed, "-l"); is {
		if strings.TrimSpace(selector) == "" {
			return Filter{}, nil
		}
		parsed, err := labels.Parse(selector)
		if err != nil {
			return Filter{}, fmt.Errorf("-l: %w", err)
		}
		f.selector = parsed
		return f, nil
	}
	trimmed, f.inverse = strings.CutPrefix(trimmed, "!")
	f.words = strings.Fields(strings.ToLower(trimmed))
	if len(f.words) == 0 {
		return Filter{}, nil
	}
	return f, nil
}

// String returns what the user typed.
func (f Filter) String() string { return f.text }

// Empty reports whether the filter matches everything.
func (f Filter) Empty() bool { return len(f.words) == 0 && f.selector == nil }

func (f Filter) matches(search string, set map[string]string) bool {
	if f.selector != nil {
		return f.selector.Matches(labels.Set(set))
	}
	for _, word := range f.words {
		if !strings.Contains(search, word) {
			return f.inverse
		}
	}
	return len(f.words) == 0 || !f.inverse
}

// Item is a row of a table: it can be filtered and marked.
type Item interface {
	*Row | *Pool | *Template
	// ID returns the UID of the object.
	ID() types.UID
	key() string
	match(Filter) bool
}

// ID implements Item.
func (r *Row) ID() types.UID { return r.UID }

// ID implements Item.
func (p *Pool) ID() types.UID { return p.UID }

// ID implements Item.
func (t *Template) ID() types.UID { return t.UID }

func (r *Row) match(f Filter) bool      { return f.matches(r.search, r.Labels) }
func (p *Pool) match(f Filter) bool     { return f.matches(p.search, p.Labels) }
func (t *Template) match(f Filter) bool { return f.matches(t.search, t.Labels) }

func (r *Row) key() string      { return r.path }
func (p *Pool) key() string     { return p.path }
func (t *Template) key() string { return t.path }

// Select returns the items that match all filters, in their order.
func Select[T Item](items []T, filters ...Filter) []T {
	kept := make([]T, 0, len(items))
	for _, item := range items {
		taken := true
		for _, f := range filters {
			taken = taken && (f.Empty() || item.match(f))
		}
		if taken {
			kept = append(kept, item)
		}
	}
	return kept
}
