// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package printable keeps text from a cluster or a sandbox from controlling the terminal that shows it: other people
// write an object's fields and the names of files, and an escape sequence in one could hide or forge what the user
// reads.
//
// Invariants:
//   - Text returns no control characters except line ends and tabs, nothing that changes the direction of text, and no
//     invisible characters; Line returns the same in one line;
//   - nothing is dropped: what is not shown as it is, except white space, is escaped;
//   - harmless text is returned unchanged.
//
// The output of a program in a sandbox (exec, shell, run, logs) is passed on unchanged, as with kubectl. So is output
// for programs: -o json, yaml, jsonpath and go-template.
package printable

import (
	"fmt"
	"io"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text escapes every character that a terminal would interpret or a reader would not see, and keeps line ends and tabs.
func Text(text string) string {
	at := strings.IndexFunc(text, needsEscaping)
	if at < 0 {
		return text
	}
	var b strings.Builder
	b.WriteString(text[:at])
	for text = text[at:]; text != ""; {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && size == 1: // not UTF-8: as a byte it could be a control character
			fmt.Fprintf(&b, "\\x%02x", text[0])
		case r == '\n' || r == '\t' || !isControl(r):
			b.WriteRune(r)
		case r < 0x80:
			b.WriteString("^" + string(r^0x40))
		case r > 0xffff:
			fmt.Fprintf(&b, "\\U%08x", r)
		default:
			fmt.Fprintf(&b, "\\u%04x", r)
		}
		text = text[size:]
	}
	return b.String()
}

// Line is Text in one line: each run of line ends and tabs becomes a space.
func Line(text string) string {
	if strings.ContainsAny(text, "\n\r\t") {
		text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' || r == '\t' }), " ")
	}
	return Text(text)
}

// Fprintf is fmt.Fprintf with each argument made printable in one line. The format is not changed.
func Fprintf(out io.Writer, format string, arguments ...any) (int, error) {
	return fmt.Fprintf(out, format, Lines(arguments...)...)
}

// Writer makes each text that is written to it printable before it passes it on.
func Writer(out io.Writer) io.Writer { return writer{out} }

type writer struct{ out io.Writer }

// Write implements io.Writer.
func (w writer) Write(text []byte) (int, error) {
	if _, err := io.WriteString(w.out, Text(string(text))); err != nil {
		return 0, err
	}
	return len(text), nil
}

// Lines returns the arguments of a format, with every text made printable in one line.
func Lines(arguments ...any) []any {
	all := make([]any, len(arguments))
	for i, argument := range arguments {
		switch value := argument.(type) {
		case error:
			all[i] = Line(value.Error())
		case fmt.Stringer:
			all[i] = Line(value.String())
		default:
			if all[i] = argument; reflect.ValueOf(argument).Kind() == reflect.String {
				all[i] = Line(reflect.ValueOf(argument).String())
			}
		}
	}
	return all
}

// needsEscaping also reports the rune that stands for invalid UTF-8.
func needsEscaping(r rune) bool {
	return r == utf8.RuneError || (r != '\n' && r != '\t' && isControl(r))
}

// isControl reports control characters, characters that change the direction of text or end a line, and invisible ones.
// Variation selectors that only choose how the preceding character looks are allowed.
func isControl(r rune) bool {
	if r < 0x7f {
		return r < ' '
	}
	switch {
	case r == '\ufe0e' || r == '\ufe0f':
		return false
	case r < 0xad:
		return r < 0xa0
	}
	return unicode.In(
		r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Bidi_Control, unicode.Other_Default_Ignorable_Code_Point,
		unicode.Variation_Selector,
	)
}

// Object makes every text below the pointer printable in one line, in place. It is for objects that are only shown.
// Unexported fields and bytes are not changed.
func Object(pointer any) { clean(reflect.ValueOf(pointer)) }

func clean(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			clean(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				clean(v.Field(i))
			}
		}
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		for i := range v.Len() {
			clean(v.Index(i))
		}
	case reflect.Map:
		cleanMap(v)
	case reflect.String:
		if text := v.String(); v.CanSet() && Line(text) != text {
			v.SetString(Line(text))
		}
	default:
	}
}

// cleanMap replaces the entries: map values cannot be set in place, and the API server does not validate all keys.
func cleanMap(v reflect.Value) {
	for entries := v.MapRange(); entries.Next(); {
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		key.Set(entries.Key())
		value.Set(entries.Value())
		clean(key)
		clean(value)
		if !key.Equal(entries.Key()) {
			v.SetMapIndex(entries.Key(), reflect.Value{})
		}
		v.SetMapIndex(key, value)
	}
}
