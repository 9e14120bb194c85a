// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

// fixture contains the objects that the examples use.
const fixture = `
apiVersion: extensions.agents.x-k8s.io/v1beta1
kind: SandboxTemplate
metadata: {name: python, labels: {team: research}}
spec:
  envVarsInjectionPolicy: Allowed
  podTemplate:
    spec:
      terminationGracePeriodSeconds: 0
      containers: [{name: main, image: IMAGE, command: [sleep, infinity]}]
---
apiVersion: extensions.agents.x-k8s.io/v1beta1
kind: SandboxTemplate
metadata: {name: python-3.14}
spec:
  podTemplate:
    spec:
      terminationGracePeriodSeconds: 0
      containers: [{name: main, image: IMAGE, command: [sleep, infinity]}]
---
apiVersion: extensions.agents.x-k8s.io/v1beta1
kind: SandboxWarmPool
metadata: {name: python-warm, labels: {team: research}}
spec: {replicas: 1, sandboxTemplateRef: {name: python}}
---
apiVersion: extensions.agents.x-k8s.io/v1beta1
kind: SandboxWarmPool
metadata: {name: node-warm}
spec: {replicas: 0, sandboxTemplateRef: {name: python}}
---
apiVersion: agents.x-k8s.io/v1beta1
kind: Sandbox
metadata: {name: dev, labels: {team: research}}
spec:
  shutdownTime: "2099-01-01T00:00:00Z"
  operatingMode: Running
  replicas: 1
  podTemplate:
    spec:
      terminationGracePeriodSeconds: 0
      containers:
      - name: main
        image: IMAGE
        stdin: true
        command:
        - sh
        - -c
        - mkdir -p /work/project /var/log && echo x >/var/log/x.log && echo x >/work/report.txt && exec sleep infinity
        ports: [{name: http, containerPort: 8080}]
---
apiVersion: agents.x-k8s.io/v1beta1
kind: Sandbox
metadata: {name: other}
spec:
  operatingMode: Running
  replicas: 1
  podTemplate:
    spec:
      terminationGracePeriodSeconds: 0
      containers: [{name: main, image: IMAGE, command: [sleep, infinity]}]
---
apiVersion: extensions.agents.x-k8s.io/v1beta1
kind: SandboxClaim
metadata: {name: old}
spec: {sandboxTemplateRef: {name: python}, lifecycle: {shutdownTime: "2020-01-01T00:00:00Z", shutdownPolicy: Retain}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: work-old
  labels: {agents.x-k8s.io/sandbox-name-hash: HASH, agents.x-k8s.io/sandbox-uid: former}
  annotations: {agents.x-k8s.io/sandbox-name: old}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Mi}}}
---
apiVersion: agents.x-k8s.io/v1beta1
kind: Sandbox
metadata: {name: job}
spec:
  podTemplate: {spec: {restartPolicy: Never, containers: [{name: main, image: IMAGE, command: ["true"]}]}}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: my-agent}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: my-agent}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: edit}
subjects: [{kind: ServiceAccount, name: my-agent, namespace: NAMESPACE}]
`
