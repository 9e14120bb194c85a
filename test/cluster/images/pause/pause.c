/* Copyright 2026 The kubectl-sandbox Authors.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Holds the namespaces of a Pod: waits, reaps orphans where it is process 1, and ends at once on SIGTERM or SIGINT.
 */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void end(int signal) {
  (void)signal;
  _exit(0);
}

static void reap(int signal) {
  (void)signal;
  while (waitpid(-1, NULL, WNOHANG) > 0) {
  }
}

int main(void) {
  struct sigaction ending = {.sa_handler = end};
  struct sigaction reaping = {.sa_handler = reap, .sa_flags = SA_NOCLDSTOP};
  if (sigaction(SIGTERM, &ending, NULL) || sigaction(SIGINT, &ending, NULL) || sigaction(SIGCHLD, &reaping, NULL)) {
    return 1;
  }
  for (;;) {
    pause();
  }
}
