// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"encoding/json"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/agent-sandbox/kubectl-sandbox/operator/install"
	"github.com/agent-sandbox/kubectl-sandbox/test/chart"
)

func TestTheAPIServerTakesWhateverTheValuesMake(t *testing.T) {
	ensureNamespace(t, operatorNamespace)
	ensureNamespace(t, "team-a")
	ensureNamespace(t, "team-b")
	client := dynamic.NewForConfigOrDie(server.Config())
	for name, text := range map[string]string{ // one case includes the definitions, which are large
		"the defaults":   "crds: {install: true}",
		"extensions":     "controller: {extensions: true}",
		"two namespaces": "controller: {extensions: true, watchNamespaces: [team-a, team-b]}",
		"high availability": `
replicaCount: 3
priorityClassName: system-cluster-critical
podDisruptionBudget: {enabled: true, minAvailable: 1}
topologySpreadConstraints: [{maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: ScheduleAnyway}]
affinity:
  nodeAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
      nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Exists}]}]
tolerations: [{operator: Exists}]
`,
		"routers": `
controller: {extensions: true, watchNamespaces: [team-a, team-b], clusterDomain: example.local}
router: {enabled: true, namespaces: [team-a], resumeOnRequest: true, podSpec: {tolerations: [{operator: Exists}]}}
`,
		"closed": `
imagePullSecrets: [{name: registry}]
networkPolicy: {enabled: true, metricsFrom: [{podSelector: {}}], egress: [{ports: [{port: 443}]}]}
controller: {metricsSecure: true, metricsCertPath: /certs}
volumes: [{name: certs, secret: {secretName: certs}}]
volumeMounts: [{name: certs, mountPath: /certs}]
serviceAccount: {annotations: {a: b}}
`,
		"everything as one likes": "nameOverride: x\npodLabels: {a: b}\npodAnnotations: {a: b}\nresources: " +
			"{}\nnodeSelector: {}\ncrds: {install: false}",
	} {
		t.Run(name, func(t *testing.T) {
			if !strings.Contains(text, "crds:") {
				text += "\ncrds: {install: false}"
			}
			objects, err := chart.Render(directory, operatorNamespace, "image: {tag: v1}\n"+text)
			if err != nil {
				t.Fatal(err)
			}
			for _, object := range objects {
				content, err := json.Marshal(object.Object)
				if err != nil {
					t.Fatal(err)
				}
				options := metav1.PatchOptions{
					FieldManager: "test", Force: new(true), DryRun: []string{metav1.DryRunAll},
					FieldValidation: metav1.FieldValidationStrict,
				}
				_, err = install.Resource(client, object).Patch(t.Context(), object.GetName(), types.ApplyPatchType, content,
					options)
				if err != nil {
					t.Errorf("%s %s: %v", object.GetKind(), object.GetName(), err)
				}
			}
		})
	}
}
