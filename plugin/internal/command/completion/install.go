// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package completion

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
)

func newInstallCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "install",
		Short: "Make kubectl complete this plugin",
		Long: "install writes the program that kubectl asks for completions of this plugin: a link to the plugin under another name,\n" +
			"beside it or in --dir, which has to be on the PATH. kubectl's own completion must be loaded in your shell too:\n" +
			"see 'kubectl completion --help'. Delete the link when you uninstall the plugin: 'kubectl krew uninstall' does not know it.",
		Example: "  kubectl sandbox completion install\n\n" +
			"  # In a directory that you can write\n" +
			"  kubectl sandbox completion install --dir ~/.local/bin",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			plugin, err := exec.LookPath(os.Args[0])
			if err != nil {
				return fmt.Errorf("find this program: %w", err)
			}
			if plugin, err = filepath.Abs(plugin); err != nil {
				return err
			}
			if dir == "" {
				dir = filepath.Dir(plugin)
			}
			return Install(plugin, dir, f.Program(), os.Getenv("PATH"), streams)
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "Where to write it; by default the directory that the plugin is in.")
	return cmd
}

// Install makes dir's completer of a plugin that is called as program says, and warns when kubectl will not find it
// there. An earlier completer is replaced; any other file of that name is left alone and is an error.
func Install(plugin, dir, program, searchPath string, streams genericiooptions.IOStreams) error {
	name, ok := strings.CutPrefix(FileName(program), "kubectl-")
	if !ok {
		return fmt.Errorf(
			"this program is called %q, which is not a plugin of kubectl: print a script for it with '%s completion bash'",
			program, program,
		)
	}
	target := filepath.Join(dir, "kubectl_complete-"+name)
	if err := write(plugin, target); err != nil {
		if errors.Is(err, fs.ErrPermission) {
			return fmt.Errorf("%w; name a directory of the PATH that you can write: --dir ~/.local/bin", err)
		}
		return err
	}
	if !slices.Contains(filepath.SplitList(searchPath), dir) {
		_, _ = printable.Fprintf(streams.ErrOut, "Warning: %s is not on the PATH, so kubectl does not find it there.\n", dir)
	}
	_, err := printable.Fprintf(
		streams.Out, "%s completes '%s' once kubectl's own completion is loaded: see 'kubectl completion --help'\n", target,
		program,
	)
	return err
}

// write makes target the completer. On Windows, where links need a privilege, it is a batch file.
func write(plugin, target string) error {
	if runtime.GOOS == "windows" {
		return os.WriteFile(target+".bat", []byte("@\""+plugin+"\" __complete %*\r\n"), 0o755) //nolint:gosec // it is run
	}
	switch info, err := os.Lstat(target); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case info.Mode()&fs.ModeSymlink == 0:
		return fmt.Errorf("%s is there and is not ours: remove it first", target)
	default:
		if err := os.Remove(target); err != nil {
			return err
		}
	}
	return os.Symlink(plugin, target)
}
