// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package diagnose

import "strings"

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
	// Lasting reports that the finding does not go away until somebody changes an object or the cluster.
	Lasting bool `json:"lasting,omitempty"`

	problem problem
	// detail is the end of Text that other layers and the events repeat: a message of the runtime or the API server.
	detail string
}

// Brief returns the text without the detail.
func (f *Finding) Brief() string {
	return strings.TrimSuffix(strings.TrimSuffix(f.Text, f.detail), ": ")
}

// Detail returns the end of Text that quotes another component and may be repeated elsewhere; usually empty.
func (f *Finding) Detail() string { return f.detail }

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

// Headline returns the obstacle without the detail that the layers show.
func (d *Diagnosis) Headline() string {
	if d.obstacle.detail == "" {
		return d.Obstacle
	}
	return d.obstacle.Subject + ": " + d.obstacle.Brief()
}

// Of evaluates a snapshot.
func Of(snapshot Snapshot) Diagnosis {
	d := Diagnosis{
		Name:       snapshot.name(),
		Conditions: conditionFindings(&snapshot),
		Scheduling: schedulingFindings(&snapshot),
		Containers: containerLayer(&snapshot),
	}
	d.Verdict = VerdictOf(&snapshot)
	obstacle := mainObstacle(&snapshot, &d)
	if obstacle.Text != "" {
		d.Obstacle, d.Lasting, d.obstacle = obstacle.Subject+": "+obstacle.Text, obstacle.Lasting, obstacle
	}
	if d.Verdict == Starting && hasBad(d.Conditions, d.Scheduling, d.Containers) {
		d.Verdict = Blocked
	}
	if d.Verdict == Blocked && (obstacle.problem == badImage || obstacle.problem == unstartable) {
		d.Template = snapshot.template()
	}
	d.Next = nextSteps(&snapshot, &d, obstacle.problem)
	d.Conditions = withoutRepeatedText(&snapshot, &d)
	return d
}

// mainObstacle returns the first problem, or else the first wait. It looks at the containers first, then at scheduling,
// then at the conditions, because a lower layer is more precise.
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
