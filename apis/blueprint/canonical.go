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

// canonical converts an API value to maps, lists and scalars that are equal if the values are semantically equal.
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

// collectFields adds the fields that are set, under their JSON names. It omits unset fields, so that a field which is
// added to a type later changes no hash.
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

// isUnset reports whether a field has no meaning: a zero value, an empty list or map, or a struct without set fields. A
// pointer to an empty struct is set: emptyDir: {} is a volume.
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

// canonicalQuantity formats a quantity independently of its unit.
func canonicalQuantity(quantity resource.Quantity) string {
	if quantity.IsZero() {
		return "0"
	}
	mantissa, exponent := quantity.AsCanonicalBytes(nil)
	return fmt.Sprintf("%se%d", mantissa, exponent)
}
