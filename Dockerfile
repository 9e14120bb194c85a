# syntax=docker/dockerfile:1
# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0

# The images of the operator (the default), of the router and of the runtime (--target sandbox-router and sandbox-runtime).
# `make image` builds equal images without Docker.
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
    mkdir /out && CGO_ENABLED=0 GOOS=${TARGETOS} GOARCH=${TARGETARCH} go build -trimpath -buildvcs=false -ldflags "-s -w \
      -X github.com/agent-sandbox/kubectl-sandbox/apis/buildinfo.version=${VERSION} \
      -X github.com/agent-sandbox/kubectl-sandbox/apis/buildinfo.commit=${COMMIT} \
      -X github.com/agent-sandbox/kubectl-sandbox/apis/buildinfo.date=${DATE}" \
      -o /out/ ./cmd/agent-sandbox-controller ./cmd/sandbox-router ./cmd/sandbox-runtime

# It has nothing but the program, because it is mounted or copied into other images.
FROM scratch AS sandbox-runtime
ARG VERSION=v0.0.0-dev
ARG COMMIT=unknown
LABEL org.opencontainers.image.title="sandbox-runtime" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${COMMIT}"
COPY --from=build /out/sandbox-runtime /sandbox-runtime
USER 65532:65532
ENTRYPOINT ["/sandbox-runtime"]

FROM ${BASE} AS sandbox-router
ARG VERSION=v0.0.0-dev
ARG COMMIT=unknown
LABEL org.opencontainers.image.title="sandbox-router" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${COMMIT}"
COPY --from=build /out/sandbox-router /sandbox-router
USER 65532:65532
ENTRYPOINT ["/sandbox-router"]

FROM ${BASE} AS agent-sandbox-controller
ARG VERSION=v0.0.0-dev
ARG COMMIT=unknown
LABEL org.opencontainers.image.title="agent-sandbox-controller" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${COMMIT}"
COPY --from=build /out/agent-sandbox-controller /agent-sandbox-controller
USER 65532:65532
ENTRYPOINT ["/agent-sandbox-controller"]
