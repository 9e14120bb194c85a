// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package apis

// The API groups. They are also the domains of label and annotation keys, which only the operator sets.
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

// Versions. v1beta1 is the storage version; v1alpha1 is served with the same schema.
const (
	VersionV1beta1  = "v1beta1"
	VersionV1alpha1 = "v1alpha1"
)

// Resources, as in URLs.
const (
	ResourceSandboxes = "sandboxes"
	ResourceClaims    = "sandboxclaims"
	ResourceTemplates = "sandboxtemplates"
	ResourceWarmPools = "sandboxwarmpools"
)

// SubresourceProxy is a subresource of Sandboxes and claims that exists for permissions only: whoever may create it may
// send requests to the sandbox, through the router.
const SubresourceProxy = "proxy"

// Names of CustomResourceDefinitions.
const (
	CRDSandboxes        = ResourceSandboxes + "." + GroupAgents
	CRDSandboxClaims    = ResourceClaims + "." + GroupExtensions
	CRDSandboxTemplates = ResourceTemplates + "." + GroupExtensions
	CRDSandboxWarmPools = ResourceWarmPools + "." + GroupExtensions
)

// Labels.
const (
	// LabelSandboxNameHash on a Pod, Service or PersistentVolumeClaim is the hash of the name of its Sandbox.
	LabelSandboxNameHash = GroupAgents + "/sandbox-name-hash"
	// LabelSandboxUID on a Pod is the UID of its Sandbox. Services select by it too, because a later Sandbox may have the
	// same name. On a retained PersistentVolumeClaim it replaces the owner reference.
	LabelSandboxUID = GroupAgents + "/sandbox-uid"
	// LabelAdoptable set to ValueTrue on an object without a controller allows the Sandbox that needs its name to adopt
	// it.
	LabelAdoptable = GroupAgents + "/adoptable"
	// LabelSandboxPodTemplateHash on a pool member is the hash of the blueprint that it was built from.
	LabelSandboxPodTemplateHash = GroupAgents + "/sandbox-pod-template-hash"
	// LabelAssignedSandboxName on a claim is the name of its Sandbox, and on a PersistentVolumeClaim the name of the
	// Sandbox that it was created for. There is an annotation with the same key, for names that are no label values.
	LabelAssignedSandboxName = GroupAgents + "/sandbox-name"
	// LabelClaimUID on a Sandbox, its Pod and its retained PersistentVolumeClaims is the UID of the claim that owns the
	// Sandbox.
	LabelClaimUID = GroupAgents + "/claim-uid"
	// LabelWarmPoolSandbox on a pool member is the hash of the pool's name.
	LabelWarmPoolSandbox = GroupAgents + "/warm-pool-sandbox"
	// LabelSandboxTemplateRefHash is the hash of the template's name; NetworkPolicies select by it.
	LabelSandboxTemplateRefHash = GroupAgents + "/sandbox-template-ref-hash"
	// LabelLaunchType on a Sandbox is LaunchTypeWarm if its claim adopted it from a pool, otherwise LaunchTypeCold.
	LabelLaunchType = GroupAgents + "/launch-type"
	// LabelMCPSession on a claim or Sandbox, its Pod and its Sandbox is the identity of the session of `kubectl sandbox mcp`
	// that created it. It is in a domain of its own, because claims may set it.
	LabelMCPSession = FieldOwnerPlugin + "/mcp-session"
	// LabelApp is the conventional application label. The operator and the router are found by it.
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
	// AnnotationPodName on a Sandbox is the name of its Pod. It is a hint: the owner reference decides.
	AnnotationPodName = GroupAgents + "/pod-name"
	// AnnotationTemplateRef on a Sandbox is the name of the template that it was created from.
	AnnotationTemplateRef = GroupAgents + "/sandbox-template-ref"
	// AnnotationTemplateUID on a NetworkPolicy is the UID of its template. It replaces an owner reference: the policy
	// outlives its template as long as there are Pods that it selects.
	AnnotationTemplateUID = GroupAgents + "/sandbox-template-uid"
	// AnnotationAssignedSandboxName on a claim is the name of its Sandbox, and on a PersistentVolumeClaim the name of the
	// Sandbox that it was created for.
	AnnotationAssignedSandboxName = LabelAssignedSandboxName
	// AnnotationUnusedSince on a PersistentVolumeClaim is the time (RFC 3339) at which its Sandbox was found to be gone.
	AnnotationUnusedSince = GroupAgents + "/unused-since"
	// AnnotationPropagatedLabels on a Pod lists the label keys that came from spec.podTemplate, sorted, comma-separated.
	AnnotationPropagatedLabels = GroupAgents + "/propagated-labels"
	// AnnotationPropagatedAnnotations on a Pod lists the annotation keys that came from spec.podTemplate.
	AnnotationPropagatedAnnotations = GroupAgents + "/propagated-annotations"
	// AnnotationClientFirstRequestedAt is the time (RFC 3339, nanoseconds) at which the client requested the object,
	// according to the client's clock.
	AnnotationClientFirstRequestedAt = GroupAgents + "/client-first-requested-at"
	// AnnotationWebhookFirstObservedAt on a claim is the time (RFC 3339, nanoseconds) at which an admission webhook first
	// saw the claim, according to its clock. We have no webhook, but read what the webhooks of others record.
	AnnotationWebhookFirstObservedAt = GroupAgents + "/webhook-first-observed-at"
	// AnnotationControllerFirstObservedAt on a claim is the time (RFC 3339, nanoseconds) at which the operator first saw
	// the claim.
	AnnotationControllerFirstObservedAt = GroupAgents + "/controller-first-observed-at"
	// AnnotationClaimLabels on a Sandbox lists the keys of its labels that came from its claim, sorted, comma-separated.
	AnnotationClaimLabels = GroupAgents + "/claim-labels"
	// AnnotationClaimAnnotations on a Sandbox lists the keys of its annotations that came from its claim.
	AnnotationClaimAnnotations = GroupAgents + "/claim-annotations"
	// AnnotationClaimPodLabels on a Sandbox lists the label keys of its podTemplate that came from its claim.
	AnnotationClaimPodLabels = GroupAgents + "/claim-pod-labels"
	// AnnotationClaimPodAnnotations on a Sandbox lists the annotation keys of its podTemplate that came from its claim.
	AnnotationClaimPodAnnotations = GroupAgents + "/claim-pod-annotations"
	// AnnotationSafeToEvict set to ValueTrue on a Pod allows the cluster autoscaler to evict it. It may be set on a warm
	// Pod, and never on the Pod of a claimed Sandbox.
	AnnotationSafeToEvict = "cluster-autoscaler.kubernetes.io/safe-to-evict"
	// AnnotationCRDHash on the operator's Pods is the hash of all CustomResourceDefinitions of its version. A change
	// replaces the Pods: an operator whose watches were opened with older definitions does not see new fields.
	AnnotationCRDHash = GroupAgents + "/crd-hash"
	// AnnotationTraceContext carries a W3C trace context between objects.
	AnnotationTraceContext = "opentelemetry.io/trace-context"
	// AnnotationDefaultContainer is the container that kubectl exec, logs and cp use by default.
	AnnotationDefaultContainer = "kubectl.kubernetes.io/default-container"
	// AnnotationDefaultStorageClass marks the StorageClass of PersistentVolumeClaims that name none.
	AnnotationDefaultStorageClass = "storageclass.kubernetes.io/is-default-class"
)

// Names of the operator's and the router's own objects.
const (
	// OperatorName is the name of the operator's binary, Deployment, container and ServiceAccount, and the value of its
	// app label.
	OperatorName = "agent-sandbox-controller"
	// OperatorNamespace is the default namespace of the operator.
	OperatorNamespace = "agent-sandbox-system"
	// RouterDeployment is the name of the Deployment of a router. Its container and ServiceAccount are named AppRouter.
	RouterDeployment = "sandbox-router-deployment"
	// LeaseName is the name of the Lease for leader election.
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
	// FieldOwnerRouter owns what the router writes: the fields that resume a Sandbox.
	FieldOwnerRouter = AppRouter
)
