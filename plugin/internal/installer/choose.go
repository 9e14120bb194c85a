// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package installer

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/version"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/apis/arguments"
	"github.com/agent-sandbox/kubectl-sandbox/apis/buildinfo"
	"github.com/agent-sandbox/kubectl-sandbox/operator/install"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
)

// Choices are what the user asked for. A nil or empty field keeps what is installed, or else is the default.
type Choices struct {
	Image           string
	Replicas        *int32
	WatchNamespaces []string // nil keeps what is installed; empty is all namespaces
	CoreOnly        *bool
	Args            []string
	AllowDowngrade  bool
	// Defaults ignores what is installed.
	Defaults bool
}

// mergeInto returns the options that result from the choices and the installed Deployment, which may be nil. ours is
// the version of the program. remarks are for the user.
func (c *Choices) mergeInto(
	have *appsv1.Deployment, program, ours string,
) (o install.Options, remarks []string, err error) {
	if have != nil {
		if err := c.checkReplaceable(have, ours); err != nil {
			return o, nil, err
		}
		o = install.InstalledOptions(have)
		if c.Defaults {
			o = install.Options{Namespace: o.Namespace}
		}
	}
	if c.Replicas != nil {
		o.Replicas = c.Replicas
	}
	if c.WatchNamespaces != nil {
		o.WatchNamespaces = c.WatchNamespaces
	}
	if c.CoreOnly != nil {
		o.CoreOnly = *c.CoreOnly
	}
	o.Args = mergeArgs(o.Args, c.Args)
	if o.Replicas != nil && *o.Replicas == 0 {
		remarks = append(remarks, "The operator stays scaled to zero and manages no sandboxes. --replicas=1 starts it.")
	}
	remark, err := c.chooseImage(&o, have, program, ours)
	if remark != "" {
		remarks = append(remarks, remark)
	}
	return o, remarks, err
}

// checkReplaceable returns an error if another tool manages the installation, or if it is newer than the program.
func (c *Choices) checkReplaceable(have *appsv1.Deployment, ours string) error {
	if manager := have.Labels[install.LabelManagedBy]; manager != "" && manager != apis.FieldOwnerPlugin {
		return fmt.Errorf("the operator was installed by %s: upgrade it with %[1]s", manager)
	}
	if theirs := have.Labels[install.LabelVersion]; !c.AllowDowngrade && IsNewer(theirs, ours) {
		return fmt.Errorf("the operator is of version %s, newer than this program's %s: upgrade the program, or give "+
			"--allow-downgrade", theirs, ours)
	}
	return nil
}

// mergeArgs returns the arguments, with those of given in place of arguments of the same flag or after them.
func mergeArgs(have, given []string) []string {
	all := slices.DeleteFunc(slices.Clone(have), func(old string) bool {
		return slices.ContainsFunc(given, func(arg string) bool { return arguments.Name(arg) == arguments.Name(old) })
	})
	return append(all, given...)
}

// chooseImage sets the image. It changes only to the one that this release publishes, or to the one that the user
// names. For the same version it stays.
func (c *Choices) chooseImage(
	o *install.Options, have *appsv1.Deployment, program, ours string,
) (remark string, err error) {
	if have == nil {
		if c.Image == "" && !buildinfo.IsRelease(ours) {
			remark = fmt.Sprintf("This is a development build, whose image %s is not published: where the nodes do not have "+
				"it, name another with --image.", install.DefaultImage())
		}
		o.Image = c.Image
		return remark, nil
	}
	installed := install.InstalledOptions(have).Image
	theirs := have.Labels[install.LabelVersion]
	same := theirs == install.VersionLabel(ours)
	published := strings.HasPrefix(installed, install.ImageRepository+":") || installed == ""
	switch {
	case c.Image != "":
		o.Image = c.Image
	case c.Defaults && buildinfo.IsRelease(ours):
		o.Image = install.DefaultImage()
	case same:
		o.Image = installed
		if installed != install.ImageRepository+":"+ours {
			remark = "The operator keeps the image " + installed + "; --image changes it."
		}
	case published && buildinfo.IsRelease(ours):
		o.Image = install.DefaultImage()
	default:
		why := "is not one that this project publishes"
		if published {
			why = "cannot be replaced by that of a development build, which is not published"
		}
		return "", cli.UsageError(fmt.Errorf("the operator, of version %s, runs the image %s, which %s: name the one to "+
			"run with this program's %s, "+
			"as in: %s upgrade --image IMAGE; with --image %[2]s it stays", theirs, installed, why, ours, program))
	}
	return remark, nil
}

// ImageRequired reports whether an upgrade of the installation needs --image.
func ImageRequired(have *appsv1.Deployment) bool {
	_, _, err := (&Choices{AllowDowngrade: true}).mergeInto(have, "", buildinfo.Get().Version)
	var usage *cli.ExitError
	return errors.As(err, &usage) && usage.Code == cli.ExitUsage
}

// IsNewer reports whether version a is newer than b. It is false if either is not a semantic version.
func IsNewer(a, b string) bool {
	first, err := version.ParseSemantic(a)
	if err != nil {
		return false
	}
	second, err := version.ParseSemantic(b)
	return err == nil && second.LessThan(first)
}
