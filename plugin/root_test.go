// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory/fake"
)

// run executes a command line without any cluster: a command that asks for one fails with the fake factory's error.
func run(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errOut bytes.Buffer
	f := &fake.Factory{Name: "kubectl agent-sandbox"}
	streams := genericiooptions.IOStreams{In: &bytes.Buffer{}, Out: &out, ErrOut: &errOut}
	root := newCommand(f, streams)
	factory.New(f.Name, clock.RealClock{}, &errOut).AddFlags(root.PersistentFlags()) // the global flags
	code = execute(t.Context(), root, args, f, &errOut)
	return code, out.String(), errOut.String()
}

func commands(t *testing.T) map[string]*cobra.Command {
	t.Helper()
	all := map[string]*cobra.Command{}
	root := newCommand(&fake.Factory{}, genericiooptions.NewTestIOStreamsDiscard())
	visitCommands(root, func(c *cobra.Command) {
		if c != root && !c.IsAdditionalHelpTopicCommand() {
			all[strings.TrimPrefix(c.CommandPath(), root.CommandPath()+" ")] = c
		}
	})
	return all
}

func TestEveryCommandHasHelpWithExamplesAndNeedsNoCluster(t *testing.T) {
	for path, command := range commands(t) {
		t.Run(path, func(t *testing.T) {
			if !strings.Contains(command.Example, "kubectl sandbox") || command.Short == "" || command.Long == "" {
				t.Error("the texts are not complete")
			}
			code, out, errOut := run(t, append(strings.Fields(path), "--help")...)
			if code != 0 || errOut != "" || !strings.Contains(out, "kubectl agent-sandbox "+path) {
				t.Errorf("code %d, stderr %q, stdout:\n%s", code, errOut, out)
			}
			if strings.Contains(out, "kubectl sandbox") {
				t.Errorf("help does not follow the program's name:\n%s", out)
			}
			for line := range strings.SplitSeq(out, "\n") {
				if len(line) > 125 {
					t.Errorf("the line is too long: %s", line)
				}
			}
		})
	}
}

func TestEveryCommandRefusesAnUnknownFlagWithAHint(t *testing.T) {
	for path, command := range commands(t) {
		t.Run(path, func(t *testing.T) {
			code, out, errOut := run(t, append(strings.Fields(path), "--no-such-flag")...)
			hint := ""
			if strings.Contains(command.Use, "-- COMMAND") {
				hint = "; what belongs to COMMAND comes after \"--\""
			}
			want := "Error: unknown flag: --no-such-flag" + hint + "\nSee 'kubectl agent-sandbox " + path + " --help'.\n"
			if code != 2 || out != "" || errOut != want {
				t.Errorf("code %d, stdout %q, stderr %q", code, out, errOut)
			}
		})
	}
}

