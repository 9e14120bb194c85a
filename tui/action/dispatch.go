// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package action

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/apis/client/clientset/versioned"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/await"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/observe"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/pool"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/sandbox"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/volume"
)

// Options are what a Dispatcher needs. All fields but ReadOnly are required.
type Options struct {
	Sandboxes  versioned.Interface
	Kubernetes kubernetes.Interface
	Network    stream.Network
	Clock      clock.WithTicker
	ReadOnly   bool
	// Go starts a goroutine and handles its panics.
	Go func(func())
}

// Dispatcher executes requests. It is safe for concurrent use.
type Dispatcher struct {
	o         Options
	resolver  *resolve.Resolver
	waiter    *await.Waiter
	observer  *observe.Observer
	sandboxes *sandbox.Client
	pools     *pool.Client
	forwards  forwards
}

// New returns a Dispatcher.
func New(o Options) *Dispatcher {
	return &Dispatcher{
		o: o, resolver: resolve.New(o.Sandboxes, o.Kubernetes, o.Clock),
		observer:  observe.New(o.Sandboxes, o.Kubernetes, o.Clock),
		sandboxes: sandbox.New(o.Sandboxes, o.Clock), pools: pool.New(o.Sandboxes, o.Clock),
		waiter: await.New(o.Sandboxes, o.Kubernetes, o.Clock),
	}
}

// Dispatch executes or refuses a request. It waits for the API server.
func (d *Dispatcher) Dispatch(ctx context.Context, r Request) Result {
	result := Result{Verb: r.Verb}
	switch {
	case d.o.ReadOnly && r.Verb.Changes():
		result.Err = ErrReadOnly
		return result
	case r.Verb == StopForward:
		result.Message, result.Err = d.forwards.stop(r.Argument)
		return result
	case r.Verb == Save:
		result.Message, result.Err = save(r.Argument, r.Lines)
		return result
	case len(r.Targets) == 0:
		result.Err = errors.New("nothing is selected")
		return result
	}
	result.Target = r.Targets[0]
	switch first := r.Targets[0]; r.Verb {
	case Inspect:
		result.Page, result.Err = d.inspect(ctx, first)
	case ReadPod:
		result.Pod, result.Err = d.readPod(ctx, first)
	case Copy:
		result.Clipboard = fmt.Sprintf("-n %s %s", first.Namespace, first.Ref())
		result.Message = "copied: " + result.Clipboard
	case Logs:
		result.Previous = r.Previous
		result.Log, result.Container, result.Err = d.logs(ctx, r)
	case Shell, Exec:
		result.Session, result.Err = d.session(ctx, r)
	case Forward:
		result.Message, result.Err = d.forward(ctx, first, r.Argument)
	case Create:
		result.Message, result.Err = d.create(ctx, first, r.Argument)
	default:
		result.Message, result.Err = d.forEach(ctx, r)
	}
	return result
}

// forEach applies a request to all targets and continues after a failure.
func (d *Dispatcher) forEach(ctx context.Context, r Request) (string, error) {
	var failed []error
	message := ""
	for _, t := range r.Targets {
		said, err := d.change(ctx, r, t)
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", t.Ref(), err))
			continue
		}
		message = fmt.Sprintf("%s %s", t.Ref(), said)
	}
	if done := len(r.Targets) - len(failed); done > 1 {
		message = fmt.Sprintf("%s: %d done", r.Verb, done)
	}
	return message, errors.Join(failed...)
}

