# One image for the API, the worker, the renderer and the operator's commands. The container's command selects one.
ARG NODE_IMAGE=node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6
FROM ${NODE_IMAGE} AS build
WORKDIR /app
# Without packages/, npm installs no dependencies of the client and the MCP server.
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN npm run build

FROM ${NODE_IMAGE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY deploy/prune-packages.sh ./deploy/
RUN npm ci --omit=dev && deploy/prune-packages.sh node_modules

FROM ${NODE_IMAGE}
# In docker-compose.yml only /tmp can be written.
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
