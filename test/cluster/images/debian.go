// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package images

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// unpack adds the files of Debian packages and their dependencies to a tree. It keeps the packages in the directory
// downloads. keep selects paths; nil selects all.
func unpack(ctx context.Context, content tree, downloads string, packages []string, keep func(string) bool) error {
	archives, err := download(ctx, downloads, packages)
	if err != nil {
		return fmt.Errorf("fetch Debian packages %v: %w", packages, err)
	}
	for _, archive := range archives {
		if err := unpackOne(ctx, content, archive, keep); err != nil {
			return fmt.Errorf("unpack %s: %w", filepath.Base(archive), err)
		}
	}
	return nil
}

// aptOptions returns options that make apt resolve dependencies as on a machine without packages, and download to the
// directory.
func aptOptions(downloads string) []string {
	return []string{"-qq", "-y", "--no-install-recommends", "-o", "Dir::State::status=/dev/null",
		"-o", "Dir::Cache::archives=" + downloads, "-o", "APT::Sandbox::User=root", "-o", "Debug::NoLocking=1"}
}

// resolve returns apt's file names of the packages and their dependencies.
func resolve(ctx context.Context, downloads string, packages []string) ([]string, error) {
	args := append(append([]string{"install", "--print-uris"}, aptOptions(downloads)...), packages...)
	cmd := exec.CommandContext(ctx, "apt-get", args...)
	// apt prints no URI for an archive that it has already downloaded, so use an empty directory.
	for i := range cmd.Args {
		cmd.Args[i] = strings.Replace(cmd.Args[i], "Dir::Cache::archives="+downloads,
			"Dir::Cache::archives="+filepath.Join(downloads, "none"), 1)
	}
	if err := os.MkdirAll(filepath.Join(downloads, "none", "partial"), 0o755); err != nil {
		return nil, err
	}
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("apt-get: %w (run apt-get update first)%s", err, stderrOf(err))
	}
	var names []string
	for line := range strings.SplitSeq(string(out), "\n") {
		if fields := strings.Fields(line); len(fields) >= 2 && strings.HasSuffix(fields[1], ".deb") {
			names = append(names, fields[1])
		}
	}
	slices.Sort(names)
	return names, nil
}

// download fetches the archives that are missing and returns the sorted paths of all archives.
func download(ctx context.Context, downloads string, packages []string) ([]string, error) {
	names, err := resolve(ctx, downloads, packages)
	if err != nil {
		return nil, err
	}
	paths := make([]string, len(names))
	complete := len(names) > 0
	for i, name := range names {
		paths[i] = filepath.Join(downloads, name)
		if _, err := os.Stat(paths[i]); err != nil {
			complete = false
		}
	}
	if complete {
		return paths, nil
	}
	if err := os.MkdirAll(filepath.Join(downloads, "partial"), 0o755); err != nil {
		return nil, err
	}
	args := append(append([]string{"install", "--download-only"}, aptOptions(downloads)...), packages...)
	if out, err := exec.CommandContext(ctx, "apt-get", args...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("apt-get: %w\n%s", err, out)
	}
	return paths, nil
}

// unpackOne adds the files of one package. It moves files from directories such as /bin, which are links into /usr on
// current systems, below /usr.
func unpackOne(ctx context.Context, content tree, archive string, keep func(string) bool) (err error) {
	cmd := exec.CommandContext(ctx, "dpkg-deb", "--fsys-tarfile", archive)
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	defer func() {
		_, _ = io.Copy(io.Discard, pipe)
		err = errors.Join(err, cmd.Wait())
	}()
	for reader := tar.NewReader(pipe); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		at := merged(header.Name)
		if at == "" || keep != nil && !keep(at) {
			continue
		}
		one := entry{kind: header.Typeflag, mode: header.Mode & 0o7777, link: header.Linkname}
		switch header.Typeflag {
		case tar.TypeReg:
			if one.data, err = io.ReadAll(reader); err != nil {
				return err
			}
		case tar.TypeLink:
			one.link = merged(header.Linkname)
		case tar.TypeDir, tar.TypeSymlink:
		default:
			continue
		}
		content[at] = one
	}
}

// merged returns the path of a package's file without a leading slash, and with /bin, /sbin, /lib and /lib64 below
// /usr.
func merged(name string) string {
	at := strings.TrimPrefix(path.Clean("/"+name), "/")
	first, _, _ := strings.Cut(at, "/")
	if slices.Contains(mergedDirs, first) {
		return "usr/" + at
	}
	return at
}

var mergedDirs = []string{"bin", "sbin", "lib", "lib64"}

func stderrOf(err error) string {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return "\n" + string(exit.Stderr)
	}
	return ""
}
