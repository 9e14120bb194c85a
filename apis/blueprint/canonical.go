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
func canonical(value any) any { return form(reflect.ValueOf(value)) }

func form(v reflect.Value) any {
	switch value := v.Interface().(type) {
	case resource.Quantity:
		return amount(value)
	case metav1.Time:
		return value.UTC().Format(time.RFC3339Nano)
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return nil
		}
		return form(v.Elem())
	case reflect.Struct:
		fields := map[string]any{}
		gather(v, fields)
		return fields
	case reflect.Map:
		entries := make(map[string]any, v.Len())
		for _, key := range v.MapKeys() {
			entries[key.String()] = form(v.MapIndex(key))
		}
		return entries
	case reflect.Slice, reflect.Array:
		list := make([]any, 0, v.Len())
		for i := range v.Len() {
			list = append(list, form(v.Index(i)))
		}
		return list
	default:
		return v.Interface()
	}
}

// gather puts the fields that are set under their JSON names. An unset field leaves no trace, so that one that is added to a
// type later changes nothing.
func gather(v reflect.Value, into map[string]any) {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if !field.IsExported() || unset(v.Field(i)) {
			continue
		}
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "" && field.Anonymous && field.Type.Kind() == reflect.Struct:
			gather(v.Field(i), into)
		case name == "":
			into[field.Name] = form(v.Field(i))
		default:
			into[name] = form(v.Field(i))
		}
	}
}

// unset says whether a field means nothing: a zero, nothing in it, or a struct without anything set. A pointer to an empty
// struct is set: emptyDir: {} is a volume.
func unset(v reflect.Value) bool {
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
			if v.Type().Field(i).IsExported() && !unset(v.Field(i)) {
				return false
			}
		}
		return true
	default:
		return v.IsZero()
	}
}

// amount spells a quantity in one way, whatever its unit was.
func amount(quantity resource.Quantity) string {
	if quantity.IsZero() {
		return "0"
	}
	mantissa, exponent := quantity.AsCanonicalBytes(nil)
	return fmt.Sprintf("%se%d", mantissa, exponent)
}
