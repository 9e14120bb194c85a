// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package blueprint_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/randfill"
)

// random returns a blueprint that is filled from a seed, deep enough for every field of a Pod.
func random(seed int64) parts {
	var p parts
	filler := randfill.NewWithSeed(seed).NilChance(0.3).NumElements(0, 2).MaxDepth(14).Funcs(
		func(q *resource.Quantity, c randfill.Continue) {
			units := []string{"", "m", "k", "Ki", "M", "Mi", "Gi"}
			*q = resource.MustParse(fmt.Sprintf("%d%s", c.Intn(5000), units[c.Intn(len(units))]))
		},
	)
	filler.Fill(&p)
	return p
}

func FuzzHashesAreEqualExactlyWhenBlueprintsAre(f *testing.F) {
	for seed := range int64(40) {
		f.Add(seed, seed)
		f.Add(seed, seed+1)
	}
	f.Fuzz(func(t *testing.T, left, right int64) {
		one, other := random(left), random(right)
		equal := equality.Semantic.DeepEqual(one, other)
		if same := one.hash() == other.hash(); same != equal {
			t.Errorf("seeds %d and %d: semantically equal: %t, equal hashes: %t", left, right, equal, same)
		}
	})
}

func FuzzHashSurvivesTheAPIServer(f *testing.F) {
	for seed := range int64(40) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed int64) {
		sent := random(seed)
		raw, err := json.Marshal(sent)
		if err != nil {
			t.Fatal(err)
		}
		var got parts
		if err := json.Unmarshal(raw, &got); err != nil {
			t.Fatal(err)
		}
		if equality.Semantic.DeepEqual(sent, got) && sent.hash() != got.hash() {
			t.Errorf("seed %d: the hash changed from %s to %s", seed, sent.hash(), got.hash())
		}
	})
}

func FuzzHashIgnoresWhatSemanticEqualityIgnores(f *testing.F) {
	for seed := range int64(40) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed int64) {
		one, other := random(seed), random(seed)
		walk(reflect.ValueOf(&other).Elem(), "", respell)
		if !equality.Semantic.DeepEqual(one, other) {
			t.Fatalf("seed %d: the test respelled it into something else", seed)
		}
		if one.hash() != other.hash() {
			t.Errorf("seed %d: %s became %s", seed, one.hash(), other.hash())
		}
	})
}

// The hash depends on each field of each type, so it covers fields that later versions add.
func FuzzHashSeesEveryChange(f *testing.F) {
	for seed := range int64(2) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed int64) {
		subject := random(seed)
		was := subject.hash()
		walk(reflect.ValueOf(&subject).Elem(), "", func(v reflect.Value, path string) {
			before := reflect.New(v.Type()).Elem()
			before.Set(v)
			if !change(v) {
				return
			}
			if subject.hash() == was {
				t.Errorf("seed %d: a change of %s (%s) is not seen", seed, path, v.Type())
			}
			v.Set(before)
		})
		if subject.hash() != was {
			t.Fatalf("seed %d: the test did not put everything back", seed)
		}
	})
}

// The hash cannot depend on unexported fields, so only types that the canonical form handles may have them.
func TestNoTypeOfABlueprintHidesAnything(t *testing.T) {
	seen := map[reflect.Type]bool{}
	var look func(typ reflect.Type, path string)
	look = func(typ reflect.Type, path string) {
		if seen[typ] || opaque(typ) {
			return
		}
		seen[typ] = true
		switch typ.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
			look(typ.Elem(), path)
		case reflect.Struct:
			for field := range typ.Fields() {
				if !field.IsExported() {
					t.Errorf("%s: %s hides %s", path, typ, field.Name)
				}
				look(field.Type, path+"."+field.Name)
			}
		case reflect.Interface, reflect.Func, reflect.Chan, reflect.Float32, reflect.Float64:
			t.Errorf("%s: %s has no canonical form", path, typ)
		}
	}
	look(reflect.TypeFor[parts](), "")
}

// walk visits every settable value below v, parents first.
func walk(v reflect.Value, path string, visit func(v reflect.Value, path string)) {
	visit(v, path)
	if opaque(v.Type()) {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			walk(v.Elem(), path, visit)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			walk(v.Field(i), path+"."+v.Type().Field(i).Name, visit)
		}
	case reflect.Slice:
		for i := range v.Len() {
			walk(v.Index(i), fmt.Sprintf("%s[%d]", path, i), visit)
		}
	}
}

func opaque(t reflect.Type) bool {
	return t == reflect.TypeFor[resource.Quantity]() || t == reflect.TypeFor[metav1.Time]()
}

// respell changes how a value is written, but not its meaning.
func respell(v reflect.Value, _ string) {
	if quantity, ok := reflect.TypeAssert[resource.Quantity](v); ok {
		v.Set(reflect.ValueOf(resource.NewDecimalQuantity(*quantity.AsDec(), resource.DecimalSI)).Elem())
		return
	}
	switch {
	case v.Kind() == reflect.Slice && v.Len() == 0 && v.IsNil():
		v.Set(reflect.MakeSlice(v.Type(), 0, 1))
	case v.Kind() == reflect.Map && v.Len() == 0 && v.IsNil():
		v.Set(reflect.MakeMap(v.Type()))
	case (v.Kind() == reflect.Slice || v.Kind() == reflect.Map) && v.Len() == 0:
		v.SetZero()
	case v.Kind() == reflect.Map:
		for _, key := range v.MapKeys() {
			value := reflect.New(v.Type().Elem()).Elem()
			value.Set(v.MapIndex(key))
			respell(value, "")
			v.SetMapIndex(key, value)
		}
	}
}

// change changes the meaning of a value, and reports whether that was possible.
func change(v reflect.Value) bool {
	if quantity, ok := reflect.TypeAssert[resource.Quantity](v); ok {
		quantity = quantity.DeepCopy()
		quantity.Add(resource.MustParse("1n"))
		v.Set(reflect.ValueOf(quantity))
		return true
	}
	if at, ok := reflect.TypeAssert[metav1.Time](v); ok {
		v.Set(reflect.ValueOf(metav1.NewTime(at.Add(time.Second))))
		return true
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(v.String() + "x")
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(v.Int() ^ 1)
	case reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		} else {
			v.SetZero()
		}
	case reflect.Slice:
		v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
	case reflect.Map:
		if v.Len() == 0 {
			return false
		}
		v.SetZero()
	default:
		return false
	}
	return true
}
