# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
#
# Defines can, and taps: whether the image can compute the sum of data that passes through a pipe.
# shellcheck shell=sh disable=SC2317 # the scripts that follow call the functions

can() { command -v "$1" >/dev/null 2>&1; }
taps() { can sha256sum && can tee && [ "$({ echo x | tee /dev/fd/3 >/dev/null; } 3>&1 2>/dev/null)" = x ]; }
