// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package provision

import (
	"fmt"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation"
)

func (o *PodOptions) parsePorts() error {
	o.ports = nil
	for _, text := range o.Ports {
		name, number, named := strings.Cut(text, "=")
		if !named {
			name, number = "", text
		}
		port, err := strconv.ParseInt(number, 10, 32)
		if err != nil || len(validation.IsValidPortNum(int(port))) > 0 ||
			(named && len(validation.IsValidPortName(name)) > 0) {
			return fmt.Errorf("--port %q: use [NAME=]PORT, where PORT is 1 to 65535 and NAME at most 15 lower-case letters, "+
				"digits and hyphens", text)
		}
		for _, other := range o.ports {
			if other.ContainerPort == int32(port) || (named && other.Name == name) {
				return fmt.Errorf("--port %q: another port has the same name or number", text)
			}
		}
		o.ports = append(
			o.ports, corev1.ContainerPort{Name: name, ContainerPort: int32(port), Protocol: corev1.ProtocolTCP},
		)
	}
	return nil
}

// parseResources parses --cpu and --memory, which set request and limit, and --requests and --limits, which overrule
// them.
func (o *PodOptions) parseResources() error {
	o.resources = corev1.ResourceRequirements{}
	both := corev1.ResourceList{}
	for _, given := range []struct {
		flag, text string
		name       corev1.ResourceName
	}{{"--cpu", o.CPU, corev1.ResourceCPU}, {"--memory", o.Memory, corev1.ResourceMemory}} {
		if given.text == "" {
			continue
		}
		quantity, err := parseQuantity(given.flag, given.text)
		if err != nil {
			return err
		}
		both[given.name] = quantity
	}
	requests, err := parseResourceList("--requests", o.Requests, both)
	if err != nil {
		return err
	}
	limits, err := parseResourceList("--limits", o.Limits, both)
	if err != nil {
		return err
	}
	for name, request := range requests {
		if limit, limited := limits[name]; limited && request.Cmp(limit) > 0 {
			return fmt.Errorf("%s: the request of %s is above the limit of %s", name, request.String(), limit.String())
		}
	}
	o.resources.Requests, o.resources.Limits = requests, limits
	return nil
}

// parseResourceList parses NAME=QUANTITY pairs, which overrule those of both. It returns nil for an empty list.
func parseResourceList(flag string, texts []string, both corev1.ResourceList) (corev1.ResourceList, error) {
	list := both.DeepCopy()
	for _, text := range texts {
		name, value, found := strings.Cut(text, "=")
		if !found || len(validation.IsQualifiedName(name)) > 0 {
			return nil, fmt.Errorf("%s %q: use NAME=QUANTITY, as in cpu=500m,memory=512Mi", flag, text)
		}
		quantity, err := parseQuantity(flag, value)
		if err != nil {
			return nil, err
		}
		list[corev1.ResourceName(name)] = quantity
	}
	if len(list) == 0 {
		return nil, nil
	}
	return list, nil
}

func parseQuantity(flag, text string) (resource.Quantity, error) {
	quantity, err := resource.ParseQuantity(text)
	if err != nil || quantity.Sign() <= 0 {
		return quantity, fmt.Errorf("%s %q is not a quantity; use for example 500m or 512Mi", flag, text)
	}
	return quantity, nil
}

func (o *PodOptions) parseEnvFrom() error {
	o.envFrom = nil
	for _, text := range o.EnvFrom {
		kind, name, _ := strings.Cut(text, "/")
		if len(validation.IsDNS1123Subdomain(name)) > 0 {
			kind = ""
		}
		reference := corev1.LocalObjectReference{Name: name}
		switch strings.ToLower(kind) {
		case "secret":
			o.envFrom = append(o.envFrom, corev1.EnvFromSource{SecretRef: &corev1.SecretEnvSource{
				LocalObjectReference: reference,
			}})
		case "configmap", "cm":
			o.envFrom = append(o.envFrom, corev1.EnvFromSource{ConfigMapRef: &corev1.ConfigMapEnvSource{
				LocalObjectReference: reference,
			}})
		default:
			return fmt.Errorf("--env-from %q: use secret/NAME or configmap/NAME", text)
		}
	}
	return nil
}

// parseNames checks what names other objects.
func (o *PodOptions) parseNames() error {
	for flag, name := range map[string]string{
		"--service-account": o.ServiceAccount, "--runtime-class": o.RuntimeClass,
	} {
		if name != "" && len(validation.IsDNS1123Subdomain(name)) > 0 {
			return fmt.Errorf("%s: %q cannot be a name", flag, name)
		}
	}
	o.pullSecrets = nil
	for _, name := range o.PullSecrets {
		if len(validation.IsDNS1123Subdomain(name)) > 0 {
			return fmt.Errorf("--image-pull-secret: %q cannot be a name", name)
		}
		o.pullSecrets = append(o.pullSecrets, corev1.LocalObjectReference{Name: name})
	}
	return nil
}

func (o *PodOptions) parseNodeSelector() error {
	o.nodeSelector = nil
	for _, text := range o.NodeSelector {
		key, value, found := strings.Cut(text, "=")
		if !found || len(validation.IsQualifiedName(key))+len(validation.IsValidLabelValue(value)) > 0 {
			return fmt.Errorf("--node-selector %q: use KEY=VALUE", text)
		}
		if o.nodeSelector == nil {
			o.nodeSelector = map[string]string{}
		}
		o.nodeSelector[key] = value
	}
	return nil
}

func (o *PodOptions) parseTolerations() error {
	o.tolerations = nil
	for _, text := range o.Tolerations {
		taint, effect, _ := strings.Cut(text, ":")
		key, value, equal := strings.Cut(taint, "=")
		toleration := corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffect(effect)}
		if equal {
			toleration.Operator, toleration.Value = corev1.TolerationOpEqual, value
		}
		if len(validation.IsQualifiedName(key))+len(validation.IsValidLabelValue(value)) > 0 {
			return fmt.Errorf("--toleration %q: use KEY[=VALUE][:EFFECT], as in gpu=true:NoSchedule", text)
		}
		switch toleration.Effect {
		case "", corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute:
		default:
			return fmt.Errorf("--toleration %q: the effect is NoSchedule, PreferNoSchedule or NoExecute", text)
		}
		o.tolerations = append(o.tolerations, toleration)
	}
	return nil
}
