# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
#
# Defines roots, which runs a command with the files and directories to be copied as its last arguments, and walk, which runs find with
# them. These are for all of the working directory; a selection redefines them (read_selection.sh). pruned is not empty if something
# below them is left out, and xdev is find's option for other file systems.
# shellcheck shell=sh disable=SC2034,SC2086,SC2317 # the scripts that follow use them; without an option there is no word

pruned='' xdev=''
roots() { "$@" .; }
walk() { find . $xdev "$@"; }
