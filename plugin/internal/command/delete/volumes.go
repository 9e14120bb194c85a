// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package delete

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/volume"
)

// printVolumes prints the volumes that are deleted with the targets, and those that stay.
func printVolumes(ctx context.Context, a *factory.Clients, targets []*resolve.Target, out io.Writer) error {
	there := map[string][]corev1.PersistentVolumeClaim{}
	var fates []volume.Outcome
	named := map[types.NamespacedName]bool{}
	for _, t := range targets {
		volumes, known := there[t.Namespace]
		if !known {
			// without permission to read the volumes, the specs decide
			volumes, _ = a.Volumes.Of(ctx, t.Namespace)
			there[t.Namespace] = volumes
		}
		for _, fate := range volume.Outcomes(t.Claim, t.Sandbox, volumes) {
			if name := (types.NamespacedName{Namespace: t.Namespace, Name: fate.Name}); !named[name] {
				named[name], fates = true, append(fates, fate)
			}
		}
	}
	if going := volume.Names(fates, false); going != "" {
		if _, err := fmt.Fprintf(out, "Volumes that are deleted with their data: %s\n", going); err != nil {
			return err
		}
	}
	if staying := volume.Names(fates, true); staying != "" {
		if _, err := fmt.Fprintf(out, "Volumes that stay: %s\n", staying); err != nil {
			return err
		}
	}
	return nil
}

// kindVolume is the kind in names of volumes, as in volume/NAME.
const kindVolume = resolve.Kind("volume")

// deleteVolumes deletes the named volumes. A volume that is in use is an error.
func (o *Options) deleteVolumes(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams) error {
	switch {
	case o.Selection.All || o.Selection.Selector != "" || o.Selection.AllNamespaces:
		return cli.UsageError(errors.New("--volumes takes names: list --volumes shows them"))
	case o.Waiting.Wait:
		return cli.UsageError(errors.New("--volumes and --wait do not go together"))
	}
	for i, name := range o.Selection.Names {
		o.Selection.Names[i] = strings.TrimPrefix(name, string(kindVolume)+"/")
	}
	if err := o.Selection.ValidateForKind(kindVolume); err != nil {
		return err
	}
	found := map[string]volume.Volume{}
	get := func(a *factory.Clients) cli.GetFunc[cli.DeletionTarget] {
		return func(ctx context.Context, namespace, name string) (*cli.DeletionTarget, error) {
			v, err := a.Volumes.Get(ctx, namespace, name)
			if err != nil {
				return nil, err
			}
			if v.UsedBy != "" {
				return nil, fmt.Errorf("volume %s is not deleted: %s uses it", name, v.UsedBy)
			}
			found[name] = v
			return &cli.DeletionTarget{Namespace: namespace, Name: name, UID: v.Claim.UID}, nil
		}
	}
	kind := cli.Deletion{
		Kind: kindVolume, Consequence: ", with all data",
		Find: func(ctx context.Context, a *factory.Clients, o *cli.SelectionOptions) ([]cli.DeletionTarget, error) {
			return cli.Select(ctx, o, a.Namespace, get(a), nil) // there are names: they were validated
		},
		Delete: func(ctx context.Context, a *factory.Clients, object cli.DeletionTarget) error {
			return a.Volumes.Delete(ctx, found[object.Name])
		},
	}
	return kind.Run(ctx, f, streams, &cli.DeletionOptions{Selection: o.Selection, Yes: o.Yes})
}
