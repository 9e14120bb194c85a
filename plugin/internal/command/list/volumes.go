// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package list

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/printing"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/volume"
)

// listVolumes lists the volumes that were created for Sandboxes.
func (o *Options) listVolumes(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams) error {
	a, err := factory.NewClients(f)
	if err != nil {
		return err
	}
	namespace := a.Namespace
	if o.AllNamespaces {
		namespace = metav1.NamespaceAll
	}
	volumes, err := a.Volumes.List(ctx, namespace, o.Selector)
	if err != nil {
		return err
	}
	volumes, failed := o.namedVolumes(volumes, namespace)
	items := make([]printing.Item, 0, len(volumes))
	for i := range volumes {
		item, err := printing.NewItem(volumes[i].Claim, corev1.SchemeGroupVersion.WithKind("PersistentVolumeClaim"),
			volumeRow(&volumes[i], f.Clock().Now())...)
		if err != nil {
			return errors.Join(failed, err)
		}
		items = append(items, item)
	}
	if o.printing.Table() && len(items) == 0 {
		if failed == nil {
			_, failed = io.WriteString(streams.ErrOut, "No volumes found.\n")
		}
		return failed
	}
	return errors.Join(failed, o.printing.Print(items, volumeColumns(), o.AllNamespaces, streams.Out))
}

// namedVolumes returns the volumes of the given names, or all if there are none. A name that does not exist is an
// error; the other volumes are still returned.
func (o *Options) namedVolumes(all []volume.Volume, namespace string) (named []volume.Volume, failed error) {
	if len(o.Names) == 0 {
		return all, nil
	}
	for _, name := range o.Names {
		at := slices.IndexFunc(all, func(v volume.Volume) bool { return v.Claim.Name == name })
		if at < 0 && o.IgnoreNotFound {
			continue
		}
		if at < 0 {
			failed = errors.Join(failed, &resolve.Error{
				Cause:   resolve.NotFound,
				Message: fmt.Sprintf("no volume of a sandbox is called %q in namespace %s", name, namespace),
			})
			continue
		}
		named = append(named, all[at])
	}
	return named, failed
}

func volumeColumns() []metav1.TableColumnDefinition {
	return []metav1.TableColumnDefinition{
		{Name: "Name", Type: "string"},
		{Name: "Size", Type: "string"},
		{Name: "Sandbox", Type: "string"},
		{Name: "Used by", Type: "string"},
		{Name: "Unused for", Type: "string"},
		{Name: "Status", Type: "string", Priority: 1},
		{Name: "Storage class", Type: "string", Priority: 1},
	}
}

func volumeRow(v *volume.Volume, now time.Time) []any {
	unused := printing.None
	switch {
	case !v.UnusedSince.IsZero():
		unused = duration.HumanDuration(now.Sub(v.UnusedSince))
	case v.UsedBy == "":
		unused = "unknown"
	}
	class := ""
	if v.Claim.Spec.StorageClassName != nil {
		class = *v.Claim.Spec.StorageClassName
	}
	return []any{
		v.Claim.Name, printing.OrNone(volume.Size(v.Claim)), printing.OrNone(v.Sandbox), printing.OrNone(v.UsedBy), unused,
		string(v.Claim.Status.Phase), printing.OrNone(class),
	}
}
