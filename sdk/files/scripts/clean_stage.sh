# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
#
# Removes links and empty directories from the directory $1. They are copied again; those that the source no longer has must not stay.
# shellcheck shell=sh

cd "$1" && find . ! -type d ! -type f -exec rm -f {} + && find . -depth -type d ! -name . -exec rmdir {} + 2>/dev/null; :
