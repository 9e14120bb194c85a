// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package installer

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
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
	Env             []string // NAME=VALUE, of the operator and all routers
	ServedVersions  []string // nil keeps what is served
	AllowDowngrade  bool

	Router           *bool    // the router beside the operator
	RouterNamespaces []string // nil keeps the routers of tenants; empty is none
	RouterImage      string
	RouterArgs       []string // of all routers
	// Defaults ignores what is installed.
	Defaults bool
}

// mergeInto returns the options that result from the choices and the installed Deployment, which may be nil and which
// does not tell what the API server serves. ours is the version of the program. remarks are for the user.
func (c *Choices) mergeInto(
	have *appsv1.Deployment, program, ours string,
) (o install.Options, remarks []string, err error) {
	if have != nil {
		if err := c.checkReplaceable(have, ours); err != nil {
			return o, nil, err
		}
		o = install.InstalledOptions(have)
		if o.Env, err = ownVariables(have, apis.OperatorName, o.Env); err != nil {
			return o, nil, err
		}
		if c.Defaults {
			o = install.Options{Namespace: o.Namespace, Routers: o.Routers}
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
	o.ServedVersions = c.ServedVersions
	o.Args, o.Env = mergeArgs(o.Args, c.Args), mergeEnv(o.Env, c.Env)
	if o.Replicas != nil && *o.Replicas == 0 {
		remarks = append(remarks, "The operator stays scaled to zero and manages no sandboxes. --replicas=1 starts it.")
	}
	image := operatorImage(c.Image)
	if have != nil {
		image.from(have, install.InstalledOptions(have).Image)
	}
	var remark string
	o.Image, remark, err = c.chooseImage(image, program, ours)
	if remark != "" {
		remarks = append(remarks, remark)
	}
	return o, remarks, err
}

// merge returns the options that result from the choices and what is installed, in a namespace or, if it is empty, the
// default. It prints remarks for the user.
func (c *Choices) merge(
	have *appsv1.Deployment, routers []appsv1.Deployment, namespace, program string, note func(string, ...any),
) (install.Options, error) {
	ours := buildinfo.Get().Version
	o, remarks, err := c.mergeInto(have, program, ours)
	if err != nil {
		return install.Options{}, err
	}
	o.Namespace = namespace
	further, err := c.mergeRouters(&o, routers, program, ours)
	if err != nil {
		return install.Options{}, err
	}
	for _, remark := range append(remarks, further...) {
		note("%s", remark)
	}
	return o, nil
}

// checkReplaceable returns an error if another tool manages the installation, or if it is newer than the program.
func (c *Choices) checkReplaceable(have *appsv1.Deployment, ours string) error {
	if manager := have.Labels[apis.LabelManagedBy]; manager != "" && manager != apis.FieldOwnerPlugin {
		return fmt.Errorf("the operator was installed by %s: upgrade it with %[1]s", manager)
	}
	if theirs := have.Labels[apis.LabelVersion]; !c.AllowDowngrade && IsNewer(theirs, ours) {
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

// mergeEnv returns the variables, with those of given (NAME=VALUE) in place of others of the same name or after them.
func mergeEnv(have []corev1.EnvVar, given []string) []corev1.EnvVar {
	all := slices.Clone(have)
	for _, one := range given {
		name, value, _ := strings.Cut(one, "=")
		all = slices.DeleteFunc(all, func(old corev1.EnvVar) bool { return old.Name == name })
		all = append(all, corev1.EnvVar{Name: name, Value: value})
	}
	return all
}

// imageChoice is what decides which image a program of the installation runs.
type imageChoice struct {
	program, flag string
	repository    string // of the published images
	asked         string // by the user, or empty

	found     bool // it is installed
	installed string
	version   string // of the manifests that it was installed from
}

func operatorImage(asked string) imageChoice {
	return imageChoice{program: "operator", flag: "--image", repository: install.ImageRepository, asked: asked}
}

func routerImage(asked string) imageChoice {
	return imageChoice{program: "router", flag: "--router-image", repository: install.RouterImageRepository, asked: asked}
}

// from adds what is installed.
func (i *imageChoice) from(deployment *appsv1.Deployment, installed string) {
	i.found, i.installed, i.version = true, installed, deployment.Labels[apis.LabelVersion]
}

// published returns the published image of a version.
func (i *imageChoice) published(version string) string { return i.repository + ":" + version }

// chooseImage returns the image to run. It changes only to the one that this release publishes, or to the one that the
// user names. For the same version it stays.
func (c *Choices) chooseImage(i imageChoice, program, ours string) (chosen, remark string, err error) {
	ofBuild := i.published(buildinfo.Get().Version)
	if !i.found {
		if i.asked == "" && !buildinfo.IsRelease(ours) {
			remark = fmt.Sprintf("This is a development build, whose image %s is not published: where the nodes do not have "+
				"it, name another with %s.", ofBuild, i.flag)
		}
		return i.asked, remark, nil
	}
	same := i.version == install.VersionLabel(ours)
	published := strings.HasPrefix(i.installed, i.repository+":") || i.installed == ""
	switch {
	case i.asked != "":
		return i.asked, "", nil
	case c.Defaults && buildinfo.IsRelease(ours):
		return ofBuild, "", nil
	case same:
		if i.installed != i.published(ours) {
			remark = fmt.Sprintf("The %s keeps the image %s; %s changes it.", i.program, i.installed, i.flag)
		}
		return i.installed, remark, nil
	case published && buildinfo.IsRelease(ours):
		return ofBuild, "", nil
	}
	why := "is not one that this project publishes"
	if published {
		why = "cannot be replaced by that of a development build, which is not published"
	}
	return "", "", cli.UsageError(fmt.Errorf("the %s, of version %s, runs the image %s, which %s: name the one to run "+
		"with this program's %s, as in: %s upgrade %s IMAGE; with %[7]s %[3]s it stays",
		i.program, i.version, i.installed, why, ours, program, i.flag))
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
