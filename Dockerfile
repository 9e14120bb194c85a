# syntax=docker/dockerfile:1
# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0

# The image of the operator. `make image` builds an equal image without Docker.
ARG GO_VERSION=1.26
ARG BASE=gcr.io/distroless/static-debian12:nonroot

FROM --platform=$BUILDPLATFORM golang:${GO_VERSION} AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN --mount=type=cache,target=/go/pkg/mod go mod download
COPY . .
ARG TARGETOS
ARG TARGETARCH
ARG VERSION=v0.0.0-dev
ARG COMMIT=unknown
ARG DATE=unknown
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
    CGO_ENABLED=0 GOOS=${TARGETOS} GOARCH=${TARGETARCH} go build -trimpath -buildvcs=false -ldflags "-s -w \
      -X github.com/agent-sandbox/kubectl-sandbox/apis/buildinfo.version=${VERSION} \
      -X github.com/agent-sandbox/kubectl-sandbox/apis/buildinfo.commit=${COMMIT} \
      -X github.com/agent-sandbox/kubectl-sandbox/apis/buildinfo.date=${DATE}" \
      -o /out/agent-sandbox-controller ./cmd/agent-sandbox-controller

FROM ${BASE}
ARG VERSION=v0.0.0-dev
ARG COMMIT=unknown
LABEL org.opencontainers.image.title="agent-sandbox-controller" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${COMMIT}"
COPY --from=build /out/agent-sandbox-controller /agent-sandbox-controller
USER 65532:65532
ENTRYPOINT ["/agent-sandbox-controller"]
