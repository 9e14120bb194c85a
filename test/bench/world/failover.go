// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package world

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

// leaderStatus is 1 for the operator that holds the lease, and 0 for a standby.
const leaderStatus = "leader_election_master_status"

// Restart ends the operator with SIGTERM, calls between, and starts the operator again. It does not wait until it is
// ready, and returns when the process started.
func (w *World) Restart(ctx context.Context, between func()) (time.Time, error) {
	if err := w.Operator.stop(); err != nil {
		return time.Time{}, err
	}
	between()
	o, err := w.startProcess(ctx)
	if err != nil {
		return time.Time{}, err
	}
	w.Operator = o
	return o.begin, nil
}

// FailOver starts a second operator, waits until it could take over, ends the leader with the signal, calls ended at
// once, and makes the second operator the World's. It returns when the signal was sent.
func (w *World) FailOver(ctx context.Context, signal os.Signal, ended func()) (time.Time, error) {
	standby, err := w.startOperator(ctx)
	if err != nil {
		return time.Time{}, err
	}
	leader := w.Operator
	if err := errors.Join(expectLeads(ctx, leader, true), expectLeads(ctx, standby, false)); err != nil {
		return time.Time{}, errors.Join(err, standby.stop())
	}
	begin := time.Now()
	w.Operator = standby
	if err := leader.signal(signal); err != nil {
		return begin, errors.Join(err, leader.cmd.Process.Kill())
	}
	ended()
	return begin, nil
}

// expectLeads returns an error unless the operator leads, or does not, as its metrics show.
func expectLeads(ctx context.Context, o *Operator, want bool) error {
	scrape, _, _, err := o.Scrape(ctx)
	if err != nil {
		return err
	}
	leads := false
	for _, value := range scrape.By(leaderStatus, "name") {
		leads = leads || value == 1
	}
	if leads != want {
		return fmt.Errorf("the operator of %s leads: %v, want %v", o.log, leads, want)
	}
	return nil
}
