// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"github.com/agent-sandbox/kubectl-sandbox/test/e2e/harness"
)

// runtimeClient talks to the runtime of a sandbox.
type runtimeClient struct {
	*harness.T

	address string
}

func (c *runtimeClient) call(method, path, kind string, body io.Reader) (status int, text string) {
	c.Helper()
	request, err := http.NewRequestWithContext(c.Context(), method, "http://"+c.address+path, body)
	if err != nil {
		c.Fatal(err)
	}
	request.Header.Set("Content-Type", kind)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		c.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	all, err := io.ReadAll(response.Body)
	if err != nil {
		c.Fatal(err)
	}
	return response.StatusCode, string(all)
}

// execute runs a command and returns its standard output.
func (c *runtimeClient) execute(command string) string {
	c.Helper()
	body, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		c.Fatal(err)
	}
	var outcome struct {
		Stdout, Stderr string
		ExitCode       int `json:"exit_code"`
	}
	status, text := c.call(http.MethodPost, "/execute", "application/json", bytes.NewReader(body))
	if err := json.Unmarshal([]byte(text), &outcome); err != nil || status != http.StatusOK || outcome.ExitCode != 0 {
		c.Fatalf("%s: %d %s", command, status, text)
	}
	return outcome.Stdout
}

func (c *runtimeClient) upload(name, content string) {
	c.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", name)
	if err != nil {
		c.Fatal(err)
	}
	_, _ = io.WriteString(part, content)
	_ = form.Close()
	if status, text := c.call(http.MethodPost, "/upload", form.FormDataContentType(), &body); status != http.StatusOK {
		c.Fatalf("upload: %d %s", status, text)
	}
}

func TestTheRuntimeOfTheExamplesRunsCommandsAndMovesFiles(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"runtime-copied", "runtime-image-volume"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := harness.New(t)
			h.Apply(example(h, "templates/"+name+".yaml"))
			h.CreateAll(h.NewClaim("dev", name, withoutWarmPool))
			h.Claimed("dev")
			_, ports := portForward(h, "dev", "8888")
			c := &runtimeClient{T: h, address: ports["8888"]}

			c.upload("job/run.py", "import sys; print('hello', *sys.argv[1:])")
			if got := c.execute("python3 job/run.py 'a  b' $HOME"); got != "hello a  b $HOME\n" {
				t.Errorf("the program says %q", got)
			}
			if _, got := c.call(http.MethodGet, "/list/job", "", nil); !strings.Contains(got, `"name":"run.py","size":41,"type":"file"`) {
				t.Errorf("the list is %s", got)
			}
			if _, got := c.call(http.MethodGet, "/download/job%2Frun.py", "", nil); !strings.HasPrefix(got, "import sys") {
				t.Errorf("the file is %q", got)
			}
			status, got := c.call(http.MethodGet, "/download/%2e%2e%2fetc%2fpasswd", "", nil)
			if status != http.StatusForbidden {
				t.Errorf("outside of the base directory: %d %s", status, got)
			}
			// The runtime is process 1 and reaps what a command leaves behind.
			orphan := strings.TrimSpace(c.execute("sh -c '(sleep 0.1 >/dev/null 2>&1 & echo $!)'"))
			h.Eventually("the orphan is reaped", func() error {
				if c.execute("sh -c 'ls -d /proc/"+orphan+" 2>/dev/null || true'") != "" {
					return fmt.Errorf("process %s is still there", orphan)
				}
				return nil
			})
		})
	}
}
