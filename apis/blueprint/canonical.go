// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package blueprint

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// canonical turns an API value into maps, lists and scalars that are equal when the values are semantically equal.
func canonical(value any) any { return canonicalValue(reflect.ValueOf(value)) }

func canonicalValue(v reflect.Value) any {
	switch value := v.Interface().(type) {
	case resource.Quantity:
		return canonicalQuantity(value)
	case metav1.Time:
		return value.UTC().Format(time.RFC3339Nano)
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return nil
		}
		return canonicalValue(v.Elem())
	case reflect.Struct:
		fields := map[string]any{}
		collectFields(v, fields)
		return fields
	case reflect.Map:
		entries := make(map[string]any, v.Len())
		for _, key := range v.MapKeys() {
			entries[key.String()] = canonicalValue(v.MapIndex(key))
		}
		return entries
	case reflect.Slice, reflect.Array:
		list := make([]any, 0, v.Len())
		for i := range v.Len() {
			list = append(list, canonicalValue(v.Index(i)))
		}
		return list
	default:
		return v.Interface()
	}
}

// collectFields puts the fields that are set under their JSON names. An unset field leaves no trace, so that one that is added to a
// type later changes nothing.
func collectFields(v reflect.Value, into map[string]any) {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if !field.IsExported() || isUnset(v.Field(i)) {
			continue
		}
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "" && field.Anonymous && field.Type.Kind() == reflect.Struct:
			collectFields(v.Field(i), into)
		case name == "":
			into[field.Name] = canonicalValue(v.Field(i))
		default:
			into[name] = canonicalValue(v.Field(i))
		}
	}
}

// isUnset says whether a field means nothing: a zero, nothing in it, or a struct without anything set. A pointer to an empty
// struct is set: emptyDir: {} is a volume.
func isUnset(v reflect.Value) bool {
	switch value := v.Interface().(type) {
	case resource.Quantity:
		return value.IsZero()
	case metav1.Time:
		return value.IsZero()
	}
	switch v.Kind() {
	case reflect.Slice, reflect.Map:
		return v.Len() == 0
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() && !isUnset(v.Field(i)) {
				return false
			}
		}
		return true
	default:
		return v.IsZero()
	}
}

// canonicalQuantity spells a quantity in one way, whatever its unit was.
func canonicalQuantity(quantity resource.Quantity) string {
	if quantity.IsZero() {
		return "0"
	}
	mantissa, exponent := quantity.AsCanonicalBytes(nil)
	return fmt.Sprintf("%se%d", mantissa, exponent)
}
