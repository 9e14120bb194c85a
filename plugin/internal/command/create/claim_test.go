// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package create

import (
	"encoding/json"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
)

func TestClaimCommand(t *testing.T) {
	t.Run("a claim is created and named", func(t *testing.T) {
		out, errOut, cluster, err := command(t, false, "dev", "--template", "python", "--ttl", "1h",
			"--ttl-after-finished", "0s", "--shutdown-policy", "DeleteForeground")
		if err != nil || out != "sandboxclaim."+apis.GroupExtensions+"/dev created\n" ||
			errOut != "At the end of its lifetime, the claim is deleted with its Sandbox; volumes are deleted too, "+
				"unless the template retains them\n" {
			t.Errorf("%v, %q, %q", err, out, errOut)
		}
		claim, err := cluster.Sandboxes.ExtensionsV1beta1().SandboxClaims("ns").Get(t.Context(), "dev", metav1.GetOptions{})
		if err != nil || *claim.Spec.Lifecycle.TTLSecondsAfterFinished != 0 ||
			claim.Annotations[apis.AnnotationClientFirstRequestedAt] == "" {
			t.Errorf("%+v, %v", claim, err)
		}
	})
	t.Run("a dry run shows the claim and sends nothing", func(t *testing.T) {
		out, _, cluster, err := command(t, false, "dev", "--pool", "warm", "--dry-run=client", "-o", "json")
		claim := &extensionsv1beta1.SandboxClaim{}
		if err != nil || json.Unmarshal([]byte(out), claim) != nil || claim.Kind != apis.KindSandboxClaim ||
			claim.Spec.WarmPoolRef.Name != "warm" || len(cluster.Sandboxes.Actions()) > 0 {
			t.Errorf("%v, %s", err, out)
		}
	})
	t.Run("a wait that times out says how to delete the claim", func(t *testing.T) {
		out, errOut, _, err := command(t, false, "dev", "--pool", "warm", "--wait", "--timeout", "0")
		if cli.ExitCode(err) != cli.ExitTimeout || !strings.Contains(out, "created") ||
			!strings.Contains(errOut, "Claim dev stays") || !strings.Contains(errOut, "delete dev --yes") {
			t.Errorf("%v, %q, %q", err, out, errOut)
		}
	})
}
