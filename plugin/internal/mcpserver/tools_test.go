// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package mcpserver_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/mcpserver"
)

func TestCodeRunsWithTheInterpreterOfItsLanguage(t *testing.T) {
	programs := t.TempDir()
	for name, script := range map[string]string{"python3": "echo \"$@\"; cat", "node": "exit 7"} {
		if err := os.WriteFile(filepath.Join(programs, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", programs+string(filepath.ListSeparator)+os.Getenv("PATH"))
	s := newWorld(t).start(t, mcpserver.Options{})
	s.newBox()
	tests := map[string]struct {
		language, code, out string
		exit                float64
	}{
		"from standard input": {
			language: "python", code: "print('x')\n'$(reboot)' # \\", out: "-\nprint('x')\n'$(reboot)' # \\\n",
		},
		"with its exit code": {language: "javascript", code: "1", exit: 7},
		"a shell gets an argument, so that its commands have no input": {
			language: "sh", code: "cat\necho \"$0 $#\"", out: "sh 0\n",
		},
		"much of it": {language: "sh", code: strings.Repeat("# a comment\n", 8000) + "echo end", out: "end\n"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			ran := s.must("run_code", map[string]any{"language": tt.language, "code": tt.code})
			if ran["exit_code"] != tt.exit || stdout(ran) != tt.out {
				t.Errorf("got %v", ran)
			}
		})
	}
	ran := s.must("run_code", map[string]any{"language": "sh", "code": "pwd", "directory": programs})
	if stdout(ran) != programs+"\n" {
		t.Errorf("got %v", ran)
	}
}

func TestSearch(t *testing.T) {
	w := newWorld(t)
	s := w.start(t, mcpserver.Options{})
	s.newBox()
	w.write(t, "src/a.py", "x = 1\nneedle = (x)\n")
	w.write(t, "src/sub/b.py", "nothing\n")
	w.write(t, "src/c: 3:needle.txt", "needle\n")
	w.write(t, "src/.git/d", "needle\n")
	w.write(t, "src/long", strings.Repeat("needle ", 1000))
	tests := map[string]struct {
		arguments map[string]any
		want      []string // the file, the line and how the text begins
		more      bool
	}{
		"a text": {
			arguments: map[string]any{"text": "needle"},
			want:      []string{"a.py:2:needle = (x)", "c: 3:needle.txt:1:needle", "long:1:needle needle"},
		},
		"a text that would be an expression": {
			arguments: map[string]any{"text": "(x)"}, want: []string{"a.py:2:needle = (x)"},
		},
		"an expression": {
			arguments: map[string]any{"text": "^n(ee|o).*[g)]$", "regex": true},
			want:      []string{"a.py:2:needle = (x)", "sub/b.py:1:nothing"},
		},
		"names": {arguments: map[string]any{"name": "*.py"}, want: []string{"a.py:0:", "sub/b.py:0:"}},
		"a text in some files": {
			arguments: map[string]any{"name": "*.txt", "text": "needle"}, want: []string{"c: 3:needle.txt:1:needle"},
		},
		"what there is not": {arguments: map[string]any{"text": "-e haystack"}},
		"at most what is asked": {
			arguments: map[string]any{"name": "a.py", "text": "x", "max": 1}, want: []string{"a.py:1:x = 1"}, more: true,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tt.arguments["path"] = w.dir + "/src"
			found := s.must("search_files", tt.arguments)
			var got []string
			for _, one := range found["matches"].([]any) {
				m := one.(map[string]any)
				line, _ := m["line"].(float64)
				text, _ := m["text"].(string)
				path := strings.TrimPrefix(fmt.Sprint(m["path"]), w.dir+"/src/")
				got = append(got, fmt.Sprintf("%s:%d:%s", path, int(line), text))
			}
			slices.Sort(got)
			more, _ := found["more"].(bool)
			if more != tt.more || !slices.EqualFunc(got, tt.want, strings.HasPrefix) {
				t.Errorf("got %q, more %v", got, more)
			}
		})
	}
	s.refused("search_files", map[string]any{"path": w.dir + "/nothing", "name": "*"}, "exit code")
}

func TestResources(t *testing.T) {
	w := newWorld(t)
	s := w.start(t, mcpserver.Options{})
	name := s.newBox()
	w.write(t, "text file", "a text")
	w.write(t, "binary", "\x00\xff")
	ran := s.must("run_command", map[string]any{"command": "yes | head -c 50000"})
	output := fmt.Sprint(ran["stdout"].(map[string]any)["output"])
	read := func(uri string) *mcp.ResourceContents {
		t.Helper()
		got, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if err != nil || len(got.Contents) != 1 {
			t.Fatalf("%s: %v", uri, err)
		}
		return got.Contents[0]
	}
	if got := read("sandbox-file://" + name + w.dir + "/text%20file"); got.Text != "a text" {
		t.Errorf("got %+v", got)
	}
	if got := read("sandbox-file://" + name + w.dir + "/binary"); string(got.Blob) != "\x00\xff" {
		t.Errorf("got %+v", got)
	}
	if got := read("sandbox-output://" + output); len(got.Text) != 50000 {
		t.Errorf("got %d bytes", len(got.Text))
	}
	if got := read("sandbox-log://" + name); got.Text != "fake logs" {
		t.Errorf("got %+v", got)
	}
	if logs := s.must("read_logs", nil); logs["log"].(map[string]any)["text"] != "fake logs" {
		t.Errorf("got %v", logs)
	}
	listed := func() (uris []string) {
		found, err := s.ListResources(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range found.Resources {
			uris = append(uris, one.URI)
		}
		return uris
	}
	if got := listed(); !slices.Equal(got, []string{"sandbox-log://" + name}) {
		t.Errorf("got %v", got)
	}
	s.must("delete_sandbox", nil)
	if got := listed(); len(got) > 0 {
		t.Errorf("got %v", got)
	}
	for _, uri := range []string{
		"sandbox-file://victim/etc/passwd", "sandbox-file:///etc/passwd", "sandbox-output://..%2F..%2Fetc%2Fpasswd",
		"sandbox-log://kube-system", "file:///etc/passwd", "sandbox-file://" + name + "/%00",
	} {
		if got, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); err == nil {
			t.Errorf("%s: %v", uri, got)
		}
	}
}

func TestReadingALongOutputInParts(t *testing.T) {
	s := newWorld(t).start(t, mcpserver.Options{})
	s.newBox()
	ran := s.must("run_command", map[string]any{"command": "i=0; while [ $i -lt 9000 ]; do echo $i; i=$((i+1)); done"})
	out := ran["stdout"].(map[string]any)
	var whole strings.Builder
	for more := true; more; {
		part := s.must("read_output", map[string]any{"output": out["output"], "offset": whole.Len(), "limit": 20000})
		whole.WriteString(part["content"].(string))
		more, _ = part["more"].(bool)
	}
	var want strings.Builder
	for i := range 9000 {
		fmt.Fprintln(&want, i)
	}
	if whole.String() != want.String() {
		t.Errorf("%d bytes, want %d", whole.Len(), want.Len())
	}
}

func TestFilesThatAreNoTextKeepTheirBytes(t *testing.T) {
	w := newWorld(t)
	s := w.start(t, mcpserver.Options{})
	s.newBox()
	bytes := base64.StdEncoding.EncodeToString([]byte("\x00\x01\xff"))
	path := w.dir + "/new/binary"
	s.must("write_file", map[string]any{"path": path, "content": bytes, "encoding": "base64"})
	read := s.must("read_file", map[string]any{"path": path})
	if read["content"] != bytes || read["encoding"] != "base64" {
		t.Errorf("got %v", read)
	}
	s.refused("read_file", map[string]any{"path": w.dir + "/nothing"}, "No such file")
	s.must("write_file", map[string]any{"path": path, "content": ""})
	if read := s.must("read_file", map[string]any{"path": path}); read["content"] != "" {
		t.Errorf("got %v", read)
	}
	if read := s.must("read_file", map[string]any{"path": "/dev/zero", "limit": 10}); read["more"] != true {
		t.Errorf("got %v", read)
	}
}

func TestForwardedPorts(t *testing.T) {
	w := newWorld(t)
	w.server.Forward = func(_ context.Context, port int32, connection io.ReadWriteCloser) error {
		_, err := fmt.Fprintf(connection, "port %d\n", port)
		return err
	}
	s := w.start(t, mcpserver.Options{})
	s.newBox()
	address := fmt.Sprint(s.must("forward_port", map[string]any{"port": 8080})["address"])
	if !strings.HasPrefix(address, "127.0.0.1:") {
		t.Errorf("it listens on %s", address)
	}
	read := func() (string, error) {
		connection, err := (&net.Dialer{Timeout: patience}).DialContext(t.Context(), "tcp", address)
		if err != nil {
			return "", err
		}
		defer connection.Close()
		all, err := io.ReadAll(connection)
		return string(all), err
	}
	if got, err := read(); got != "port 8080\n" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	if again := s.must("forward_port", map[string]any{"port": 8080}); again["address"] != address {
		t.Errorf("got %v", again)
	}
	s.must("stop_forwarding", map[string]any{"port": 8080})
	if got, err := read(); err == nil {
		t.Errorf("got %q after the end", got)
	}
	s.refused("stop_forwarding", map[string]any{"port": 8080}, "is not forwarded")
	address = fmt.Sprint(s.must("forward_port", map[string]any{"port": 81})["address"])
	if err := s.end(); err != nil {
		t.Error(err)
	}
	if got, err := read(); err == nil {
		t.Errorf("got %q after the session", got)
	}
}

func TestAnotherSandboxOfTheSameNameIsNotTheSessions(t *testing.T) {
	w := newWorld(t)
	s := w.start(t, mcpserver.Options{})
	name := s.newBox()
	claims := w.Sandboxes.ExtensionsV1beta1().SandboxClaims("default")
	claim, err := claims.Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := claims.Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	claim.UID, claim.Labels, claim.ResourceVersion = "another", nil, ""
	end := metav1.NewTime(time.Now().Add(time.Minute).Truncate(time.Second))
	claim.Spec.Lifecycle.ShutdownTime = &end
	if _, err := claims.Create(t.Context(), claim, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	for tool, arguments := range map[string]map[string]any{
		"run_command": {"command": "true"}, "extend_sandbox": {}, "read_logs": {}, "suspend_sandbox": {},
	} {
		s.refused(tool, arguments, "deleted")
	}
	if err := s.end(); err != nil {
		t.Error(err)
	}
	found, err := claims.Get(t.Context(), name, metav1.GetOptions{})
	if err != nil || !found.Spec.Lifecycle.ShutdownTime.Equal(&end) {
		t.Errorf("%v, %+v", err, found)
	}
}
