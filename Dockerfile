# One image for the API, the worker, the renderer and the operator's commands; the command decides which of them runs.
ARG NODE_IMAGE=node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6
FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN npm run build

FROM ${NODE_IMAGE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Temporal's native client comes with its binaries for five platforms, a third of what is installed.
RUN npm ci --omit=dev \
  && find node_modules/@temporalio/core-bridge/releases -mindepth 1 -maxdepth 1 \
    ! -name "$(uname -m)-unknown-linux-gnu" -exec rm -r {} +

FROM ${NODE_IMAGE}
# The file system is read-only in docker-compose.yml, but for /tmp.
ENV NODE_ENV=production WORKFLOW_BUNDLE=/app/dist/workflow-bundle.cjs XDG_CACHE_HOME=/tmp
WORKDIR /app
# Temporal's native client verifies TLS against the system's certificates, which the slim image lacks.
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates \
  && rm -rf /var/lib/apt/lists/*
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json LICENSE ./
USER node
EXPOSE 8080
CMD ["node", "dist/api/main.js"]
