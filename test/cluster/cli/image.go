// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/agent-sandbox/kubectl-sandbox/test/cluster/images"
	"github.com/agent-sandbox/kubectl-sandbox/test/cluster/places"
	"github.com/agent-sandbox/kubectl-sandbox/test/cluster/prerequisites"
)

func imageCommand(out, progress io.Writer) *cobra.Command {
	cmd := &cobra.Command{Use: "image", Short: "Make an image as an archive, without a registry", Args: cobra.NoArgs}
	cmd.AddCommand(
		programImageCommand("operator", images.OperatorProgram), programImageCommand("router", images.RouterProgram),
		programImageCommand("runtime", images.RuntimeProgram),
	)
	for name, content := range map[string]string{
		"pause":  "the program that holds a Pod's namespaces, " + images.PauseTag,
		"shell":  "busybox, " + images.ShellTag,
		"python": "Python 3, bash, tar and core utilities, " + images.PythonTag,
	} {
		cmd.AddCommand(cachedImageCommand(name, content, out, progress))
	}
	return cmd
}

// programImageCommand returns a command that makes an image of one program.
func programImageCommand(name, program string) *cobra.Command {
	var binary, tag, file string
	cmd := &cobra.Command{
		Use:   name + " --binary PATH --tag NAME --out FILE.tar",
		Short: "The static binary of " + program + " on nothing",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return images.Program(program, binary, tag, file)
		},
	}
	cmd.Flags().StringVar(&binary, "binary", "", "static Linux binary, built with CGO_ENABLED=0")
	cmd.Flags().StringVar(&tag, "tag", "", "name of the image, below localhost/ and with a tag")
	cmd.Flags().StringVar(&file, "out", "", "archive to write")
	for _, name := range []string{"binary", "tag", "out"} {
		_ = cmd.MarkFlagRequired(name) // the flags are defined above
	}
	return cmd
}

// cachedImageCommand returns a command that makes an image only from Debian packages and this module, and keeps its
// archive in the cache.
func cachedImageCommand(name, content string, out, progress io.Writer) *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   name + " [--out FILE.tar]",
		Short: "An image with " + content,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := prerequisites.Ensure(cmd.Context(), progress); err != nil {
				return err
			}
			dir, err := places.Cache()
			if err != nil {
				return err
			}
			cache := images.NewCache(dir, func(format string, args ...any) {
				_, _ = fmt.Fprintf(progress, format+"\n", args...)
			})
			path, err := cache.Archive(cmd.Context(), name, true)
			if err != nil {
				return err
			}
			if file != "" {
				if err := copyFile(path, file); err != nil {
					return err
				}
				path = file
			}
			_, err = fmt.Fprintln(out, path)
			return err
		},
	}
	cmd.Flags().StringVar(&file, "out", "", "where to copy the archive to; by default it stays in the cache alone")
	return cmd
}

// copyFile writes to a temporary file beside the target and renames it, so that the target is never incomplete.
func copyFile(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(to+".new", data, 0o644); err != nil {
		return err
	}
	return os.Rename(to+".new", to)
}
