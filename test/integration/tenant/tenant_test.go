// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package tenant plays a hostile tenant: a ServiceAccount that has the role agent-sandbox-edit in one namespace tries
// to do through the operator what it may not do itself. The API server and its authorization are real, the operator has
// only the permissions of its manifests, and there is no kubelet and no garbage collector.
//
// Each attempt says who refuses it and with which words, and checks that what belongs to others is unchanged. The
// security guide has the table: go test -update writes it.
package tenant

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/agent-sandbox/kubectl-sandbox/test/golden"
	"github.com/agent-sandbox/kubectl-sandbox/test/integration/apiserver"
)

var server *apiserver.Server

func TestMain(m *testing.M) {
	ctrllog.SetLogger(logr.Discard())
	flag.Parse()
	_ = flag.Set("test.parallel", "16") // attempts wait for the operator, and do little themselves
	os.Exit(apiserver.Run(m, func(s *apiserver.Server) { server = s }, withOwnerReferenceChecks))
}

// withOwnerReferenceChecks enables the admission plugin that asks who may block the deletion of an owner. Clusters need
// not have it, and OpenShift does.
func withOwnerReferenceChecks(env *envtest.Environment) {
	env.ControlPlane.GetAPIServer().Configure().Append(
		"enable-admission-plugins", "OwnerReferencesPermissionEnforcement")
}

// attempt is something that a tenant tries. The words of want are a part of what is said; if nobody refuses, they say
// why.
type attempt struct {
	try  func(*tenancy) outcome
	want outcome
}

// topic is a part of the table in the security guide.
type topic struct {
	title    string
	attempts map[string]attempt
}

func topics() []topic {
	return []topic{
		{"What the role does not give", rights},
		{"Pods", pods},
		{"Names that others use", names},
		{"Owners", owners},
		{"Reserved labels and annotations", keys},
		{"What a claim adds to the Pod of a template", additions},
		{"Networks", networks},
		{"Quantities", quantities},
	}
}

func TestWhatATenantTriesIsRefusedAndChangesNothingOfOthers(t *testing.T) {
	p := startOperator(t)
	bystanders := newTenancy(t, p)
	bystanders.serveOthers()
	t.Run("attempts", func(t *testing.T) {
		for _, topic := range topics() {
			for name, row := range topic.attempts {
				t.Run(topic.title+"/"+name, func(t *testing.T) {
					t.Parallel()
					w := newTenancy(t, p)
					w.want = row.want
					got := row.try(w)
					if got.by != row.want.by {
						t.Errorf("refused by %q, not by %q: %s", got.by, row.want.by, got.words)
					}
					if got.by != nobody && !strings.Contains(got.words, row.want.words) {
						t.Errorf("in the words %q, not %q", got.words, row.want.words)
					}
					w.checkOthers()
				})
			}
		}
	})
	bystanders.checkOthers()
}

// The table is between these lines of the guide.
const (
	guide      = "../../../docs/guides/security.md"
	tableBegin = "<!-- The attempts: go test ./test/integration/tenant -update writes them. -->\n"
	tableEnd   = "<!-- The end of the attempts. -->\n"
)

func TestTheSecurityGuideHasEveryAttempt(t *testing.T) {
	page, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(page), tableBegin)
	_, after, ended := strings.Cut(rest, tableEnd)
	if !found || !ended {
		t.Fatalf("%s has no place for the attempts", guide)
	}
	table := &strings.Builder{}
	for _, topic := range topics() {
		fmt.Fprintf(table, "\n### %s\n\n| a tenant tries to | refused by | in these words, or why not |\n|---|---|---|\n",
			topic.title)
		for _, name := range slices.Sorted(maps.Keys(topic.attempts)) {
			row, words := topic.attempts[name], topic.attempts[name].want.words
			if row.want.by != nobody {
				words = "`" + words + "`"
			}
			fmt.Fprintf(table, "| %s | %s | %s |\n", name, row.want.by, words)
		}
	}
	golden.Compare(t, guide, []byte(before+tableBegin+table.String()+"\n"+tableEnd+after))
}
