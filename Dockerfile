# One image for the API, the worker and the operator's commands; the command decides which of them runs.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci
COPY . .
RUN npm run build

FROM node:24-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev

FROM node:24-bookworm-slim
ENV NODE_ENV=production WORKFLOW_BUNDLE=/app/dist/workflow-bundle.cjs
# Text is drawn in the shipped font alone; without this fontconfig looks for others and complains that there are none.
ENV FONTCONFIG_FILE=/app/dist/imaging/fonts/fonts.conf
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
