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

// Labels. Keys under agents.x-k8s.io and its subdomains are reserved: only the operator sets them. In a podTemplate
// they are ignored, with a warning event. In a claim they are refused, and so are keys under kubernetes.io, k8s.io and
// their subdomains; in a template's own metadata they are not copied to its Sandboxes.
const (
	// LabelSandboxNameHash is the hash of the name of the Sandbox that the object belongs to. On Pods, Services and
	// PersistentVolumeClaims. Written by the operator.
	LabelSandboxNameHash = GroupAgents + "/sandbox-name-hash"
	// LabelSandboxUID is the UID of the Sandbox that the object belongs to. Services select by it too, because a later
	// Sandbox may have the same name; on a retained PersistentVolumeClaim it replaces the owner reference. On Pods and
	// retained PersistentVolumeClaims. Written by the operator.
	LabelSandboxUID = GroupAgents + "/sandbox-uid"
	// LabelAdoptable allows, if its value is true, the Sandbox that needs the name of the object to adopt it, if nothing
	// else controls it. On Pods, Services and PersistentVolumeClaims. Written by users.
	LabelAdoptable = GroupAgents + "/adoptable"
	// LabelSandboxPodTemplateHash is the hash of what the member was built from. A member with another hash than the
	// template is stale. On Sandboxes that a pool holds. Written by the operator.
	LabelSandboxPodTemplateHash = GroupAgents + "/sandbox-pod-template-hash"
	// LabelAssignedSandboxName is the name of the claim's Sandbox, or of the Sandbox that the volume was created for. A
	// name of more than 63 characters is only in the annotation with the same key. On claims and PersistentVolumeClaims.
	// Written by the operator.
	LabelAssignedSandboxName = GroupAgents + "/sandbox-name"
	// LabelClaimUID is the UID of the claim that owns the Sandbox. On Sandboxes, Pods and retained PersistentVolumeClaims.
	// Written by the operator.
	LabelClaimUID = GroupAgents + "/claim-uid"
	// LabelWarmPoolSandbox is the hash of the name of the pool. On Sandboxes that a pool holds, and their Pods. Written by
	// the operator.
	LabelWarmPoolSandbox = GroupAgents + "/warm-pool-sandbox"
	// LabelSandboxTemplateRefHash is the hash of the name of the template. The template's NetworkPolicy selects Pods by
	// it. On Sandboxes of templates, their Pods, and NetworkPolicies of templates. Written by the operator.
	LabelSandboxTemplateRefHash = GroupAgents + "/sandbox-template-ref-hash"
	// LabelLaunchType says how the Sandbox started: warm if the claim adopted the Sandbox from a pool, and cold if the
	// Sandbox was created for the claim. On Sandboxes of claims. Written by the operator.
	LabelLaunchType = GroupAgents + "/launch-type"
	// LabelMCPSession is the identity of the session of an agent that created the sandbox. Its domain is not reserved,
	// because claims set it. On claims, Sandboxes and Pods. Written by the plugin (mcp).
	LabelMCPSession = FieldOwnerPlugin + "/mcp-session"
	// LabelApp says what the object is part of: agent-sandbox-controller for the operator and sandbox-router for routers.
	// The default NetworkPolicy of a template admits the Pods of routers by it, so the Pod of a Sandbox never has the
	// latter value. On all installed objects. Written by the installation.
	LabelApp = "app"
	// LabelPartOf is always agent-sandbox. On all installed objects. Written by the installation.
	LabelPartOf = "app.kubernetes.io/part-of"
	// LabelManagedBy is what installed the object: kubectl-sandbox, or Helm. On all installed objects. Written by the
	// installation.
	LabelManagedBy = "app.kubernetes.io/managed-by"
	// LabelVersion is the version that installed the object. On all installed objects. Written by the installation.
	LabelVersion = "app.kubernetes.io/version"
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

// Annotations. Reserved keys are those of labels.
const (
	// AnnotationPodName is the name of the Pod. It is a hint: the owner reference of the Pod decides. On every Sandbox.
	// Written by the operator.
	AnnotationPodName = GroupAgents + "/pod-name"
	// AnnotationTemplateRef is the name of the template that the Sandbox was created from. On Sandboxes of templates.
	// Written by the operator.
	AnnotationTemplateRef = GroupAgents + "/sandbox-template-ref"
	// AnnotationTemplateUID is the UID of the template. It replaces an owner reference, because the policy outlives its
	// template as long as there are Pods that it selects. On NetworkPolicies of templates. Written by the operator.
	AnnotationTemplateUID = GroupAgents + "/sandbox-template-uid"
	// AnnotationAssignedSandboxName is the name of the claim's Sandbox, or of the Sandbox that the volume was created for.
	// On claims and PersistentVolumeClaims. Written by the operator.
	AnnotationAssignedSandboxName = LabelAssignedSandboxName
	// AnnotationUnusedSince is the time (RFC 3339) at which the Sandbox of the volume was found to be gone. On retained
	// PersistentVolumeClaims. Written by the operator.
	AnnotationUnusedSince = GroupAgents + "/unused-since"
	// AnnotationPropagatedLabels lists the label keys that came from spec.podTemplate, sorted, comma-separated. On Pods.
	// Written by the operator.
	AnnotationPropagatedLabels = GroupAgents + "/propagated-labels"
	// AnnotationPropagatedAnnotations lists the annotation keys that came from spec.podTemplate. On Pods. Written by the
	// operator.
	AnnotationPropagatedAnnotations = GroupAgents + "/propagated-annotations"
	// AnnotationClientFirstRequestedAt is the time (RFC 3339, nanoseconds) at which the client requested the object, by
	// the clock of the client. Metrics of the start count from it. On claims and Sandboxes. Written by clients, such as
	// the plugin and the Go SDK.
	AnnotationClientFirstRequestedAt = GroupAgents + "/client-first-requested-at"
	// AnnotationWebhookFirstObservedAt is the time (RFC 3339, nanoseconds) at which an admission webhook first saw the
	// claim, by its clock. This project has no webhook, but reads what others record. On claims. Written by admission
	// webhooks.
	AnnotationWebhookFirstObservedAt = GroupAgents + "/webhook-first-observed-at"
	// AnnotationControllerFirstObservedAt is the time (RFC 3339, nanoseconds) at which the operator first saw the claim.
	// On claims. Written by the operator.
	AnnotationControllerFirstObservedAt = GroupAgents + "/controller-first-observed-at"
	// AnnotationClaimLabels lists the keys of the Sandbox's labels that came from its claim, sorted, comma-separated. On
	// Sandboxes of claims. Written by the operator.
	AnnotationClaimLabels = GroupAgents + "/claim-labels"
	// AnnotationClaimAnnotations lists the keys of the Sandbox's annotations that came from its claim. On Sandboxes of
	// claims. Written by the operator.
	AnnotationClaimAnnotations = GroupAgents + "/claim-annotations"
	// AnnotationClaimPodLabels lists the label keys of the podTemplate that came from the claim. On Sandboxes of claims.
	// Written by the operator.
	AnnotationClaimPodLabels = GroupAgents + "/claim-pod-labels"
	// AnnotationClaimPodAnnotations lists the annotation keys of the podTemplate that came from the claim. On Sandboxes of
	// claims. Written by the operator.
	AnnotationClaimPodAnnotations = GroupAgents + "/claim-pod-annotations"
	// AnnotationSafeToEvict allows, if its value is true, the cluster autoscaler to evict the Pod. The operator copies it
	// from the podTemplate to warm Pods, and never to the Pod of a claimed Sandbox. On Pods of pools. Written by users, in
	// the template.
	AnnotationSafeToEvict = "cluster-autoscaler.kubernetes.io/safe-to-evict"
	// AnnotationCRDHash is the hash of all CustomResourceDefinitions of the version. A change replaces the Pods: an
	// operator whose watches were opened with older definitions does not see new fields. On Pods of the operator. Written
	// by the installation.
	AnnotationCRDHash = GroupAgents + "/crd-hash"
	// AnnotationTraceContext is a W3C trace context, as JSON, which the operator copies from the claim to the Sandbox and
	// the Pod. On claims, Sandboxes and Pods. Written by clients, or by the operator if they have not and it traces.
	AnnotationTraceContext = "opentelemetry.io/trace-context"
	// AnnotationDefaultContainer is the container that kubectl and the plugin use by default. On Pods. Written by users,
	// in the podTemplate.
	AnnotationDefaultContainer = "kubectl.kubernetes.io/default-container"
	// AnnotationDefaultStorageClass marks the StorageClass of volumes that name none. On StorageClasses. Written by the
	// administrator of the cluster.
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
