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
		Short: "Let kubectl complete this plugin",
		Long: "install creates the program that kubectl calls to complete this plugin: a link to the plugin under\n" +
			"another name, beside the plugin or in --dir. The directory must be on the PATH, and your shell must\n" +
			"have loaded kubectl's own completion: see 'kubectl completion --help'. Delete the link when you\n" +
			"uninstall the plugin, because 'kubectl krew uninstall' does not delete it.",
		Example: "  # Create the link beside the plugin\n" +
			"  kubectl sandbox completion install\n\n" +
			"  # Create it in a directory to which you can write\n" +
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
	cmd.Flags().StringVar(&dir, "dir", "", "The directory for the link. (default: the plugin's own)")
	return cmd
}

// Install creates in dir the link that kubectl calls to complete the plugin, which users call by the name in program.
// It warns if dir is not on the search path. It replaces an earlier link; any other file of that name stays, and is an
// error.
func Install(plugin, dir, program, searchPath string, streams genericiooptions.IOStreams) error {
	name, ok := strings.CutPrefix(FileName(program), "kubectl-")
	if !ok {
		return fmt.Errorf("this program is called %q and is not a kubectl plugin: print a script for it with "+
			"'%s completion bash'", program, program)
	}
	target := filepath.Join(dir, "kubectl_complete-"+name)
	if err := link(plugin, target); err != nil {
		if errors.Is(err, fs.ErrPermission) {
			return fmt.Errorf("%w; give a directory on the PATH to which you can write, as in --dir ~/.local/bin", err)
		}
		return err
	}
	if !slices.Contains(filepath.SplitList(searchPath), dir) {
		_, _ = printable.Fprintf(streams.ErrOut, "Warning: %s is not on the PATH, so kubectl does not find it there.\n", dir)
	}
	_, err := printable.Fprintf(streams.Out, "%s completes '%s' once your shell has loaded kubectl's own completion: see "+
		"'kubectl completion --help'\n", target, program)
	return err
}

// link makes target a link to the plugin. On Windows, where links need a privilege, it is a batch file.
func link(plugin, target string) error {
	if runtime.GOOS == "windows" {
		//nolint:gosec // kubectl executes the file
		return os.WriteFile(target+".bat", []byte("@\""+plugin+"\" __complete %*\r\n"), 0o755)
	}
	switch info, err := os.Lstat(target); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case info.Mode()&fs.ModeSymlink == 0:
		return fmt.Errorf("%s exists and is not a link that this command created: remove it first", target)
	default:
		if err := os.Remove(target); err != nil {
			return err
		}
	}
	return os.Symlink(plugin, target)
}
