# Two images; the command of a container chooses the app:
#
#   docker build --target services .                              gateway, services, console, command line
#   docker build --target worker .                                inference worker, training worker
#   docker build --target worker --build-arg ACCELERATOR=cuda .   the same with CUDA
#
# test/topology runs these steps without Docker and knows only the instructions that are used here.
ARG NODE_IMAGE=node:24-bookworm-slim
# llama.cpp comes in two builds for CUDA, and the libraries of this image choose: that for CUDA 12 runs on every GPU with a
# driver from 550 on, that for CUDA 13 on GPUs it was not compiled for (T4, A100, H100, B200) only with one from 590 on.
ARG CUDA_IMAGE=nvidia/cuda:12.9.1-runtime-ubuntu24.04
ARG ACCELERATOR=cpu

FROM ${NODE_IMAGE} AS cpu

FROM ${CUDA_IMAGE} AS cuda
COPY --from=cpu /usr/local/bin/node /usr/local/bin/node

# Only what npm reads: an edit of a source file leaves the installations below in the cache. Without
# the development tools, whose builds for other platforms npm ci would insist on.
FROM ${NODE_IMAGE} AS manifests
WORKDIR /app
# Authorities of the secret `ca` in place of npm's own, where a proxy or a private registry has others; npm passes over
# a file that is not there. The secret `npmrc` is the user's configuration of npm. Neither is kept in a layer.
ENV NPM_CONFIG_CAFILE=/run/secrets/ca
COPY package.json package-lock.json .npmrc ./
COPY tools/empty-package ./tools/empty-package
COPY apps ./apps
COPY libs ./libs
RUN find apps libs -type f ! -name package.json -delete && find apps libs -type d -empty -delete \
  && npm pkg delete devDependencies

# --- Build -----------------------------------------------------------------------------------

# With the optional packages: the compiler's program for this platform is one of them.
FROM manifests AS compiler
RUN --mount=type=cache,target=/root/.npm --mount=type=secret,id=ca --mount=type=secret,id=npmrc,target=/root/.npmrc \
  npm ci --omit=dev

FROM compiler AS build
COPY scripts/compile.mjs ./scripts/
COPY scripts/lib/compile.mjs scripts/lib/link.mjs scripts/lib/projects.mjs ./scripts/lib/
COPY apps ./apps
COPY libs ./libs
RUN node scripts/compile.mjs \
  apps/gateway apps/keys-service apps/deployments-service apps/tuning-service apps/console apps/cli \
  apps/inference-worker apps/training-worker
RUN find apps libs -type d -name src -prune -exec rm -rf {} +

# --- Dashboard, which the console serves -----------------------------------------------------

FROM manifests AS dashboard
COPY tsconfig.base.json ./
COPY apps/dashboard ./apps/dashboard
# The part of the contracts that the page imports as values; the bundler takes it from its source.
COPY libs/contracts/src/engines ./libs/contracts/src/engines
RUN --mount=type=cache,target=/root/.npm --mount=type=secret,id=ca --mount=type=secret,id=npmrc,target=/root/.npmrc \
  npm ci --omit=dev --workspace apps/dashboard && node_modules/.bin/vite build --logLevel warn apps/dashboard

# --- What runs needs of npm ------------------------------------------------------------------

FROM manifests AS modules-services
RUN --mount=type=cache,target=/root/.npm --mount=type=secret,id=ca --mount=type=secret,id=npmrc,target=/root/.npmrc \
  npm ci --omit=dev --workspace apps/gateway --workspace apps/keys-service --workspace apps/deployments-service \
    --workspace apps/tuning-service --workspace apps/console --workspace apps/cli

FROM manifests AS modules-cpu
RUN --mount=type=cache,target=/root/.npm --mount=type=secret,id=ca --mount=type=secret,id=npmrc,target=/root/.npmrc \
  npm ci --omit=dev --workspace apps/inference-worker --workspace apps/training-worker

# package.json keeps the CUDA builds of llama.cpp out, which are larger than all the rest.
FROM modules-cpu AS modules-cuda
RUN --mount=type=secret,id=ca --mount=type=secret,id=npmrc,target=/root/.npmrc \
  version="$(node -p "require('./node_modules/node-llama-cpp/package.json').version")" \
  && for name in linux-x64-cuda linux-x64-cuda-ext; do \
       rm -rf "node_modules/@node-llama-cpp/${name}" \
       && mkdir -p "node_modules/@node-llama-cpp/${name}" \
       && tar -xz --strip-components=1 -C "node_modules/@node-llama-cpp/${name}" \
            -f "$(npm pack --silent "@node-llama-cpp/${name}@${version}")" \
       && rm -f ./*.tgz || exit 1; \
     done

FROM modules-${ACCELERATOR} AS modules-worker

# --- Images ----------------------------------------------------------------------------------

FROM ${ACCELERATOR} AS worker
WORKDIR /app
COPY --from=modules-worker /app/node_modules ./node_modules
COPY --from=build /app/libs ./libs
COPY --from=build /app/apps/inference-worker ./apps/inference-worker
COPY --from=build /app/apps/training-worker ./apps/training-worker
COPY deploy ./deploy
# What training workers install: a lock file and a program each.
COPY trainers ./trainers
COPY LICENSE THIRD_PARTY_NOTICES.md package.json ./
ENV NODE_ENV=production \
    OPS_PORT=9090
# The user `node`, as a number: orchestrators can see that it is not root.
USER 1000:1000
HEALTHCHECK --interval=15s --timeout=10s --start-period=60s --retries=3 CMD ["bash", "/app/deploy/probe.sh"]
CMD ["node", "apps/inference-worker/dist/main.js"]

# The last one, so that it is built where no target is named.
FROM cpu AS services
WORKDIR /app
COPY --from=modules-services /app/node_modules ./node_modules
COPY --from=build /app/libs ./libs
COPY --from=build /app/apps/gateway ./apps/gateway
COPY --from=build /app/apps/keys-service ./apps/keys-service
COPY --from=build /app/apps/deployments-service ./apps/deployments-service
COPY --from=build /app/apps/tuning-service ./apps/tuning-service
COPY --from=build /app/apps/console ./apps/console
COPY --from=build /app/apps/cli ./apps/cli
COPY --from=dashboard /app/apps/dashboard/dist ./apps/dashboard/dist
COPY deploy ./deploy
COPY LICENSE THIRD_PARTY_NOTICES.md package.json ./
ENV NODE_ENV=production \
    OPS_PORT=9090
USER 1000:1000
HEALTHCHECK --interval=15s --timeout=10s --start-period=60s --retries=3 CMD ["bash", "/app/deploy/probe.sh"]
CMD ["node", "apps/gateway/dist/main.js"]
