// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package printable keeps what comes from the cluster from steering the terminal that shows it: an object's fields are
// written by others, and an escape sequence in one could hide or forge what the user reads.
package printable

import (
	"fmt"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text spells out every character that a terminal would obey, and keeps line ends and tabs.
func Text(text string) string {
	if !suspicious(text) {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && size == 1: // no UTF-8: as a byte it could be a control character
			fmt.Fprintf(&b, "\\x%02x", text[0])
		case r == '\n' || r == '\t' || !obeyed(r):
			b.WriteRune(r)
		case r < 0x80:
			b.WriteString("^" + string(r^0x40))
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

func suspicious(text string) bool {
	return !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && r != '\t' && obeyed(r) })
}

// obeyed are control characters, and those that change the direction of the text around them.
func obeyed(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029'
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

// cleanMap replaces the values: those of a map cannot be set in place. Keys are the API server's to check.
func cleanMap(v reflect.Value) {
	for entries := v.MapRange(); entries.Next(); {
		value := reflect.New(v.Type().Elem()).Elem()
		value.Set(entries.Value())
		clean(value)
		v.SetMapIndex(entries.Key(), value)
	}
}
