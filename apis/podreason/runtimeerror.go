// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package podreason

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// maxRuntimeError is the greatest length of a shortened error, for texts of an unknown form.
const maxRuntimeError = 200

// unknownClass is the last clause of an error for which the runtime has no class.
const unknownClass = "unknown"

// ShortRuntimeError returns the part of a container runtime's error that says what is wrong. The runtime puts what it
// was doing in front of it, one clause for each layer, and names the image several times. The result is only shown:
// nothing is decided by it. Text of another form is returned as it is, up to a limit.
func ShortRuntimeError(message string) string {
	clauses := splitClauses(strings.Join(strings.Fields(message), " "))
	for len(clauses) > 1 && clauses[len(clauses)-1] == unknownClass {
		clauses = clauses[:len(clauses)-1]
	}
	for {
		clauses[0] = withoutCode(clauses[0])
		if len(clauses) == 1 || !isWrapper(clauses[0]) {
			break
		}
		clauses = clauses[1:]
	}
	short := strings.Join(clauses, ": ")
	if utf8.RuneCountInString(short) <= maxRuntimeError {
		return short
	}
	return string([]rune(short)[:maxRuntimeError]) + "..."
}

// splitClauses splits an error at its colons, but not within quotation marks.
func splitClauses(message string) []string {
	var clauses []string
	start, quoted := 0, false
	for i := range len(message) {
		switch {
		case message[i] == '"' && (i == 0 || message[i-1] != '\\'):
			quoted = !quoted
		case !quoted && strings.HasPrefix(message[i:], ": ") && i >= start:
			clauses = append(clauses, message[start:i])
			start = i + len(": ")
		}
	}
	return append(clauses, message[min(start, len(message)):])
}

// withoutCode returns a clause of an error of gRPC without its code, as in "code = NotFound desc = failed to pull".
func withoutCode(clause string) string {
	if _, description, found := strings.Cut(clause, " desc = "); found && strings.HasPrefix(clause, "code = ") {
		return description
	}
	return clause
}

// isWrapper reports whether a clause says what the runtime was doing, and not what is wrong.
func isWrapper(clause string) bool {
	wrappers := []string{
		"rpc error", "failed to ", "failed pulling image", "error during ", "error creating ", "error reading ",
		"unable to start container process", "unable to retrieve ", "OCI runtime ", "runc ", "runsc ", "Error response from ",
		"initializing source ", "writing blob", "copying system image", "reading manifest ", `Head "`, `Get "`,
	}
	hasPrefix := func(wrapper string) bool { return strings.HasPrefix(clause, wrapper) }
	return slices.ContainsFunc(wrappers, hasPrefix) || isImage(clause)
}

// isImage reports whether a clause is the reference of an image.
func isImage(clause string) bool {
	repository, _, _ := strings.Cut(clause, "@")
	at := strings.LastIndex(repository, "/")
	return at > 0 && !strings.ContainsAny(clause, " \"'()") && strings.ContainsAny(clause[at:], ":@")
}
