// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package pki creates the keys and certificates of one cluster at run time.
package pki

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"time"
)

// validity is how long every certificate is valid. skew is the tolerated difference between clocks.
const (
	validity = 10 * 365 * 24 * time.Hour
	skew     = time.Hour
)

// Authority signs the certificates of a cluster.
type Authority struct {
	certificate *x509.Certificate
	key         crypto.Signer
	now         time.Time
}

// Subject is the subject of a certificate. Hosts are the DNS names and IP addresses of a server, and empty for a
// client.
type Subject struct {
	User   string
	Groups []string
	Hosts  []string
}

// Pair is a certificate and its private key, both in PEM.
type Pair struct{ Certificate, Key []byte }

// NewAuthority creates a self-signed authority that is valid from now.
func NewAuthority(name string, now time.Time) (*Authority, Pair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, Pair{}, fmt.Errorf("generate key of authority: %w", err)
	}
	template := &x509.Certificate{
		Subject:               pkix.Name{CommonName: name},
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature | x509.KeyUsageCRLSign,
		IsCA:                  true,
		BasicConstraintsValid: true,
	}
	a := &Authority{certificate: template, key: key, now: now}
	pair, err := a.sign(template, key)
	if err != nil {
		return nil, Pair{}, err
	}
	block, _ := pem.Decode(pair.Certificate)
	if a.certificate, err = x509.ParseCertificate(block.Bytes); err != nil {
		return nil, Pair{}, fmt.Errorf("parse own certificate: %w", err)
	}
	return a, pair, nil
}

// Issue creates a key and its certificate, which is valid for a client and, with Hosts, for a server.
func (a *Authority) Issue(subject Subject) (Pair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Pair{}, fmt.Errorf("generate key of %s: %w", subject.User, err)
	}
	template := &x509.Certificate{
		Subject:     pkix.Name{CommonName: subject.User, Organization: subject.Groups},
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	for _, host := range subject.Hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	if len(subject.Hosts) > 0 {
		template.ExtKeyUsage = append(template.ExtKeyUsage, x509.ExtKeyUsageServerAuth)
	}
	return a.sign(template, key)
}

func (a *Authority) sign(template *x509.Certificate, key *ecdsa.PrivateKey) (Pair, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return Pair{}, fmt.Errorf("generate serial number: %w", err)
	}
	template.SerialNumber = serial
	template.NotBefore, template.NotAfter = a.now.Add(-skew), a.now.Add(validity)
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, key.Public(), a.key)
	if err != nil {
		return Pair{}, fmt.Errorf("sign certificate of %s: %w", template.Subject.CommonName, err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return Pair{}, fmt.Errorf("encode key of %s: %w", template.Subject.CommonName, err)
	}
	return Pair{
		Certificate: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		Key:         pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}),
	}, nil
}

// Write writes the pair to path.crt and path.key. Only the owner can read the key.
func (p Pair) Write(path string) error {
	if err := os.WriteFile(path+".crt", p.Certificate, 0o644); err != nil {
		return err
	}
	return os.WriteFile(path+".key", p.Key, 0o600)
}
