// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package printing

import (
	"crypto/x509"
	"encoding/pem"
	"os"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
)

// certificateMessage says whether the client certificate of the user has expired. The API server reports only
// "unauthorized".
func certificateMessage(f factory.Factory) string {
	const otherwise = ": log in again, or check the user of the context"
	config, err := f.RESTConfig()
	if err != nil {
		return otherwise
	}
	encoded := config.CertData
	if len(encoded) == 0 && config.CertFile != "" {
		if encoded, err = os.ReadFile(config.CertFile); err != nil {
			return otherwise
		}
	}
	block, _ := pem.Decode(encoded)
	if block == nil {
		return otherwise
	}
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil || f.Clock().Now().Before(cert.NotAfter) {
		return otherwise
	}
	return ": your client certificate expired at " + cert.NotAfter.UTC().Format(time.RFC3339) + "; get a new one"
}
