// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sdk

import (
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// validate returns an error for settings with which a Client cannot work.
func (o *options) validate() error {
	var all []error
	for _, setting := range []struct {
		option string
		value  int64
	}{
		{"WithReadyTimeout", int64(o.readyTimeout)}, {"WithRequestTimeout", int64(o.requestTimeout)},
		{"WithCleanupTimeout", int64(o.cleanupTimeout)}, {"WithMaxOutput", o.maxOutput}, {"WithMaxFile", o.maxFile},
	} {
		if setting.value <= 0 {
			all = append(all, fmt.Errorf("%s: it must be greater than 0", setting.option))
		}
	}
	if wrong := validation.IsDNS1123Label(o.namespace); len(wrong) > 0 {
		all = append(all, fmt.Errorf("the namespace %q: %s", o.namespace, strings.Join(wrong, "; ")))
	}
	if o.runtimePort < 1 || o.runtimePort > maxPort {
		all = append(all, fmt.Errorf("WithRuntimePort: %d is not a port: use 1 to %d", o.runtimePort, maxPort))
	}
	if o.clock == nil {
		all = append(all, errors.New("WithClock: there is no clock"))
	}
	if strategy, ok := o.strategy.(interface{ Validate() error }); ok {
		all = append(all, strategy.Validate())
	}
	return errors.Join(all...)
}
