# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
#
# Prints what the directory $1 contains, or what is selected in it, in three lists: directories, files with one name, and the rest,
# which is copied again because a hard link needs the name that it was linked from.
# shellcheck shell=sh disable=SC2016 # the inner shells expand

cd "$1" || exit
walk -type d -exec sh -c 'printf "%s\0" "$@"' sh {} + || exit
printf '\0'
walk -type f -links 1 -exec sh -c 'printf "%s\0" "$@"' sh {} + || exit
printf '\0'
walk ! -type d ! \( -type f -links 1 \) -exec sh -c 'printf "%s\0" "$@"' sh {} +
