// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package factory

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/printers"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/apis/buildinfo"
	"github.com/agent-sandbox/kubectl-sandbox/apis/client/clientset/versioned"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/transport"
)

// The client-side rate limit, in requests a second. It does not slow down a command with many names.
const (
	clientQPS   = 50
	clientBurst = 100
)

// The values of --color.
const (
	ColorAuto   = "auto"
	ColorAlways = "always"
	ColorNever  = "never"
)

// Flags is the Factory of the command line. It reaches the cluster that kubectl's flags and the kubeconfig name.
type Flags struct {
	program string
	clock   clock.WithTicker
	config  *genericclioptions.ConfigFlags
	color   string
	errOut  io.Writer
	// verbosity is the level of client-go's log.
	verbosity int

	sandboxes  func() (versioned.Interface, error)
	kubernetes func() (kubernetes.Interface, error)
	dynamic    func() (dynamic.Interface, error)
}

// New returns a Factory whose clients print the API server's warnings to errOut.
func New(program string, clock clock.WithTicker, errOut io.Writer) *Flags {
	f := &Flags{
		program: program, clock: clock, color: ColorAuto, errOut: errOut,
		config: genericclioptions.NewConfigFlags(true).WithDiscoveryBurst(clientBurst).WithDiscoveryQPS(clientQPS),
	}
	warnings := rest.NewWarningWriter(printable.Writer(errOut), rest.WarningWriterOptions{Deduplicate: true})
	f.config.WithWrapConfigFn(func(c *rest.Config) *rest.Config {
		c = rest.CopyConfig(c)
		c.QPS, c.Burst = clientQPS, clientBurst
		c.UserAgent = apis.FieldOwnerPlugin + "/" + buildinfo.Get().Version
		c.WarningHandler = warnings
		return transport.Wrap(c, clock)
	})
	f.sandboxes = lazyClient(f, func(c *rest.Config) (versioned.Interface, error) { return versioned.NewForConfig(c) })
	f.kubernetes = lazyClient(f, func(c *rest.Config) (kubernetes.Interface, error) { return kubernetes.NewForConfig(c) })
	f.dynamic = lazyClient(f, func(c *rest.Config) (dynamic.Interface, error) { return dynamic.NewForConfig(c) })
	return f
}

// lazyClient returns a function that creates a client at its first call.
func lazyClient[C any](f *Flags, client func(*rest.Config) (C, error)) func() (C, error) {
	return sync.OnceValues(func() (C, error) {
		config, err := f.RESTConfig()
		if err != nil {
			var none C
			return none, err
		}
		return client(config)
	})
}

// AddFlags adds the flags that all commands have.
func (f *Flags) AddFlags(flags *pflag.FlagSet) {
	f.config.AddFlags(flags)
	flags.StringVar(&f.color, "color", ColorAuto,
		"Colour the output: auto (on a terminal, unless NO_COLOR is set), always or never.")
	flags.IntVarP(&f.verbosity, "v", "v", 0,
		"Log to standard error, as kubectl does: 6 logs the requests to the API server, 8 also what they carry.")
}

// Validate checks the values of the flags that all commands have, and starts the log of client-go with -v.
func (f *Flags) Validate() error {
	switch f.color {
	case ColorAuto, ColorAlways, ColorNever:
		return f.startLog()
	}
	return fmt.Errorf("--color is %q: use auto, always or never", f.color)
}

// Program implements Factory.
func (f *Flags) Program() string { return f.program }

// Clock implements Factory.
func (f *Flags) Clock() clock.WithTicker { return f.clock }

// Color implements Factory.
func (f *Flags) Color(out io.Writer) bool {
	switch f.color {
	case ColorAlways:
		return true
	case ColorNever:
		return false
	}
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && printers.IsTerminal(out)
}

// Namespace implements Factory.
func (f *Flags) Namespace() (string, bool, error) {
	return f.config.ToRawKubeConfigLoader().Namespace()
}

// RESTConfig implements Factory.
func (f *Flags) RESTConfig() (*rest.Config, error) { return f.config.ToRESTConfig() }

// Sandboxes implements Factory.
func (f *Flags) Sandboxes() (versioned.Interface, error) { return f.sandboxes() }

// Kubernetes implements Factory.
func (f *Flags) Kubernetes() (kubernetes.Interface, error) { return f.kubernetes() }

// Dynamic implements Factory.
func (f *Flags) Dynamic() (dynamic.Interface, error) { return f.dynamic() }

// Discovery implements Factory.
func (f *Flags) Discovery() (discovery.DiscoveryInterface, error) {
	return f.config.ToDiscoveryClient()
}

// RESTMapper implements Factory.
func (f *Flags) RESTMapper() (meta.RESTMapper, error) { return f.config.ToRESTMapper() }

// ProgramName returns the program that the user typed for argv[0]. kubectl runs a file kubectl-agent_sandbox as
// "kubectl agent-sandbox". A file with another kind of name is run by that name.
func ProgramName(argv0 string) string {
	name := argv0[strings.LastIndexAny(argv0, `/\`)+1:]
	name = strings.TrimSuffix(name, ".exe")
	for _, prefix := range []string{"kubectl-", "kubectl_complete-"} {
		if words, found := strings.CutPrefix(name, prefix); found && words != "" {
			return "kubectl " + strings.ReplaceAll(strings.ReplaceAll(words, "-", " "), "_", "-")
		}
	}
	if name == "" {
		return "kubectl sandbox"
	}
	return name
}