func TestWrongUsageNeedsNoCluster(t *testing.T) {
	tests := map[string]struct {
		args string
		says string
	}{
		"an unknown command":      {args: "crate dev", says: `unknown command "crate"; did you mean create`},
		"create without an image": {args: "create dev", says: "--image, --template or --pool is missing"},
		"create without anything": {args: "create", says: "--image, --template or --pool is missing"},
		"a name and a prefix": {
			args: "create dev --image x --generate-name y-", says: "--generate-name does not go together with NAME",
		},
		"a prefix that is none": {args: "create --image x --generate-name A_", says: "cannot be a name"},
		"the name alone in a format": {
			args: "create dev --image x -q -o yaml", says: "--quiet and --output do not go together",
		},
		"create with a name that is too long": {
			args: "create " + strings.Repeat("a", 254) + " --image x", says: "too long: 254 characters, at most 253",
		},
		"create with two names": {args: "create a b --image x", says: `unexpected argument "b"`},
		"the time after finishing is for claims": {
			args: "create dev --image x --ttl-after-finished 1h", says: "belongs to claims",
		},
		"an image and a template": {
			args: "create dev --image x --template y", says: "does not go together with --template",
		},
		"no pool without a template": {args: "create dev --pool none", says: "give --template too"},
		"a command in a claim":       {args: "create dev --template y -- ls", says: "leave out \"-- COMMAND\""},
		"a variable for a warm sandbox": {
			args: "create dev --template y --pool p --env A=b", says: "use --pool none",
		},
		"ps is called list":  {args: "ps", says: "did you mean list?"},
		"rm is delete":       {args: "rm", says: "NAME is missing"},
		"pf is port-forward": {args: "pf", says: "NAME and [LOCAL:]REMOTE are missing"},
		"kubectl edits":      {args: "edit dev", says: "; use kubectl edit sandboxclaim/NAME, or sandbox/NAME"},
		"kubectl labels":     {args: "label dev a=b --overwrite", says: "; use kubectl label sandboxclaim/NAME KEY=VALUE"},
		"kubectl annotates":  {args: "annotate dev a=b", says: "; use kubectl annotate"},
		"kubectl applies":    {args: "apply -f x", says: "; use kubectl apply -f FILE"},
		"claims are listed":  {args: "claims", says: "; use kubectl agent-sandbox list claims"},
		"kubectl scales":     {args: "scale x --replicas 1", says: "; use kubectl agent-sandbox pool scale NAME --repl"},
		"kubectl rolls out":  {args: "rollout status x", says: "; use kubectl agent-sandbox pool rollout status NAME"},
		"kubectl edits pools": {
			args: "pool edit p", says: `unknown command "edit"; use kubectl edit sandboxwarmpool/NAME`,
		},
		"kubectl labels templates": {
			args: "template label t a=b", says: "; use kubectl label sandboxtemplate/NAME KEY=VALUE",
		},
		"the status of a pool is that of its rollout": {args: "pool status p", says: "did you mean rollout?"},
		"a rollout of nothing":                        {args: "pool rollout status", says: "NAME is missing"},
		"a rollout that there is not":                 {args: "pool rollout undo p", says: `unknown command "undo"`},
		"a time limit of no wait":                     {args: "create dev --image x --timeout 1m", says: "give --wait too"},
		"applying nothing":                            {args: "template apply", says: "-f is missing"},
		"editing nothing":                             {args: "template edit", says: "NAME is missing"},
		"a flag of an unknown command": {
			args: "crate dev --image x", says: `unknown command "crate"; did you mean create`,
		},
		"help about nothing that there is": {args: "help nope", says: `unknown command "nope"`},
		"help about an unknown subcommand": {args: "help pool nope", says: `unknown command "nope"`},
		"help about what kubectl does":     {args: "help edit", says: "use kubectl edit"},
		"a shell with a command": {
			args: "shell dev -- ls -l", says: "did you mean: kubectl agent-sandbox exec dev -- ls -l",
		},
		"a command for what runs none": {args: "logs dev -- ls", says: `unexpected argument "ls" after "--"`},
		"flags of a remote command":    {args: "exec dev ls -la", says: "comes after \"--\""},
		"a remote command without dashes": {
			args: "exec dev ls", says: "did you mean: kubectl agent-sandbox exec dev -- ls",
		},
		"an argument before the dashes":        {args: "run dev --template t -- ls", says: `unexpected argument "dev"`},
		"run without a command":                {args: "run --image x", says: "COMMAND is missing"},
		"run with a command before the dashes": {args: "run --image x ls", says: "come after"},
		"run of nothing":                       {args: "run -- ls", says: "--image, --template or --pool is missing"},
		"a pool without a template":            {args: "pool create p", says: "--template is missing"},
		"a pool of fewer than none":            {args: "pool create p --template t --replicas -1", says: "0 or more"},
		"a pool called none":                   {args: "pool create none --template t", says: "could not be claimed from"},
		"scaling to nothing in particular":     {args: "pool scale p", says: "--replicas is missing"},
		"scaling a template":                   {args: "pool scale template/p --replicas 1", says: "works on pools only"},
		"deleting a pool without being asked":  {args: "pool delete p", says: "give --yes"},
		"a template of nothing":                {args: "template create t", says: "--image or -f is missing"},
		"a template of a file and a flag": {
			args: "template create t -f x --port 80", says: "leave out the other flags",
		},
		"a port that is none": {args: "template create t --image x --port http=0", says: "[NAME=]PORT"},
		"a policy that is none": {
			args: "template create t --image x --env-policy Sometimes", says: "use Disallowed, Allowed or Overrides",
		},
		"waiting for nothing": {args: "wait dev", says: "--for is missing"},
		"waiting for something unknown": {
			args: "wait dev --for joy", says: "use ready, suspended, finished or deleted",
		},
		"extending by nothing":                 {args: "extend dev", says: "--by is missing"},
		"deleting without a terminal or --yes": {args: "delete dev", says: "give --yes"},
		"deleting nothing":                     {args: "delete --yes", says: "NAME is missing"},
		"names and --all together":             {args: "suspend dev --all", says: "use only one of"},
		"a selector that is none":              {args: "resume -l a==b==c", says: "-l"},
		"a kind that is none of ours":          {args: "status service/x", says: "names no kind"},
		"an output format that there is not":   {args: "list -o table", says: `-o "table" is not an output format`},
		"a sort field that cannot be read":     {args: "list --sort-by [", says: "--sort-by"},
		"a name together with all namespaces":  {args: "list dev -A", says: "does not go together"},
		"a list of pools":                      {args: "get pools", says: "listed by another command: pool list"},
		"a list of Pods":                       {args: "list pods", says: "kubectl get pods"},
		"a list of what is no kind":            {args: "list --kind service", says: "use claim or sandbox"},
		"a claim among Sandboxes":              {args: "list sandboxes claim/dev", says: "works on sandboxes only"},
		"names alone in a format":              {args: "list -q -o json", says: "--quiet and --output do not go together"},
		"a dashboard that flickers":            {args: "ui --refresh 1ms", says: "at least 100ms"},
		"a dashboard of a wrong selector":      {args: "ui -l a==b==c", says: "-l"},
		"a format of status that there is not": {args: "status dev -o wide", says: "use json or yaml"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			code, out, errOut := run(t, strings.Fields(tt.args)...)
			if code != 2 || out != "" || !strings.Contains(errOut, tt.says) || strings.Count(errOut, "\n") != 2 {
				t.Errorf("code %d, stdout %q, stderr %q", code, out, errOut)
			}
		})
	}
}

