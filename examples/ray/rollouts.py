# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""Eight rollouts of Ray. The tasks are trusted; what a model wrote runs in a sandbox of its own."""
import ray
from sandbox import Sandbox


@ray.remote
def rollout(seed):
    code = "import random; random.seed(%d); print(random.randint(1, 6))" % seed  # from a model
    with Sandbox("ray-rollouts") as box:
        result = box.execute("python3", "-c", code)
    return seed, result["exit_code"], result["stdout"].strip()


ray.init()
for seed, exit_code, reward in ray.get([rollout.remote(seed) for seed in range(8)]):
    print("rollout %d: exit code %d, reward %s" % (seed, exit_code, reward))
