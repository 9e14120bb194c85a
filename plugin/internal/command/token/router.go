// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package token

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
)

const (
	// answerTimeout is how long one answer of the router may take, without --request-timeout.
	answerTimeout = 30 * time.Second
	// maxAnswer is the most that the router may answer.
	maxAnswer = 64 << 10
)

// router is the way to a router.
type router struct {
	client *http.Client
	base   *url.URL
	name   string // for messages
	clear  bool   // others may listen on the way
	close  func()
}

// parseRouter returns the URL that the value of --router is, or nil if it names a namespace or nothing.
func parseRouter(text string) (*url.URL, error) {
	if !strings.Contains(text, "/") {
		if text != "" && len(validation.IsDNS1123Label(text)) > 0 {
			return nil, fmt.Errorf("--router %q is neither a URL nor a namespace", text)
		}
		return nil, nil
	}
	u, err := url.Parse(text)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil ||
		u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("--router is not a URL of a router, such as https://router.example.com")
	}
	return u, nil
}

// connect finds the router, without sending it anything secret.
func (o *Options) connect(ctx context.Context, f factory.Factory) (*router, error) {
	config, err := f.RESTConfig()
	if err != nil {
		return nil, err
	}
	client := &http.Client{
		Timeout: answerTimeout,
		// The credentials are for this address and for no other.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	if config.Timeout > 0 {
		client.Timeout = config.Timeout
	}
	if o.url == nil {
		return o.overTunnel(ctx, f, config, client)
	}
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment}
	client.Transport = transport
	return &router{
		client: client, base: o.url, name: "the router at " + o.url.Host, close: transport.CloseIdleConnections,
		clear: o.url.Scheme == "http" && !isLoopback(o.url.Hostname()),
	}, nil
}

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// token requests the token.
func (r *router) token(ctx context.Context, credential string, wanted request) (response, error) {
	body, err := json.Marshal(wanted)
	if err != nil {
		return response{}, err
	}
	status, answer, err := r.ask(ctx, http.MethodPost, "token", credential, body)
	if err != nil {
		return response{}, err
	}
	var given response
	if status != http.StatusOK {
		return given, r.refusal(status, answer, wanted)
	}
	if err := json.Unmarshal(answer, &given); err != nil || !tokenPattern.MatchString(given.Token) {
		return given, fmt.Errorf("%s did not answer with a token: is it a router?", r.name)
	}
	return given, nil
}

// tokenPattern matches JSON Web Tokens.
var tokenPattern = regexp.MustCompile(`^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$`)

// ask sends one request.
func (r *router) ask(ctx context.Context, method, path, credential string, body []byte) (int, []byte, error) {
	is, err := http.NewRequestWithContext(ctx, method, r.base.JoinPath(path).String(), bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	if credential != "" {
		is.Header.Set("Authorization", "Bearer "+credential)
		is.Header.Set("Content-Type", "application/json")
	}
	answer, err := r.client.Do(is)
	if err != nil {
		return 0, nil, r.failure(ctx, err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return 0, nil, r.failure(ctx, err)
	}
	return answer.StatusCode, text, nil
}

// failure explains why there is no answer. The result has the cause as a text only: otherwise it would be taken for an
// error of the API server, unless it is one.
func (r *router) failure(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if dialing, ok := errors.AsType[*dialError](err); ok {
		return dialing.error
	}
	if is, ok := errors.AsType[*url.Error](err); ok {
		if is.Timeout() {
			return cli.TimeoutError(fmt.Errorf("%s did not answer within %s", r.name, r.client.Timeout))
		}
		err = is.Err
	}
	return errors.New("cannot reach " + r.name + ": " + err.Error())
}

// refusal explains an answer that has no token.
func (r *router) refusal(status int, answer []byte, wanted request) error {
	var problem struct{ Detail string }
	if json.Unmarshal(answer, &problem) != nil || problem.Detail == "" {
		return fmt.Errorf("%s answered with status %d and without a reason: is it a router?", r.name, status)
	}
	cure := ""
	switch status {
	case http.StatusUnauthorized:
		cure = " Log in again, or ask which audience the router demands, and give a token with it as --token."
	case http.StatusForbidden:
		cure = fmt.Sprintf(" Ask for a Role in namespace %s that allows the verb \"create\" on \"sandboxclaims/proxy\" or "+
			"\"sandboxes/proxy\".", wanted.Namespace)
	}
	return fmt.Errorf("%s refused with status %d: %s%s", r.name, status, problem.Detail, cure)
}
