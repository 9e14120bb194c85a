// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package volume

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/apis/client/clientset/versioned"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// Client reads and deletes volumes.
type Client struct {
	sandboxes  versioned.Interface
	kubernetes kubernetes.Interface
}

// New returns a Client. All arguments are required.
func New(sandboxes versioned.Interface, kubernetes kubernetes.Interface) *Client {
	return &Client{sandboxes: sandboxes, kubernetes: kubernetes}
}

// Volume is a PersistentVolumeClaim that was created for a Sandbox.
type Volume struct {
	Claim *corev1.PersistentVolumeClaim
	// Sandbox is the name of that Sandbox; empty if an old version of the operator created the volume.
	Sandbox string
	// UsedBy names what uses the volume, as sandbox/dev; empty if nothing does.
	UsedBy string
	// UnusedSince is when the operator noticed that the Sandbox is gone; zero if it has not, or the volume is used.
	UnusedSince time.Time
}

// List returns the labelled volumes of a namespace, or of all. Users of volumes that may not be read are left out.
func (c *Client) List(ctx context.Context, namespace, selector string) ([]Volume, error) {
	claims, err := c.claims(ctx, namespace, selector)
	if err != nil {
		return nil, err
	}
	users, _ := c.users(ctx, namespace) // a list without all users is better than none
	all := make([]Volume, 0, len(claims))
	for i := range claims {
		all = append(all, users.volume(&claims[i]))
	}
	return all, nil
}

// Of returns the labelled volumes of a namespace, without their users.
func (c *Client) Of(ctx context.Context, namespace string) ([]corev1.PersistentVolumeClaim, error) {
	return c.claims(ctx, namespace, "")
}

// Kept returns the volumes that outlived the Sandbox of a claim.
func (c *Client) Kept(
	ctx context.Context, claim *extensionsv1beta1.SandboxClaim,
) ([]corev1.PersistentVolumeClaim, error) {
	all, err := c.claims(ctx, claim.Namespace, apis.LabelClaimUID+"="+string(claim.UID))
	return KeptFor(claim, all), err
}

func (c *Client) claims(ctx context.Context, namespace, selector string) ([]corev1.PersistentVolumeClaim, error) {
	labelled := apis.LabelSandboxNameHash
	if selector != "" {
		labelled += "," + selector
	}
	list, err := c.kubernetes.CoreV1().PersistentVolumeClaims(namespace).List(
		ctx, metav1.ListOptions{LabelSelector: labelled},
	)
	if err != nil {
		return nil, fmt.Errorf("list volumes: %w", err)
	}
	return list.Items, nil
}

// Get returns one volume and its user. Unlike List, it returns an error if the user cannot be determined.
func (c *Client) Get(ctx context.Context, namespace, name string) (Volume, error) {
	claim, err := c.kubernetes.CoreV1().PersistentVolumeClaims(namespace).Get(ctx, name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return Volume{}, &resolve.Error{
			Cause: resolve.NotFound, Message: fmt.Sprintf("no volume is called %q in namespace %s", name, namespace),
		}
	case err != nil:
		return Volume{}, fmt.Errorf("get volume %s: %w", name, err)
	case claim.Labels[apis.LabelSandboxNameHash] == "":
		return Volume{}, fmt.Errorf("PersistentVolumeClaim %s was not made for a sandbox: it is left alone", name)
	}
	users, err := c.users(ctx, namespace)
	if err != nil {
		return Volume{}, fmt.Errorf("it cannot be told whether volume %s is in use: %w", name, err)
	}
	return users.volume(claim), nil
}

// Delete deletes a volume that nothing uses, if it is unchanged since it was read.
func (c *Client) Delete(ctx context.Context, v Volume) error {
	if v.UsedBy != "" {
		return fmt.Errorf("volume %s is in use by %s", v.Claim.Name, v.UsedBy)
	}
	err := c.kubernetes.CoreV1().PersistentVolumeClaims(v.Claim.Namespace).Delete(ctx, v.Claim.Name, metav1.DeleteOptions{
		Preconditions: &metav1.Preconditions{UID: &v.Claim.UID, ResourceVersion: &v.Claim.ResourceVersion},
	})
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case apierrors.IsConflict(err):
		return fmt.Errorf("volume %s changed meanwhile, a sandbox may have taken it: look again", v.Claim.Name)
	case err != nil:
		return fmt.Errorf("delete volume %s: %w", v.Claim.Name, err)
	}
	return nil
}

// users knows what uses volumes.
type users struct {
	byName map[types.NamespacedName]string
	claims map[types.UID]string // by UID; claims may get volumes back
}

// users reads what may use volumes. With an error it contains what could be read.
func (c *Client) users(ctx context.Context, namespace string) (users, error) {
	all := users{byName: map[types.NamespacedName]string{}, claims: map[types.UID]string{}}
	var failed error
	pods, err := c.kubernetes.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		failed = errors.Join(failed, fmt.Errorf("list Pods: %w", err))
		pods = &corev1.PodList{}
	}
	for i := range pods.Items {
		for j := range pods.Items[i].Spec.Volumes {
			if mounted := pods.Items[i].Spec.Volumes[j].PersistentVolumeClaim; mounted != nil {
				all.byName[types.NamespacedName{
					Namespace: pods.Items[i].Namespace, Name: mounted.ClaimName,
				}] = "pod/" + pods.Items[i].Name
			}
		}
	}
	sandboxes, err := c.sandboxes.AgentsV1beta1().Sandboxes(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return all, errors.Join(failed, fmt.Errorf("list Sandboxes: %w", err))
	}
	for i := range sandboxes.Items {
		s := &sandboxes.Items[i]
		for j := range s.Spec.VolumeClaimTemplates {
			name := naming.PersistentVolumeClaim(s.Spec.VolumeClaimTemplates[j].Name, s.Name)
			all.byName[types.NamespacedName{Namespace: s.Namespace, Name: name}] = "sandbox/" + s.Name
		}
	}
	claims, err := c.sandboxes.ExtensionsV1beta1().SandboxClaims(namespace).List(ctx, metav1.ListOptions{})
	switch {
	case resolve.NotServed(err): // there are none
	case err != nil:
		failed = errors.Join(failed, fmt.Errorf("list claims: %w", err))
	default:
		for i := range claims.Items {
			all.claims[claims.Items[i].UID] = claims.Items[i].Name
		}
	}
	return all, failed
}

func (u users) volume(claim *corev1.PersistentVolumeClaim) Volume {
	v := Volume{Claim: claim, Sandbox: claim.Annotations[apis.AnnotationAssignedSandboxName]}
	owner := metav1.GetControllerOf(claim)
	if owner != nil && owner.Kind == apis.KindSandbox {
		v.Sandbox = owner.Name
	}
	user, used := u.byName[types.NamespacedName{Namespace: claim.Namespace, Name: claim.Name}]
	holder, waits := u.claims[types.UID(claim.Labels[apis.LabelClaimUID])]
	switch {
	case used:
		v.UsedBy = user
	case owner != nil:
		v.UsedBy = string(resolve.KindSandbox) + "/" + owner.Name // it is deleted with the Sandbox
	case waits:
		v.UsedBy = string(resolve.KindClaim) + "/" + holder
	default:
		if since, err := time.Parse(time.RFC3339, claim.Annotations[apis.AnnotationUnusedSince]); err == nil {
			v.UnusedSince = since
		}
	}
	return v
}
