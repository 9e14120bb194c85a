// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"fmt"
	"strings"
	"testing"
)

func TestDoctorAsAnotherUserIsAboutThatUserAndItsCureGrantsWhatIsLacking(t *testing.T) {
	reinstall(t)
	namespace := server.Namespace(t)
	for as, flag := range map[string]string{
		"patient-jane": "--user=patient-jane",
		"system:serviceaccount:" + namespace + ":bot": "--serviceaccount=" + namespace + ":bot",
	} {
		found, err := runDoctor(t, server.Kubeconfig(), namespace, "--as", as)
		if err == nil {
			t.Errorf("%s may do everything", as)
		}
		for check, f := range found {
			if check != "kubernetes" && f.Status == statusOK {
				t.Errorf("%s is ok for %s: %s", check, as, f.Message)
			}
			if strings.Contains(f.Message, "you ") {
				t.Errorf("%s is about somebody else than %s: %s", check, as, f.Message)
			}
		}
		streams := found["exec-permissions"]
		_, cure, _ := strings.Cut(streams.Cure, ": ")
		for i, command := range strings.Split(cure, "; ") {
			words := strings.Fields(command)
			if !strings.HasPrefix(command, "kubectl create role") || (strings.Contains(command, "binding") &&
				!strings.Contains(command, flag)) {
				t.Fatalf("as %s: %s", as, streams.Cure)
			}
			for j := range words { // a placeholder, and names that two users do not share
				words[j] = strings.Replace(words[j], "NAME", fmt.Sprintf("of-%d-%d", len(as), i), 1)
				words[j] = strings.Replace(words[j], "kubectl-sandbox", fmt.Sprintf("kubectl-sandbox-%d", len(as)), 1)
			}
			mustKubectl(t, words[1:]...)
		}
		found, _ = runDoctor(t, server.Kubeconfig(), namespace, "--as", as)
		if f := found["exec-permissions"]; f.Status != statusOK {
			t.Errorf("after %s: %+v", cure, f)
		}
		if f := found["permissions"]; f.Status != statusFailed {
			t.Errorf("the cure of another check gave more: %+v", f)
		}
	}
}
