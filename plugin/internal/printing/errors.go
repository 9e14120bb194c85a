// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package printing

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/transport"
)

// ErrorMessages returns a message for each error that was joined into err. Context that wraps joined errors is put
// before each of them. Errors without a text, such as remote exit codes, have no message.
func ErrorMessages(err error, f factory.Factory) []string {
	if err == nil || err.Error() == "" {
		return nil
	}
	parts, prefix := splitJoined(err)
	if parts == nil {
		return []string{errorMessage(err, f) + nextStep(err, f)}
	}
	var all []string
	for _, part := range parts {
		for _, text := range ErrorMessages(part, f) {
			all = append(all, prefix+text)
		}
	}
	return all
}

// splitJoined returns the errors that errors.Join combined, and the text that wraps them. An error that wraps several
// in one sentence is not split.
func splitJoined(err error) (parts []error, prefix string) {
	for inner := err; inner != nil; inner = errors.Unwrap(inner) {
		several, ok := inner.(interface{ Unwrap() []error })
		if !ok {
			continue
		}
		var texts []string
		for _, part := range several.Unwrap() {
			texts = append(texts, part.Error())
		}
		text := strings.Join(texts, "\n")
		if prefix, found := strings.CutSuffix(err.Error(), text); found && inner.Error() == text {
			return several.Unwrap(), prefix
		}
		return nil, ""
	}
	return nil, ""
}

// errorMessage returns what failed and why.
func errorMessage(err error, f factory.Factory) string {
	for _, known := range []func(error, factory.Factory) string{configurationMessage, connectionMessage, refusalMessage} {
		if text := known(err, f); text != "" {
			return text
		}
	}
	if errors.Is(err, context.Canceled) {
		return "interrupted"
	}
	return err.Error()
}

// nextStep returns the command that helps, if the error knows one.
func nextStep(err error, f factory.Factory) string {
	var knows interface{ NextStep() string }
	if !errors.As(err, &knows) || knows.NextStep() == "" {
		return ""
	}
	return "; try: " + SuggestedCommand(knows.NextStep(), f)
}

// SuggestedCommand returns a command of the plugin as the user types it, with the namespace of the command line.
func SuggestedCommand(arguments string, f factory.Factory) string {
	command := f.Program() + " " + arguments
	if namespace, explicit, err := f.Namespace(); err == nil && explicit && arguments != "install" {
		command += " -n " + namespace
	}
	return command
}

// configurationMessage explains an invalid kubeconfig. Like the following functions, it returns nothing for other
// errors.
func configurationMessage(err error, _ factory.Factory) string {
	switch {
	case errors.Is(err, genericclioptions.ErrEmptyConfig), clientcmd.IsEmptyConfig(err):
		return "no cluster is configured: set KUBECONFIG, or give --kubeconfig or --server"
	case clientcmd.IsContextNotFound(err):
		return err.Error() + ": kubectl config get-contexts lists those there are"
	}
	return ""
}

// connectionMessage explains why the API server could not be reached.
func connectionMessage(err error, f factory.Factory) string {
	var invalid x509.CertificateInvalidError
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	var alert tls.AlertError
	server := "the API server" + serverAddress(err)
	switch {
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return fmt.Sprintf("the certificate of %s is not valid now: %s: renew it, or check this machine's clock", server,
			invalid.Detail)
	case errors.As(err, &authority):
		return fmt.Sprintf("the certificate of %s is signed by an authority that the kubeconfig does not know: is it the "+
			"right cluster?", server)
	case errors.As(err, &host):
		return fmt.Sprintf("the certificate of %s is not for this name: %v", server, host)
	case errors.As(err, &alert):
		return fmt.Sprintf("%s refused the TLS connection (%v)%s", server, alert, certificateMessage(f))
	}
	var request *url.Error
	var broken *transport.BrokenError
	operation := remoteOperation(err)
	switch {
	case errors.As(err, &broken):
		return fmt.Sprintf("lost %s: %v", server, broken)
	case operation != nil && isUnconfigured(f):
		return "no cluster is configured, and none answers at localhost:8080: set KUBECONFIG, or give --kubeconfig or " +
			"--server"
	case operation != nil:
		return fmt.Sprintf("cannot reach %s: %v: is the cluster running, and is the context the right one?", server,
			operation.Err)
	case errors.As(err, &request) && !isLocal(err) && !errors.Is(err, context.Canceled):
		return fmt.Sprintf("cannot reach %s: %v", server, innermost(err))
	}
	return ""
}

// remoteOperation returns the network operation that failed, or nil. Operations of listeners are local.
func remoteOperation(err error) *net.OpError {
	var operation *net.OpError
	if !errors.As(err, &operation) || slices.Contains([]string{"listen", "accept", "set"}, operation.Op) {
		return nil
	}
	return operation
}

// isLocal reports whether the cause is on this machine: a file, or a credential plugin. The system's error numbers
// implement net.Error, so that interface does not distinguish them.
func isLocal(err error) bool {
	var file *fs.PathError
	var link *os.LinkError
	var system *os.SyscallError
	var program *exec.Error
	return errors.As(err, &file) || errors.As(err, &link) || errors.As(err, &system) || errors.As(err, &program)
}

// isUnconfigured reports whether the address of the API server is the default for a missing configuration.
func isUnconfigured(f factory.Factory) bool {
	config, err := f.RESTConfig()
	return err == nil && config.Host == "http://localhost:8080"
}

// serverAddress returns the host of a failed request, as in " at example.com:6443", or nothing.
func serverAddress(err error) string {
	var request *url.Error
	if !errors.As(err, &request) {
		return ""
	}
	u, parseErr := url.Parse(request.URL)
	if parseErr != nil || u.Host == "" {
		return ""
	}
	return " at " + u.Host
}

// innermost returns the error at the end of the chain.
func innermost(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}

// forbiddenPattern matches the message with which RBAC refuses a request.
var forbiddenPattern = regexp.MustCompile(`User "([^"]*)" cannot ([a-z]+) resource "([^"]*)"` +
	` in API group "([^"]*)"(?: in the namespace "([^"]*)")?`)

// MissingPermission returns the verb and the resource, as in deployments.apps, that a forbidden request needed.
func MissingPermission(err error) (verb, resource string, found bool) {
	words := forbiddenPattern.FindStringSubmatch(err.Error())
	if words == nil {
		return "", "", false
	}
	if resource = words[3]; words[4] != "" {
		resource += "." + words[4]
	}
	return words[2], resource, true
}

// refusalMessage explains why the API server refused a request.
func refusalMessage(err error, f factory.Factory) string {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return ""
	}
	message := status.Status().Message
	switch {
	case apierrors.IsUnauthorized(err):
		return "the API server does not accept your credentials" + certificateMessage(f)
	case apierrors.IsForbidden(err):
		words := forbiddenPattern.FindStringSubmatch(message)
		if words == nil {
			return err.Error()
		}
		_, resource, _ := MissingPermission(err)
		where := " in the whole cluster"
		if words[5] != "" {
			where = fmt.Sprintf(" in namespace %q", words[5])
		}
		return fmt.Sprintf("you (%s) may not %s %s%s: ask for a Role that allows the verb %q on %q", words[1], words[2],
			resource, where, words[2], resource)
	case apierrors.IsAlreadyExists(err):
		return fmt.Sprintf("%s: choose another name, or delete it first", message)
	case apierrors.IsNotFound(err) && strings.HasPrefix(message, "namespaces "):
		return fmt.Sprintf("%s: kubectl create namespace makes one", message)
	}
	return ""
}
