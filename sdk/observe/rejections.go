// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/diagnose"
)

// Rejections returns the latest event about each pool whose members the API server rejects, by the UID of the pool. It
// returns none if the caller may not read events. An empty namespace means all.
func (o *Observer) Rejections(ctx context.Context, namespace string) map[types.UID]*corev1.Event {
	reason := string(apis.ReasonMemberRejected)
	list, err := o.kubernetes.CoreV1().Events(namespace).List(ctx, metav1.ListOptions{
		FieldSelector: fields.OneTermEqualSelector("reason", reason).String(),
	})
	if err != nil {
		return nil
	}
	latest := map[types.UID]*corev1.Event{}
	for i := range list.Items {
		e := &list.Items[i]
		known := latest[e.InvolvedObject.UID]
		if e.Reason == reason && (known == nil || diagnose.EventTime(e).After(diagnose.EventTime(known).Time)) {
			latest[e.InvolvedObject.UID] = e
		}
	}
	return latest
}
