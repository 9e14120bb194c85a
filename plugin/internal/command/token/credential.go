// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package token

import (
	"context"
	"errors"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/connect"
)

// accountSeconds is the validity of a ServiceAccount's token, the shortest that the API server issues.
const accountSeconds = 600

// Errors of users for whom the kubeconfig has nothing that the router could check.
var (
	errNoToken = errors.New("your kubeconfig has no bearer token, perhaps because you log in with a client certificate, " +
		"and the router accepts only tokens: give --as-service-account NAME, with a ServiceAccount that may create " +
		"sandboxclaims/proxy or sandboxes/proxy, or --token")
	errImpersonation = errors.New("the router does not know --as: it would see you and not the user whom you " +
		"impersonate: give --as-service-account NAME for a ServiceAccount")
)

// credential returns the bearer token with which the router authenticates the caller.
func (o *Options) credential(ctx context.Context, f factory.Factory, namespace string) (string, error) {
	if o.ServiceAccount != "" {
		return accountToken(ctx, f, namespace, o.ServiceAccount)
	}
	config, err := f.RESTConfig()
	if err != nil {
		return "", err
	}
	return bearerToken(ctx, config)
}

// accountToken requests a token of a ServiceAccount.
func accountToken(ctx context.Context, f factory.Factory, namespace, name string) (string, error) {
	client, err := f.Kubernetes()
	if err != nil {
		return "", err
	}
	answer, err := client.CoreV1().ServiceAccounts(namespace).CreateToken(ctx, name, &authenticationv1.TokenRequest{
		Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: new(int64(accountSeconds))},
	}, metav1.CreateOptions{})
	if err != nil {
		return "", err
	}
	return answer.Status.Token, nil
}

// bearerToken returns the token that requests to the API server have: that of the kubeconfig, of --token, of a file, or
// of a credential plugin, which runs for it.
func bearerToken(ctx context.Context, config *rest.Config) (string, error) {
	if as := config.Impersonate; as.UserName != "" || as.UID != "" || len(as.Groups) > 0 || len(as.Extra) > 0 {
		return "", errImpersonation
	}
	source, err := connect.ConfigToken(config)
	if err != nil {
		return "", err
	}
	token, err := source(ctx)
	if errors.Is(err, connect.ErrNoToken) {
		return "", errNoToken
	}
	return token, err
}