// change applies a request to one target and returns what was done.
func (d *Dispatcher) change(ctx context.Context, r Request, t Target) (string, error) {
	switch {
	case t.Kind == resolve.KindPool && r.Verb == Scale:
		return d.scale(ctx, t, r.Argument)
	case t.Kind == resolve.KindPool && r.Verb == Delete:
		return "deleted", d.pools.DeletePool(ctx, t.Namespace, t.Name, t.UID)
	case t.Kind == resolve.KindTemplate && r.Verb == Delete:
		return "deleted", d.pools.DeleteTemplate(ctx, t.Namespace, t.Name, t.UID)
	case t.Kind == resolve.KindPool || t.Kind == resolve.KindTemplate || r.Verb == Scale:
		return "", fmt.Errorf("cannot %s a %s", r.Verb, t.Kind)
	}
	holder, err := d.resolver.ClaimAndSandbox(ctx, t.Namespace, t.Ref())
	if err == nil {
		err = checkUID(holder, t)
	}
	if err != nil {
		return "", err
	}
	switch r.Verb {
	case Suspend:
		changed, err := d.sandboxes.Suspend(ctx, holder)
		return unless(changed, "suspended", "is already suspended"), err
	case Resume:
		changed, err := d.sandboxes.Resume(ctx, holder)
		return unless(changed, "resumed", "is already running"), err
	case Extend:
		by, err := time.ParseDuration(r.Argument)
		if err != nil || by <= 0 {
			return "", fmt.Errorf("invalid duration %q: use for example 30m or 2h", r.Argument)
		}
		kept := false
		if sandbox.SandboxLost(holder, d.o.Clock.Now()) {
			volumes, err := volume.New(d.o.Sandboxes, d.o.Kubernetes).Kept(ctx, holder.Claim)
			if err != nil {
				return "", err
			}
			kept = len(volumes) > 0
		}
		until, err := d.sandboxes.Extend(ctx, holder, by, kept)
		if errors.Is(err, sandbox.ErrLost) {
			err = fmt.Errorf("%w (use kubectl sandbox extend --fresh)", err)
		}
		return "ends at " + until.UTC().Format(time.RFC3339), err
	case Delete:
		return "deleted", d.sandboxes.Delete(ctx, holder, false)
	default:
		return "", fmt.Errorf("cannot %s a %s", r.Verb, t.Kind)
	}
}

func unless(changed bool, done, not string) string {
	if changed {
		return done
	}
	return not
}

// errRecreated is the error of a change to an object that was deleted and created again since the user saw it.
var errRecreated = errors.New("it was deleted and created again: check it and try again")

// checkUID returns an error unless the found object is the one that the user saw.
func checkUID(found *resolve.Target, t Target) error {
	if found.UID() != t.UID {
		return errRecreated
	}
	return nil
}

func (d *Dispatcher) scale(ctx context.Context, t Target, argument string) (string, error) {
	replicas, err := strconv.Atoi(strings.TrimSpace(argument))
	if err != nil || replicas < 0 || replicas > math.MaxInt32 {
		return "", fmt.Errorf("invalid number of members %q", argument)
	}
	found, err := d.pools.Pool(ctx, t.Namespace, t.Name)
	if err != nil {
		return "", err
	}
	if found.UID != t.UID {
		return "", errRecreated
	}
	return fmt.Sprintf("scaled to %d", replicas), d.pools.Scale(ctx, found, int32(replicas), false)
}

// create creates a claim from a template or a pool.
func (d *Dispatcher) create(ctx context.Context, from Target, name string) (string, error) {
	name = strings.TrimSpace(name)
	if wrong := validation.IsDNS1123Subdomain(name); len(wrong) > 0 {
		return "", fmt.Errorf("invalid name %q: %s", name, wrong[0])
	}
	claim := &extensionsv1beta1.SandboxClaim{ObjectMeta: metav1.ObjectMeta{Namespace: from.Namespace, Name: name}}
	switch from.Kind {
	case resolve.KindTemplate:
		claim.Spec.TemplateRef = &extensionsv1beta1.SandboxTemplateRef{Name: from.Name}
	case resolve.KindPool:
		claim.Spec.WarmPoolRef = &extensionsv1beta1.WarmPoolRef{Name: from.Name}
	default:
		return "", errors.New("a claim needs a template or a pool")
	}
	_, remarks, err := d.sandboxes.CreateClaim(ctx, claim, false)
	return strings.Join(append([]string{"claim/" + name + " created"}, remarks...), "; "), err
}

// Close ends everything that runs in the background and waits for it.
func (d *Dispatcher) Close() { d.forwards.close() }
