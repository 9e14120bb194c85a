// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package token is the command `token`.
package token

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/printing"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// tolerance is how much earlier a token may expire than was asked for, without a warning: clocks differ.
const tolerance = time.Minute

// Options are the arguments and flags.
type Options struct {
	Name     string
	Duration time.Duration
	// Router is a URL, or the namespace of the router's Service; empty: the namespace of the operator.
	Router string
	// ServiceAccount is whom the router sees instead of the user; empty: the user.
	ServiceAccount string
	Output         string

	timed bool // --duration is given
	ref   resolve.Ref
	url   *url.URL // of --router; nil if it is no URL
}

// NewCommand returns the command.
func NewCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &Options{}
	cmd := &cobra.Command{
		Use:   "token NAME",
		Short: "Request a token that opens one sandbox through the router",
		Long: "token requests a scoped token from the router and prints it. Until it expires, or the claim or Sandbox is\n" +
			"deleted, whoever has it can send requests to that sandbox, and to nothing else: give it to an agent\n" +
			"instead of your own credentials. It cannot be revoked.\n\n" +
			"You need the permission to create sandboxclaims/proxy or sandboxes/proxy. The router checks it with the\n" +
			"bearer token of your kubeconfig or of its credential plugin. If you log in with a client certificate, there\n" +
			"is none: --as-service-account then uses a token of a ServiceAccount, which needs that permission.\n\n" +
			"The command connects to a Pod of the router through the API server, as port-forward does. --router URL\n" +
			"connects to a router that is reachable from here.",
		Example: "  kubectl sandbox token dev\n\n" +
			"  # Request a token for two hours from a router that is reachable from here\n" +
			"  kubectl sandbox token dev --duration 2h --router https://router.example.com\n\n" +
			"  # Request it as a ServiceAccount in the namespace of the sandbox\n" +
			"  kubectl sandbox token dev --as-service-account my-agent",
		Args:              cli.ExactArgs("NAME"),
		ValidArgsFunction: cli.CompleteFirstArg(cli.CompleteSandboxes(f)),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Name, o.timed = args[0], cmd.Flags().Changed("duration")
			if err := o.Validate(); err != nil {
				return err
			}
			return o.Run(cmd.Context(), f, streams)
		},
	}
	cmd.Flags().DurationVar(&o.Duration, "duration", 0,
		"How long the token is valid, as in 30m or 2h. The router may limit it. (default: 1h)")
	cmd.Flags().StringVar(&o.Router, "router", "",
		"The URL of the router, or the namespace of its Service. (default: the namespace of the operator)")
	cmd.Flags().StringVar(&o.ServiceAccount, "as-service-account", "",
		"Authenticate to the router as this ServiceAccount. (default: as yourself)")
	cmd.Flags().StringVarP(&o.Output, "output", "o", "", "Output format: json or yaml. (default: only the token)")
	return cmd
}

// Validate checks the arguments and flags.
func (o *Options) Validate() error {
	ref, err := resolve.Parse(o.Name)
	if err == nil && ref.Kind != resolve.KindAny && ref.Kind != resolve.KindClaim && ref.Kind != resolve.KindSandbox {
		err = fmt.Errorf("%q is neither a claim nor a Sandbox: use NAME, claim/NAME or sandbox/NAME", o.Name)
	}
	if err != nil {
		return cli.UsageError(err)
	}
	o.ref = ref
	if o.timed && o.Duration < time.Second {
		return cli.UsageError(errors.New("--duration is less than a second: give a duration, as in --duration 30m"))
	}
	switch o.Output {
	case "", "json", "yaml":
	default:
		return cli.UsageError(fmt.Errorf("-o %q is not an output format of token: use json or yaml", o.Output))
	}
	o.url, err = parseRouter(o.Router)
	return cli.UsageError(err)
}

// request is what the router gets to know.
type request struct {
	Namespace         string    `json:"namespace"`
	Name              string    `json:"name"`
	UID               types.UID `json:"uid,omitempty"`
	ExpirationSeconds *int64    `json:"expirationSeconds,omitempty"`
}

// response is what the router answers, and what -o json prints.
type response struct {
	Token               string    `json:"token"`
	ExpirationTimestamp time.Time `json:"expirationTimestamp"`
}

// Run requests the token and prints it.
func (o *Options) Run(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams) error {
	wanted, err := o.request(ctx, f)
	if err != nil {
		return err
	}
	credential, err := o.credential(ctx, f, wanted.Namespace)
	if err != nil {
		return err
	}
	router, err := o.connect(ctx, f)
	if err != nil {
		return err
	}
	defer router.close()
	if router.clear {
		_, _ = printable.Fprintf(streams.ErrOut, // best effort
			"Warning: %s has no TLS: your credentials and the token pass in clear text\n", router.name)
	}
	given, err := router.token(ctx, credential, wanted)
	if err != nil {
		return err
	}
	if end := f.Clock().Now().Add(o.Duration - tolerance); o.timed && given.ExpirationTimestamp.Before(end) {
		_, _ = printable.Fprintf(streams.ErrOut, "Warning: the router limits the token: it expires at %s\n", // best effort
			given.ExpirationTimestamp.Format(time.RFC3339))
	}
	return printing.WriteDocument(streams.Out, o.Output, given, given.Token+"\n")
}

// request returns the request. A plain name means the same to the router as to all commands: a claim or, if there is
// none, a Sandbox. A name with a kind is resolved here, and its UID says which one of the two is meant.
func (o *Options) request(ctx context.Context, f factory.Factory) (request, error) {
	namespace, _, err := f.Namespace()
	if err != nil {
		return request{}, err
	}
	wanted := request{Namespace: namespace, Name: o.ref.Name}
	if o.timed {
		wanted.ExpirationSeconds = new(int64(o.Duration / time.Second))
	}
	if o.ref.Kind == resolve.KindAny {
		return wanted, nil
	}
	clients, err := factory.NewClients(f)
	if err != nil {
		return request{}, err
	}
	target, err := clients.Resolver.ClaimAndSandbox(ctx, namespace, o.ref)
	if err != nil {
		return request{}, err
	}
	wanted.UID = target.UID()
	return wanted, nil
}
