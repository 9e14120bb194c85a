// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package provision

import (
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
)

// parseEnv parses the values of --env and --env-file.
func (o *Options) parseEnv() error {
	o.env = nil
	variables, err := o.EnvOptions.Parse()
	for _, variable := range variables {
		// The kubelet expands $(NAME) but not $$(NAME), so the value arrives literally.
		o.env = append(o.env, corev1.EnvVar{
			Name: variable.Name, Value: strings.ReplaceAll(variable.Value, "$(", "$$("),
		})
	}
	return err
}

// parseMetadata parses the values of --label and --annotation.
func (o *Options) parseMetadata() error {
	var err error
	if o.labels, err = cli.ParseLabels(o.Labels); err != nil {
		return err
	}
	o.annotations, err = cli.ParseAnnotations(o.Annotations)
	return err
}

// parseVolumes parses the values of --volume.
func (o *Options) parseVolumes() error {
	o.volumes = nil
	for _, text := range o.Volumes {
		name, rest, found := strings.Cut(text, "=")
		size, path, hasPath := strings.Cut(rest, ":")
		if !found || len(validation.IsDNS1123Label(name)) > 0 {
			return fmt.Errorf("--volume %q: use NAME=SIZE[:PATH], where NAME is lower-case letters, digits and '-'", text)
		}
		quantity, err := resource.ParseQuantity(size)
		if err != nil || quantity.Sign() <= 0 {
			return fmt.Errorf("--volume %q: %q is not a size; use for example 500Mi or 10Gi", text, size)
		}
		if path, err = o.mountPath(name, path, hasPath); err != nil {
			return fmt.Errorf("--volume %q: %w", text, err)
		}
		for _, other := range o.volumes {
			if other.name == name || (path != "" && other.path == path) {
				return fmt.Errorf("--volume %q: another volume has the same name or path", text)
			}
		}
		if long := len(naming.PersistentVolumeClaim(name, o.Name)); long > validation.DNS1123SubdomainMaxLength {
			return fmt.Errorf("--volume %q: the name is too long together with the sandbox's: %d characters, at most %d", text,
				long-1, validation.DNS1123SubdomainMaxLength-1)
		}
		o.volumes = append(o.volumes, volume{name: name, path: path, size: quantity})
	}
	return nil
}

// mountPath returns the mount path of a volume. It is empty in a claim, where the template decides.
func (o *Options) mountPath(name, path string, given bool) (string, error) {
	switch {
	case o.createsClaim() && given:
		return "", errors.New("a claim cannot say where its volume is mounted: leave out the path, and have the template " +
			"mount a volume of that name")
	case o.createsClaim():
		return "", nil
	case !given:
		return "/" + name, nil
	case !strings.HasPrefix(path, "/") || strings.Contains(path, ":"):
		return "", fmt.Errorf("%q is not an absolute path", path)
	}
	return path, nil
}
