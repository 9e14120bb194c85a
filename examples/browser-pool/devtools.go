// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"

	"github.com/gorilla/websocket"
)

// dial connects to the DevTools port of a browser.
type dial func(ctx context.Context) (net.Conn, error)

// title opens a page in a new tab of a browser and returns its title.
func title(ctx context.Context, page string, to dial) (string, error) {
	address, err := newTab(ctx, to)
	if err != nil {
		return "", err
	}
	connect := func(ctx context.Context, _, _ string) (net.Conn, error) { return to(ctx) }
	connection, response, err := (&websocket.Dialer{NetDialContext: connect}).DialContext(ctx, address, nil)
	if err != nil {
		return "", fmt.Errorf("connect to the tab: %w", err)
	}
	defer response.Body.Close()
	defer connection.Close()
	// Reading ends with the context.
	defer context.AfterFunc(ctx, func() { _ = connection.Close() })()
	title, err := (&tab{connection: connection}).visit(page)
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return title, err
}

// newTab opens a tab and returns its address. Chrome answers only requests for the host localhost, and for IP
// addresses.
func newTab(ctx context.Context, to dial) (address string, err error) {
	transport := &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return to(ctx) }, DisableKeepAlives: true,
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPut, "http://localhost/json/new?about:blank", nil)
	if err != nil {
		return "", err
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return "", fmt.Errorf("open a tab: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("open a tab: the browser answers %s", response.Status)
	}
	var tab struct {
		WebSocketDebuggerURL string `json:"webSocketDebuggerUrl"`
	}
	if err := json.NewDecoder(response.Body).Decode(&tab); err != nil {
		return "", fmt.Errorf("open a tab: %w", err)
	}
	return tab.WebSocketDebuggerURL, nil
}

// message is a command, the answer to it, which has the same ID, or an event, which has none.
type message struct {
	ID     int             `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params map[string]any  `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error,omitempty"`
}

// tab speaks the Chrome DevTools Protocol.
type tab struct {
	connection *websocket.Conn
	sent       int
	loaded     bool
}

// visit goes to a page, waits until it is loaded, and returns its title.
func (t *tab) visit(page string) (title string, err error) {
	if err := t.call("Page.enable", nil, &struct{}{}); err != nil {
		return "", err
	}
	t.loaded = false // about:blank may have been
	var navigation struct{ ErrorText string }
	if err := t.call("Page.navigate", map[string]any{"url": page}, &navigation); err != nil {
		return "", err
	}
	if navigation.ErrorText != "" {
		return "", errors.New(navigation.ErrorText)
	}
	for !t.loaded {
		if _, err := t.read(); err != nil {
			return "", err
		}
	}
	var evaluated struct{ Result struct{ Value string } }
	err = t.call("Runtime.evaluate", map[string]any{"expression": "document.title"}, &evaluated)
	return evaluated.Result.Value, err
}

// call sends a command and reads its result.
func (t *tab) call(method string, params map[string]any, result any) error {
	t.sent++
	if err := t.connection.WriteJSON(message{ID: t.sent, Method: method, Params: params}); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	for {
		answer, err := t.read()
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", method, err)
		case answer.ID != t.sent:
		case answer.Error != nil:
			return fmt.Errorf("%s: %s", method, answer.Error.Message)
		default:
			return json.Unmarshal(answer.Result, result)
		}
	}
}

// read reads a message, and notes that the page is loaded if it says so.
func (t *tab) read() (read message, err error) {
	err = t.connection.ReadJSON(&read)
	t.loaded = t.loaded || read.Method == "Page.loadEventFired"
	return read, err
}
