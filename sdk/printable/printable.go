// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package printable keeps what comes from a cluster or a sandbox from steering the terminal that shows it: an object's fields
// and the names of files are written by others, and an escape sequence in one could hide or forge what the user reads.
//
// Invariants:
//   - what Text returns has no control characters but line ends and tabs, nothing that turns the direction of text, and
//     nothing that takes up no room; what Line returns is one line of that;
//   - nothing is dropped: what is not shown as it is, other than white space, is spelled out;
//   - a text that is harmless is returned as it is.
//
// What a program in a sandbox writes (exec, shell, run, logs) passes as it is, as it does with kubectl. So does output for
// programs: -o json, yaml, jsonpath and go-template.
package printable

import (
	"fmt"
	"io"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text spells out every character that a terminal would obey or that a reader would not see, and keeps line ends and tabs.
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
		case r == utf8.RuneError && size == 1: // no UTF-8: as a byte it could be a control character
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

// Fprintf is fmt.Fprintf whose arguments are made printable in one line each. The format is ours and stays as it is.
func Fprintf(out io.Writer, format string, arguments ...any) (int, error) {
	return fmt.Fprintf(out, format, Lines(arguments...)...)
}

// Writer makes each text that is written to it printable before it is passed on.
func Writer(out io.Writer) io.Writer { return writer{out} }

type writer struct{ out io.Writer }

// Write implements io.Writer.
func (w writer) Write(text []byte) (int, error) {
	if _, err := io.WriteString(w.out, Text(string(text))); err != nil {
		return 0, err
	}
	return len(text), nil
}

// Lines are the arguments of a format with every text among them made printable in one line.
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

// needsEscaping is special, or what stands for bytes that are no text.
func needsEscaping(r rune) bool {
	return r == utf8.RuneError || (r != '\n' && r != '\t' && isControl(r))
}

// isControl are control characters, those that change the direction of the text around them or end a line, and those that take
// up no room. Variation selectors stay where they choose how the character before them looks.
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
	return unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Bidi_Control, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// Object makes every text in what the pointer leads to printable in one line, in place. It is for objects that are only
// shown. Fields that are not exported, and bytes, stay as they are.
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

// cleanMap replaces the entries: values of a map cannot be set in place, and not every key is checked by the API server.
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
