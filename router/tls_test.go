// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package router

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// certificate writes a certificate for 127.0.0.1 with this serial number.
func certificate(t *testing.T, directory string, serial int64) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	is := &x509.Certificate{
		SerialNumber: big.NewInt(serial), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	raw, err := x509.CreateCertificate(rand.Reader, is, is, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(directory, "tls.crt"), filepath.Join(directory, "tls.key")
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: raw}, key: {Type: "PRIVATE KEY",
		Bytes: der}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

func TestACertificateThatChangesIsReadAgain(t *testing.T) {
	directory := t.TempDir()
	w := newWorld(t, func(c *Config) { c.TLSCertFile, c.TLSKeyFile = certificate(t, directory, 1) })
	serial := func() int64 {
		config := &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}}
		conn, err := (&tls.Dialer{Config: config}).DialContext(t.Context(), "tcp", strings.TrimPrefix(w.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		state := conn.(*tls.Conn).ConnectionState()
		if state.NegotiatedProtocol != "h2" || state.Version < tls.VersionTLS12 {
			t.Errorf("negotiated %s %x", state.NegotiatedProtocol, state.Version)
		}
		return state.PeerCertificates[0].SerialNumber.Int64()
	}
	if serial() != 1 {
		t.Errorf("serial number %d", serial())
	}
	old := &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}
	conn, err := (&tls.Dialer{Config: old}).DialContext(t.Context(), "tcp", strings.TrimPrefix(w.url, "http://"))
	if err == nil {
		_ = conn.Close()
		t.Error("it speaks TLS 1.1")
	}
	certificate(t, directory, 2)
	w.eventually("the new one is shown", func() bool { return serial() == 2 })
}
