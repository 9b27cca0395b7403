# The service alone: no sandbox, no embedded database, no test tools. Needs DATABASE_URL and a key ring
# (deploy/README.md). The bases are named by tag: no registry of images was in reach to name them by digest. `docker buildx imagetools inspect`
# shows the digests; a release names them (SECURITY.md).

# grpc-health-probe, from the versions and checksums that the tests use too.
FROM golang:1.25-bookworm AS probe
WORKDIR /tools
COPY test/tools/go.mod test/tools/go.sum ./
RUN CGO_ENABLED=0 GOBIN=/out go install -trimpath -ldflags='-s -w' github.com/grpc-ecosystem/grpc-health-probe

# The pages of web/, built where the packages are that they are made of.
FROM node:24.21.0-bookworm-slim AS pages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY sdks/codegen/package.json sdks/codegen/
RUN npm ci --ignore-scripts --no-progress
COPY tsconfig.json ./
COPY web web
COPY scripts/web scripts/web
COPY src/gen src/gen
COPY src/story src/story
RUN node scripts/web/build.ts

# Install scripts stay off: what is installed is what the lock file has a hash of. The Node is the base image's.
FROM node:24.21.0-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY sdks/codegen/package.json sdks/codegen/
RUN npm ci --omit=dev --omit=optional --ignore-scripts --no-progress
# For a search for packages with a fault (CycloneDX): all of the lock file, since npm 11 leaves out half of what is installed with --omit=dev.
RUN npm sbom --sbom-format=cyclonedx --package-lock-only > sbom.cdx.json

# The service and its commands. What only `npm start`, the pages and the documentation are made of stays out.
FROM node:24.21.0-bookworm-slim AS source
WORKDIR /app
COPY src src
COPY prompts prompts
COPY package.json LICENSE ./
# The modes of the checkout come along: of one that was made under umask 027 or 077 the user of the image could read nothing.
RUN chmod -R a+rX .
RUN rm -r src/launch src/sandbox src/story src/cli/sandbox.ts src/cli/send src/cli/send.ts src/config/document.ts src/channels/voice/prompts/recording.ts

FROM node:24.21.0-bookworm-slim
# Recorded French digits (June Wallack, CC BY-SA 3.0) in place of synthesised ones: docs/voice.md.
RUN apt-get update && apt-get install -y --no-install-recommends asterisk-core-sounds-fr-wav && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production
ENV RAMZ_DATA=/data
WORKDIR /app
COPY --from=probe /out/grpc-health-probe /usr/local/bin/
COPY --from=packages /app/node_modules node_modules
COPY --from=packages /app/sbom.cdx.json ./
COPY --from=pages /app/.web .web
COPY --from=source /app ./
RUN install -d -o node -g node /data
USER node
# The sound of voice calls is UDP: voice.media.ports, published as they are (or network_mode: host).
EXPOSE 8080 50051 9464 16384-17383/udp
# Serving here means: this process takes calls. An operator's outage is at the metrics port and never restarts a container.
# With TLS on the gRPC door, override it: grpc-health-probe -tls -tls-ca-cert … -addr=…
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD grpc-health-probe -addr=127.0.0.1:${GRPC_PORT:-50051} -connect-timeout=2s -rpc-timeout=2s
# SIGTERM drains: calls in flight are answered, binds are unbound.
STOPSIGNAL SIGTERM
# No signal opens the inspector, through which codes and keys could be read.
CMD ["node", "--disable-sigusr1", "src/main.ts", "serve"]