func TestValidCommandLinesReachForTheCluster(t *testing.T) {
	for _, line := range []string{
		"create dev --image x -- sleep infinity", "create --image x -- sleep infinity",
		"list", "get -A -o json", "describe dev", "status dev -w",
		"tree dev -o name", "list -w", "wait dev --for ready",
		"ui", "dash --once", "top -A --read-only --ascii",
		"suspend dev", "resume --all", "extend dev --by 1m", "delete dev --yes",
		"create dev --template t", "create dev --pool p --ttl-after-finished 0s --shutdown-policy DeleteForeground",
		"run --pool p -- ls",
		"pool list", "pool create p --template t", "pool scale p --replicas 0", "pool describe p",
		"pool plan p --rate 1/s -o json", "pool delete p --yes", "pool delete --all -A --yes", "pool describe -l a=b",
		"pool set-template p t", "pool set-template --all t", "pool rollout status p --timeout 0", "template edit t",
		"template list -A", "template create t --image x -- sleep 1", "template describe t", "template delete --all --yes",
	} {
		t.Run(line, func(t *testing.T) {
			code, _, errOut := run(t, strings.Fields(line)...)
			if code != 1 || errOut != "Error: "+fake.ErrNotGiven.Error()+"\n" {
				t.Errorf("code %d, stderr %q", code, errOut)
			}
		})
	}
}

func TestHelpNeedsNoArgumentsAndTellsTheExitCodes(t *testing.T) {
	for _, args := range [][]string{nil, {"help"}, {"--help"}, {"help", "create"}, {"help", "pool", "create"}} {
		if code, out, _ := run(t, args...); code != 0 || !strings.Contains(out, "create") {
			t.Errorf("%v: code %d, stdout %q", args, code, out)
		}
	}
	if code, out, _ := run(t, "help", "exit-codes"); code != 0 || !strings.Contains(out, "124  timed out waiting") {
		t.Errorf("code %d, stdout %q", code, out)
	}
}

func TestTheRealFactoryStartsWithoutAClusterToo(t *testing.T) {
	t.Setenv("KUBECONFIG", "/nonexistent")
	tests := map[string]struct {
		argv []string
		code int
		out  string
	}{
		"help is called as the file is": {
			argv: []string{"/usr/bin/kubectl-agent_sandbox", "list", "--help"}, out: "kubectl agent-sandbox list",
		},
		"options list kubectl's flags":              {argv: []string{"kubectl-sandbox", "options"}, out: "--context string"},
		"a colour that there is not is wrong usage": {argv: []string{"kubectl-sandbox", "list", "--color", "red"}, code: 2},
		"a dry run of the client needs no cluster": {
			argv: []string{"kubectl-sandbox", "create", "dev", "--image", "x", "--dry-run=client", "-o", "name"},
			out:  "sandbox.",
		},
		"a dry run without a mode is one of the client": {
			argv: []string{"kubectl-sandbox", "create", "dev", "--image", "x", "--dry-run", "-o", "yaml"},
			out:  "\nkind: Sandbox\n",
		},
		"a mode may be a word of its own": {
			argv: []string{"kubectl-sandbox", "create", "--dry-run", "client", "dev", "--image", "x"},
			out:  "/dev created (dry run)",
		},
		"a mode that there is not is refused": {
			argv: []string{"kubectl-sandbox", "create", "dev", "--image", "x", "--dry-run=yes"}, code: 2,
		},
		"what follows the dashes stays": {
			argv: []string{
				"kubectl-sandbox", "create", "dev", "--image", "x", "--dry-run", "-o",
				"jsonpath={.spec.podTemplate.spec.containers[0].command}",
				"--", "x", "--dry-run", "client",
			},
			out: `["x","--dry-run","client"]`,
		},
		"the completer completes commands": {argv: []string{"kubectl_complete-sandbox", "cre"}, out: "create\t"},
		"the completer completes values of a flag": {
			argv: []string{"kubectl_complete-sandbox", "wait", "x", "--for", "rea"}, out: "ready\n",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var out, errOut bytes.Buffer
			streams := genericiooptions.IOStreams{In: &bytes.Buffer{}, Out: &out, ErrOut: &errOut}
			if code := Run(t.Context(), tt.argv, streams, clock.RealClock{}); code != tt.code ||
				!strings.Contains(out.String(), tt.out) {
				t.Errorf("code %d, stdout %q, stderr %q", code, out.String(), errOut.String())
			}
		})
	}
}
