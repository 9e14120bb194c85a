// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package apis

// The API groups and the domain that all of them share. Metadata keys under either group belong to the operator.
const (
	// GroupAgents is the API group of Sandbox.
	GroupAgents = "agents.x-k8s.io"
	// GroupExtensions is the API group of SandboxClaim, SandboxTemplate and SandboxWarmPool.
	GroupExtensions = "extensions.agents.x-k8s.io"
)

// Kinds.
const (
	KindSandbox         = "Sandbox"
	KindSandboxClaim    = "SandboxClaim"
	KindSandboxTemplate = "SandboxTemplate"
	KindSandboxWarmPool = "SandboxWarmPool"
)

// Versions: v1beta1 is stored, v1alpha1 is served with the same schema.
const (
	VersionV1beta1  = "v1beta1"
	VersionV1alpha1 = "v1alpha1"
)

// Resources, as they stand in URLs.
const (
	ResourceSandboxes = "sandboxes"
	ResourceClaims    = "sandboxclaims"
	ResourceTemplates = "sandboxtemplates"
	ResourceWarmPools = "sandboxwarmpools"
)

// Names of CustomResourceDefinitions.
const (
	CRDSandboxes        = ResourceSandboxes + "." + GroupAgents
	CRDSandboxClaims    = ResourceClaims + "." + GroupExtensions
	CRDSandboxTemplates = ResourceTemplates + "." + GroupExtensions
	CRDSandboxWarmPools = ResourceWarmPools + "." + GroupExtensions
)

// Labels.
const (
	// LabelSandboxNameHash ties a Pod, Service or PersistentVolumeClaim to the name of its Sandbox.
	LabelSandboxNameHash = GroupAgents + "/sandbox-name-hash"
	// LabelSandboxUID ties a Pod to one incarnation of a Sandbox: Services select by it too. On a PersistentVolumeClaim that outlives
	// its Sandbox it stands for the owner reference that such a claim does not carry.
	LabelSandboxUID = GroupAgents + "/sandbox-uid"
	// LabelAdoptable set to ValueTrue on an unowned object lets a Sandbox of the matching name take it over.
	LabelAdoptable = GroupAgents + "/adoptable"
	// LabelSandboxPodTemplateHash on a pool member is the hash of the blueprint it was built from.
	LabelSandboxPodTemplateHash = GroupAgents + "/sandbox-pod-template-hash"
	// LabelAssignedSandboxName on a claim is the name of the Sandbox it is bound to, on a PersistentVolumeClaim that of the Sandbox it
	// was made for (an annotation of the same key too).
	LabelAssignedSandboxName = GroupAgents + "/sandbox-name"
	// LabelClaimUID on a Sandbox, its Pod, and PersistentVolumeClaims that outlive them is the UID of the claim that holds them.
	LabelClaimUID = GroupAgents + "/claim-uid"
	// LabelWarmPoolSandbox on a pool member is the hash of the pool's name.
	LabelWarmPoolSandbox = GroupAgents + "/warm-pool-sandbox"
	// LabelSandboxTemplateRefHash is the hash of the template's name; NetworkPolicies select by it.
	LabelSandboxTemplateRefHash = GroupAgents + "/sandbox-template-ref-hash"
	// LabelLaunchType on a Sandbox says how its claim got it: cold or warm.
	LabelLaunchType = GroupAgents + "/launch-type"
	// LabelApp is the conventional application label; the operator and the router are found by it.
	LabelApp = "app"
)

// Values of labels.
const (
	ValueTrue       = "true"
	LaunchTypeCold  = "cold"
	LaunchTypeWarm  = "warm"
	AppRouter       = "sandbox-router"
	WarmPoolNone    = "none"
	WarmPoolDefault = "default"
)

