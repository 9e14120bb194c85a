// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package diagnose

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agent-sandbox/kubectl-sandbox/apis/podreason"
)

// Verdict is the state of a sandbox in one word.
type Verdict string

// The verdicts.
const (
	Ready      Verdict = "Ready"
	Starting   Verdict = "Starting"
	Blocked    Verdict = "Blocked"
	Suspending Verdict = "Suspending"
	Suspended  Verdict = "Suspended"
	Succeeded  Verdict = "Succeeded"
	Failed     Verdict = "Failed"
	Expired    Verdict = "Expired"
	Deleting   Verdict = "Deleting"
)

// State is the severity of a finding.
type State string

// The states of findings.
const (
	Good State = "ok"
	Wait State = "waiting"
	Bad  State = "problem"
	Note State = "note"
)

// Finding is one observation about one object.
type Finding struct {
	State   State  `json:"state"`
	Subject string `json:"subject"`
	Text    string `json:"text"`
	// Detail is the text with the whole message of another component, if Text has only the part that matters.
	Detail string `json:"detail,omitempty"`
	// Lasting reports that the finding does not go away until somebody changes an object or the cluster.
	Lasting bool `json:"lasting,omitempty"`

	problem problem
	// quoted is the end of Text that quotes another component, shortened from original. Other layers and the events
	// repeat it.
	quoted, original string
}

// quote sets the text, which ends in a quotation of the container runtime.
func (f *Finding) quote(text, message string) {
	f.original, f.quoted = message, podreason.ShortRuntimeError(message)
	f.Text = withMessage(text, f.quoted)
	if f.quoted != message {
		f.Detail = withMessage(text, message)
	}
}

// Brief returns the text without the quotation.
func (f *Finding) Brief() string {
	return strings.TrimSuffix(strings.TrimSuffix(f.Text, f.quoted), ": ")
}

// Quotation returns the message of another component that the text quotes; usually empty.
func (f *Finding) Quotation() string { return f.original }

// problem is the class of a finding. It decides the remedy.
type problem int

const (
	unclassified problem = iota
	badImage
	endedContainer
	unstartable
	unschedulable
	heldBack
	unboundVolume
	lostNode
	operatorAbsent
	operatorDown
	fullQuota
	rejectedPod
	missingTemplate
	missingPool
	refusedMetadata
	refusedEnv
	refusedVolumes
)

// Step is something to do next. Command, if set, holds the arguments of the plugin command.
type Step struct {
	Text    string `json:"text"`
	Command string `json:"command,omitempty"`
}

// Diagnosis is the result of evaluating a Snapshot.
type Diagnosis struct {
	Name    string  `json:"name"`
	Verdict Verdict `json:"verdict"`
	// Obstacle says in one line what keeps the sandbox from being ready; empty if nothing does.
	Obstacle string `json:"obstacle,omitempty"`
	// Lasting reports that the obstacle stays until somebody changes something: waiting alone does not help.
	Lasting    bool      `json:"lasting,omitempty"`
	Conditions []Finding `json:"conditions,omitempty"`
	Scheduling []Finding `json:"scheduling,omitempty"`
	Containers []Finding `json:"containers,omitempty"`
	Next       []Step    `json:"next,omitempty"`
	// Template is the template that must be changed, if there is one: everything made from it has the same problem.
	Template string `json:"template,omitempty"`

	obstacle Finding
}

// Headline returns the obstacle without the quotation that the layers show.
func (d *Diagnosis) Headline() string {
	if d.obstacle.quoted == "" {
		return d.Obstacle
	}
	return d.obstacle.Subject + ": " + d.obstacle.Brief()
}

// Whole returns the diagnosis with the whole messages of other components.
func (d *Diagnosis) Whole() Diagnosis {
	whole := *d
	for _, layer := range []*[]Finding{&whole.Conditions, &whole.Scheduling, &whole.Containers} {
		*layer = slices.Clone(*layer)
		for i := range *layer {
			finding := &(*layer)[i]
			finding.Text = cmp.Or(finding.Detail, finding.Text)
		}
	}
	return whole
}

// Of evaluates a snapshot.
func Of(snapshot Snapshot) Diagnosis {
	d := Diagnosis{
		Name:       snapshot.name(),
		Verdict:    VerdictOf(&snapshot),
		Conditions: conditionFindings(&snapshot),
		Scheduling: schedulingFindings(&snapshot),
		Containers: containerLayer(&snapshot),
	}
	if needsOperator(d.Verdict) {
		d.Conditions = append(operatorFindings(&snapshot), d.Conditions...)
	}
	obstacle := mainObstacle(&snapshot, &d)
	if obstacle.Text != "" {
		d.Obstacle, d.Lasting, d.obstacle = obstacle.Subject+": "+obstacle.Text, obstacle.Lasting, obstacle
	}
	if d.Verdict == Starting && hasBad(d.Conditions, d.Scheduling, d.Containers) {
		d.Verdict = Blocked
	}
	if d.Verdict == Blocked && slices.Contains([]problem{badImage, unstartable, missingTemplate}, obstacle.problem) {
		d.Template = snapshot.template()
	}
	d.Next = nextSteps(&snapshot, &d, obstacle.problem)
	d.Conditions = withoutRepeatedText(&snapshot, &d)
	return d
}

// mainObstacle returns the first problem, or else the first wait. A missing operator comes first, because nothing else
// can be solved without one. Then come the containers, scheduling and the conditions, because a lower layer is more
// precise.
func mainObstacle(snapshot *Snapshot, d *Diagnosis) Finding {
	switch d.Verdict {
	case Ready, Suspended, Succeeded:
		return Finding{}
	case Expired:
		return Finding{Subject: d.Name, Text: "it has expired"}
	case Deleting:
		return Finding{Subject: d.Name, Text: "it is being deleted"}
	default:
	}
	if first := operatorFindings(snapshot); len(first) > 0 && needsOperator(d.Verdict) {
		return first[0]
	}
	layers := [][]Finding{d.Containers, d.Scheduling, d.Conditions}
	for _, state := range []State{Bad, Wait} {
		for _, layer := range layers {
			for _, finding := range layer {
				if finding.State == state {
					return finding
				}
			}
		}
	}
	if snapshot.Pod == nil && !snapshot.PodHidden {
		return Finding{Subject: d.Name, Text: "its Pod does not exist yet"}
	}
	return Finding{Subject: d.Name, Text: "its Pod is not Ready yet"}
}

// NeedsOperator reports whether the state of the sandbox stays until an operator changes something.
func NeedsOperator(snapshot *Snapshot) bool { return needsOperator(VerdictOf(snapshot)) }

// needsOperator reports whether a sandbox stays in this state until an operator changes something.
func needsOperator(verdict Verdict) bool { return verdict == Starting || verdict == Suspending }

func hasBad(layers ...[]Finding) bool {
	for _, layer := range layers {
		for _, finding := range layer {
			if finding.State == Bad {
				return true
			}
		}
	}
	return false
}
