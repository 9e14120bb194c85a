// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package provision

import (
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
)

// restrictedID is the user and the group of --restricted without --uid. Images know them by no name or as their
// first user.
const restrictedID = 1000

// SecurityOptions are the flags that take rights from a Pod.
type SecurityOptions struct {
	// RunAsUser is UID[:GID].
	RunAsUser string
	// ReadOnly makes the root file system read-only.
	ReadOnly bool
	// Restricted makes the Pod fit the level "restricted" of the Pod Security Standards.
	Restricted bool

	uid, gid *int64
}

func (o *SecurityOptions) addFlags(cmd *cobra.Command, of string) {
	flags := cmd.Flags()
	flags.StringVar(&o.RunAsUser, "uid", "",
		of+"The user and the group of the programs, as numbers: UID[:GID]. The group, by default the number of the user, "+
			"owns the volumes. (default: those of the image)")
	flags.BoolVar(&o.ReadOnly, "read-only", false,
		of+"Let the programs write only to /tmp and to volumes.")
	flags.BoolVar(&o.Restricted, "restricted", false,
		of+"Fit the Pod Security Standard \"restricted\": without privileges, with the seccomp profile of the runtime, and "+
			fmt.Sprintf("as user %d unless --uid names another one.", restrictedID))
}

// parse parses --uid.
func (o *SecurityOptions) parse() error {
	o.uid, o.gid = nil, nil
	if o.RunAsUser == "" {
		if o.Restricted {
			o.uid, o.gid = new(int64(restrictedID)), new(int64(restrictedID))
		}
		return nil
	}
	user, group, grouped := strings.Cut(o.RunAsUser, ":")
	if !grouped {
		group = user
	}
	for _, id := range []struct {
		text string
		into **int64
	}{{user, &o.uid}, {group, &o.gid}} {
		number, err := strconv.ParseInt(id.text, 10, 64)
		if err != nil || number < 0 || number > math.MaxInt32 {
			return fmt.Errorf("--uid %q: use UID[:GID], as in 1000 or 1000:100", o.RunAsUser)
		}
		*id.into = &number
	}
	if o.Restricted && *o.uid == 0 {
		return errors.New("--restricted does not permit user 0: give --uid another one")
	}
	return nil
}

// apply sets the parsed values in the Pod and its container.
func (o *SecurityOptions) apply(pod *corev1.PodSpec, container *corev1.Container) {
	if o.uid != nil {
		pod.SecurityContext = &corev1.PodSecurityContext{RunAsUser: o.uid, RunAsGroup: o.gid, FSGroup: o.gid}
	}
	if o.ReadOnly {
		container.SecurityContext = &corev1.SecurityContext{ReadOnlyRootFilesystem: new(true)}
		addTmp(pod, container)
	}
	if !o.Restricted {
		return
	}
	pod.SecurityContext.RunAsNonRoot = new(true)
	pod.SecurityContext.SeccompProfile = &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault}
	if container.SecurityContext == nil {
		container.SecurityContext = &corev1.SecurityContext{}
	}
	container.SecurityContext.AllowPrivilegeEscalation = new(false)
	container.SecurityContext.Capabilities = &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}
}

// addTmp mounts an empty directory at /tmp, unless a volume is mounted there.
func addTmp(pod *corev1.PodSpec, container *corev1.Container) {
	const tmp = "/tmp"
	name := "tmp"
	for i := range container.VolumeMounts {
		if path.Clean(container.VolumeMounts[i].MountPath) == tmp {
			return
		}
	}
	for slices.ContainsFunc(container.VolumeMounts, func(m corev1.VolumeMount) bool { return m.Name == name }) {
		name += "-dir"
	}
	pod.Volumes = append(pod.Volumes, corev1.Volume{
		Name: name, VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}},
	})
	container.VolumeMounts = append(container.VolumeMounts, corev1.VolumeMount{Name: name, MountPath: tmp})
}

// WarnWithoutLimit prints a warning if a container of the Pod may use all memory of its node. cure is the flag or the
// field that sets a limit.
func WarnWithoutLimit(errOut io.Writer, what string, pod *corev1.PodSpec, cure string) {
	for i := range pod.Containers {
		container := &pod.Containers[i]
		if _, limited := container.Resources.Limits[corev1.ResourceMemory]; !limited {
			_, _ = printable.Fprintf(errOut, "Warning: %s sets no memory limit: unless a LimitRange of the namespace does, its "+
				"programs can use up the memory of the node; %s sets one\n", what, cure) // best effort
			return
		}
	}
}