// Annotations.
const (
	// AnnotationPodName on a Sandbox is a hint at its Pod; the owner reference decides.
	AnnotationPodName = GroupAgents + "/pod-name"
	// AnnotationTemplateRef on a Sandbox is the name of the template it was stamped from.
	AnnotationTemplateRef = GroupAgents + "/sandbox-template-ref"
	// AnnotationTemplateUID on a NetworkPolicy is the UID of the template that it is of. It stands for the owner reference that such a
	// policy does not carry: it outlives its template as long as there are Pods that it selects.
	AnnotationTemplateUID = GroupAgents + "/sandbox-template-uid"
	// AnnotationAssignedSandboxName on a claim is the name of the Sandbox it is bound to, on a PersistentVolumeClaim that of the
	// Sandbox it was made for.
	AnnotationAssignedSandboxName = LabelAssignedSandboxName
	// AnnotationUnusedSince on a PersistentVolumeClaim is when (RFC 3339) its Sandbox was found to be gone.
	AnnotationUnusedSince = GroupAgents + "/unused-since"
	// AnnotationPropagatedLabels on a Pod lists the label keys that came from spec.podTemplate, sorted, comma-separated.
	AnnotationPropagatedLabels = GroupAgents + "/propagated-labels"
	// AnnotationPropagatedAnnotations on a Pod lists the annotation keys that came from spec.podTemplate.
	AnnotationPropagatedAnnotations = GroupAgents + "/propagated-annotations"
	// AnnotationClientFirstRequestedAt is the client's clock (RFC 3339, nanoseconds) when it asked for the object.
	AnnotationClientFirstRequestedAt = GroupAgents + "/client-first-requested-at"
	// AnnotationWebhookFirstObservedAt on a claim is an admission webhook's clock (RFC 3339, nanoseconds) when it first saw the
	// claim. We have no webhook, and honour the note of others.
	AnnotationWebhookFirstObservedAt = GroupAgents + "/webhook-first-observed-at"
	// AnnotationControllerFirstObservedAt on a claim is the operator's clock (RFC 3339, nanoseconds) when it first saw the claim.
	AnnotationControllerFirstObservedAt = GroupAgents + "/controller-first-observed-at"
	// AnnotationClaimLabels on a Sandbox lists the keys of its labels that came from its claim, sorted, comma-separated.
	AnnotationClaimLabels = GroupAgents + "/claim-labels"
	// AnnotationClaimAnnotations on a Sandbox lists the keys of its annotations that came from its claim.
	AnnotationClaimAnnotations = GroupAgents + "/claim-annotations"
	// AnnotationClaimPodLabels on a Sandbox lists the label keys of its podTemplate that came from its claim.
	AnnotationClaimPodLabels = GroupAgents + "/claim-pod-labels"
	// AnnotationClaimPodAnnotations on a Sandbox lists the annotation keys of its podTemplate that came from its claim.
	AnnotationClaimPodAnnotations = GroupAgents + "/claim-pod-annotations"
	// AnnotationSafeToEvict set to ValueTrue on a Pod lets the cluster autoscaler evict it: fine for a warm Pod, never for one
	// that somebody works in.
	AnnotationSafeToEvict = "cluster-autoscaler.kubernetes.io/safe-to-evict"
	// AnnotationCRDHash on the operator's Pods is the hash of all CustomResourceDefinitions of its version. When they change the
	// Pods are replaced: an operator that goes on to watch through former ones does not see what is new.
	AnnotationCRDHash = GroupAgents + "/crd-hash"
	// AnnotationTraceContext carries a W3C trace context between objects.
	AnnotationTraceContext = "opentelemetry.io/trace-context"
	// AnnotationDefaultContainer is kubectl's choice of container for exec, logs and cp.
	AnnotationDefaultContainer = "kubectl.kubernetes.io/default-container"
	// AnnotationDefaultStorageClass marks the StorageClass that a claim without one gets.
	AnnotationDefaultStorageClass = "storageclass.kubernetes.io/is-default-class"
)

// Names of the operator's own objects.
const (
	// OperatorName is the operator's binary, Deployment, container, ServiceAccount and app label.
	OperatorName = "agent-sandbox-controller"
	// OperatorNamespace is where the operator is installed unless somebody says otherwise.
	OperatorNamespace = "agent-sandbox-system"
	// LeaseName is the leader-election Lease.
	LeaseName = "a3317529.agent-sandbox.x-k8s.io"
)

// Field owners of writes.
const (
	// FieldOwnerSandbox owns what the Sandbox reconciler writes.
	FieldOwnerSandbox = "sandbox-controller"
	// FieldOwnerWarmPool owns what the pool reconciler writes.
	FieldOwnerWarmPool = "warmpool-controller"
	// FieldOwnerTemplate owns what the template reconciler writes.
	FieldOwnerTemplate = "template-controller"
	// FieldOwnerClaim owns what the claim reconciler writes.
	FieldOwnerClaim = "sandboxclaim-controller"
	// FieldOwnerPlugin owns what the kubectl plugin applies.
	FieldOwnerPlugin = "kubectl-sandbox"
)
