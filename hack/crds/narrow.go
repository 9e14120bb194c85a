// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// The API server accepts some values that no Go client can decode. One object with such a value makes every list of its
// kind fail, for the operator and for all other clients, so the schema refuses these values.
const (
	// timePattern is what time.RFC3339 parses. The format date-time also accepts lower-case letters, a space for the T,
	// times without a zone and zones that do not exist. The years have four digits in every zone.
	timePattern = `^` + dayAndTime + `(\.[0-9]{1,9})?` + zone + `$`
	// microTimePattern is what metav1.MicroTime decodes: a fraction of exactly six digits.
	microTimePattern = `^` + dayAndTime + `\.[0-9]{6}` + zone + `$`

	year       = `([1-8][0-9]{3}|9[0-8][0-9]{2}|99[0-8][0-9]|999[0-8])`
	dayAndTime = year + `-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}`
	zone       = `(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])`
	// quantityPattern is the pattern of controller-gen without fractions in the exponent, which resource.ParseQuantity
	// refuses, and without exponents of more than two digits, which it needs minutes to parse.
	quantityPattern = `^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?[0-9]{1,2}))?$`
	// quantityLength exceeds the length of every realistic quantity.
	quantityLength = 64
	// notATime is the message for lists, which the API server accepts for any string with a format unless a rule reads
	// the value.
	notATime = "this is no time"
)

// microTimes lists the paths of type metav1.MicroTime. The generated schema does not distinguish them from metav1.Time.
var microTimes = []string{"status.firstReadyTime"}

// narrow makes a schema refuse what the Go types cannot hold. The path is that of the schema.
func narrow(s *apiextensionsv1.JSONSchemaProps, path string) {
	switch {
	case slices.Contains(microTimes, path):
		s.Pattern = microTimePattern
	case s.Format == "date-time":
		s.Pattern = timePattern
	case s.XIntOrString && s.Pattern != "":
		s.Pattern, s.MaxLength = quantityPattern, new(int64(quantityLength))
	case s.XIntOrString:
		s.Minimum, s.Maximum = new(float64(math.MinInt32)), new(float64(math.MaxInt32))
	}
	if s.Format == "date-time" && len(s.XValidations) == 0 {
		s.XValidations = apiextensionsv1.ValidationRules{{Rule: "type(self) == google.protobuf.Timestamp", Message: notATime}}
	}
	for name, prop := range s.Properties {
		narrow(&prop, strings.TrimPrefix(path+"."+name, "."))
		s.Properties[name] = prop
	}
	if s.Items != nil && s.Items.Schema != nil {
		narrow(s.Items.Schema, path+"[]")
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		narrow(s.AdditionalProperties.Schema, path+"{}")
	}
}
