// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package images

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/test/cluster/filelock"
)

// recipe must change when the same packages give another image. Cached archives of older recipes are not used.
const recipe = "2"

// Cache keeps archives of the images that do not depend on the project's code.
type Cache struct {
	dir  string
	logf func(format string, args ...any)
}

// NewCache returns a cache of archives and their packages below dir. It calls logf with a line for every long step.
func NewCache(dir string, logf func(format string, args ...any)) *Cache {
	return &Cache{dir: dir, logf: logf}
}

// Names returns the names of the images that Archive makes.
func Names() []string { return []string{"pause", "shell", "python"} }

// Archive returns the path of the archive of an image (see Names), and makes the archive if it does not exist. With
// fresh, it asks apt for the current versions of the packages and makes the archive again if they have changed.
func (c *Cache) Archive(ctx context.Context, name string, fresh bool) (string, error) {
	if path := c.newest(name); path != "" && !fresh {
		return path, nil
	}
	release, err := filelock.Lock(filepath.Join(c.dir, "locks", "images"), func() {
		c.logf("waiting for another run that makes images")
	})
	if err != nil {
		return "", err
	}
	defer release()
	if path := c.newest(name); path != "" && !fresh {
		return path, nil
	}
	key, err := c.key(ctx, name)
	if err != nil {
		return "", err
	}
	path := filepath.Join(c.dir, "images", name+"-"+recipe+"-"+key+".tar")
	if _, err := os.Stat(path); err == nil {
		now := time.Now()
		return path, os.Chtimes(path, now, now) // newest uses the latest time
	}
	start := time.Now()
	c.logf("making image %s", name)
	if err := c.make(ctx, name, path); err != nil {
		return "", fmt.Errorf("make image %s: %w", name, err)
	}
	c.logf("made image %s in %s", name, time.Since(start).Round(100*time.Millisecond))
	return path, nil
}

// newest returns the archive that was made or requested last, or an empty string.
func (c *Cache) newest(name string) string {
	paths, _ := filepath.Glob(filepath.Join(c.dir, "images", name+"-"+recipe+"-*.tar")) // the pattern is well-formed
	var best string
	var when time.Time
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil && info.ModTime().After(when) {
			best, when = path, info.ModTime()
		}
	}
	return best
}

func (c *Cache) downloads() string { return filepath.Join(c.dir, "debian") }

// key returns a hash of the versions of all contents of an image.
func (c *Cache) key(ctx context.Context, name string) (string, error) {
	parts := string(pauseSource)
	if packages := packagesOf(name); packages != nil {
		names, err := resolve(ctx, c.downloads(), packages)
		if err != nil {
			return "", err
		}
		parts += strings.Join(names, "\n")
	}
	sum := sha256.Sum256([]byte(parts))
	return hex.EncodeToString(sum[:])[:10], nil
}

func packagesOf(name string) []string {
	switch name {
	case "shell":
		return shellPackages
	case "python":
		return pythonPackages
	}
	return nil
}

func (c *Cache) make(ctx context.Context, name, path string) error {
	switch name {
	case "pause":
		return Pause(ctx, path)
	case "shell":
		return Shell(ctx, c.downloads(), path)
	case "python":
		return Python(ctx, c.downloads(), path)
	}
	return fmt.Errorf("unknown image; there are %v", Names())
}
