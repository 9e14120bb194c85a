// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package template

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// defaultEditor is the editor if the environment names none.
func defaultEditor() string {
	if runtime.GOOS == "windows" {
		return "notepad"
	}
	return "vi"
}

func newEditCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	return &cobra.Command{
		Use:        "edit NAME",
		SuggestFor: []string{"change", "modify"},
		Short:      "Change a template in an editor",
		Long: "edit opens a template as YAML in the editor of KUBE_EDITOR or EDITOR, or in vi, and changes the template\n" +
			"when the editor ends. If the text cannot be accepted, the editor opens again and shows why. An empty text,\n" +
			"or one without a change, changes nothing. A text that could not be saved is kept in a file.\n\n" +
			"A change has no effect on claimed sandboxes. A pool replaces its unclaimed ones as its update strategy\n" +
			"says: pool rollout status waits for that.",
		Example: "  kubectl sandbox template edit python\n\n" +
			"  # Use another editor\n" +
			"  KUBE_EDITOR='code --wait' kubectl sandbox template edit python",
		Args:              cli.ExactArgs("NAME"),
		ValidArgsFunction: cli.CompleteFirstArg(cli.CompleteTemplates(f)),
		RunE: func(cmd *cobra.Command, args []string) error {
			refs, err := cli.ParseRefsOf(resolve.KindTemplate, args)
			if err != nil {
				return err
			}
			return edit(cmd.Context(), f, streams, refs[0].Name)
		},
	}
}

// edit changes the template until the cluster accepts it, or the user leaves the text as it was.
func edit(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams, name string) error {
	a, err := factory.NewClients(f)
	if err != nil {
		return err
	}
	was, err := a.Pools.Template(ctx, a.Namespace, name)
	if err != nil {
		return err
	}
	text, err := editableText(was)
	if err != nil {
		return err
	}
	var problem error
	for {
		edited, err := openEditor(ctx, streams, name, withProblem(text, problem))
		if err != nil {
			return err
		}
		edited = withoutComments(edited)
		if isBlank(edited) || bytes.Equal(edited, text) {
			if problem != nil {
				return keepText(edited, problem)
			}
			_, err := printable.Fprintf(streams.Out, "template/%s %s\n", name, unchanged)
			return err
		}
		text = edited
		is, err := save(ctx, a, was, edited)
		switch {
		case err == nil:
			if _, err := printable.Fprintf(streams.Out, "template/%s %s\n", name, changed(was, is)); err != nil {
				return err
			}
			printPools(ctx, f, a, is, streams.ErrOut)
			return nil
		case !correctable(err):
			return keepText(edited, err)
		}
		problem = err
	}
}

// save changes the template to what the text says.
func save(
	ctx context.Context, a *factory.Clients, was *extensionsv1beta1.SandboxTemplate, text []byte,
) (*extensionsv1beta1.SandboxTemplate, error) {
	desired, err := parseTemplate("the text", text)
	switch {
	case err != nil:
		return nil, &textError{err}
	case desired.Name != was.Name || desired.Namespace != was.Namespace:
		return nil, &textError{fmt.Errorf("name and namespace cannot change: they are %s and %s", was.Name, was.Namespace)}
	}
	is, err := a.Pools.UpdateTemplate(ctx, was, desired, false)
	if apierrors.IsConflict(err) {
		return nil, fmt.Errorf("somebody else has changed or replaced template %s meanwhile: edit it again", was.Name)
	}
	return is, err
}

// textError is an error in the edited text.
type textError struct{ error }

// Unwrap gives errors.Is and errors.As the cause.
func (e *textError) Unwrap() error { return e.error }

// correctable reports whether the user can correct the error in the text.
func correctable(err error) bool {
	_, own := errors.AsType[*textError](err)
	return own || apierrors.IsInvalid(err) || apierrors.IsBadRequest(err)
}

// editableText returns a template as YAML, without what the API server sets.
func editableText(template *extensionsv1beta1.SandboxTemplate) ([]byte, error) {
	shown := template.DeepCopy()
	shown.APIVersion, shown.Kind = extensionsv1beta1.SchemeGroupVersion.String(), apis.KindSandboxTemplate
	finalizers, owners := shown.Finalizers, shown.OwnerReferences
	dropReadOnly(shown)
	shown.Finalizers, shown.OwnerReferences = finalizers, owners
	text, err := printable.YAML(shown)
	if err != nil {
		return nil, fmt.Errorf("encode template: %w", err)
	}
	return text, nil
}

// commentPrefix begins the lines that withProblem adds and withoutComments removes.
const commentPrefix = "# "

// withProblem returns the text below comments that say what is wrong with it.
func withProblem(text []byte, problem error) []byte {
	lines := []string{
		"Lines at the top that begin with # are left out. An empty text changes nothing.",
	}
	if problem != nil {
		lines = append(lines, "This text cannot be accepted:")
		for line := range strings.Lines(problem.Error()) {
			lines = append(lines, printable.Line(line))
		}
	}
	var out bytes.Buffer
	for _, line := range lines {
		fmt.Fprintf(&out, "%s%s\n", commentPrefix, line)
	}
	out.Write(text) // bytes.Buffer never fails
	return out.Bytes()
}

// withoutComments removes the comments at the top.
func withoutComments(text []byte) []byte {
	for bytes.HasPrefix(text, []byte("#")) {
		_, rest, _ := bytes.Cut(text, []byte("\n"))
		text = rest
	}
	return text
}

// openEditor has the user edit a text, and returns it.
func openEditor(
	ctx context.Context, streams genericiooptions.IOStreams, name string, text []byte,
) (edited []byte, err error) {
	directory, err := os.MkdirTemp("", "kubectl-sandbox-edit-")
	if err != nil {
		return nil, fmt.Errorf("edit the template: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(directory)) }()
	file := filepath.Join(directory, name+".yaml")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return nil, fmt.Errorf("edit the template: %w", err)
	}
	editor := cmp.Or(os.Getenv("KUBE_EDITOR"), os.Getenv("EDITOR"), defaultEditor())
	command := editorCommand(ctx, editor, file)
	command.Stdin, command.Stdout, command.Stderr = streams.In, streams.Out, streams.ErrOut
	if err := command.Run(); err != nil {
		return nil, fmt.Errorf("editor %q, of KUBE_EDITOR or EDITOR: %w", editor, err)
	}
	edited, err = os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("edit the template: %w", err)
	}
	return edited, nil
}

// editorCommand returns the command of an editor, which may have arguments and, but on Windows, quotes.
func editorCommand(ctx context.Context, editor, file string) *exec.Cmd {
	if runtime.GOOS == "windows" {
		words := append(strings.Fields(editor), file)
		return exec.CommandContext(ctx, words[0], words[1:]...)
	}
	return exec.CommandContext(ctx, "sh", "-c", editor+` "$1"`, "sh", file)
}

// keepText saves a text that could not be accepted, and adds to the error where it is.
func keepText(text []byte, cause error) error {
	file, err := os.CreateTemp("", "kubectl-sandbox-edit-*.yaml")
	if err != nil {
		return cause
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Close()); err != nil {
		return cause
	}
	return fmt.Errorf("%w; your text is in %s", cause, file.Name())
}
