# The image of the sandbox. It runs as a non-root user and contains only what the commands need at run time.

FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.base.json tsconfig.json tsconfig.build.json ./
COPY scripts/build.ts scripts/build.ts
# The build reads the scenarios that ship, so that no command has to.
COPY fixtures fixtures
COPY scenarios scenarios
COPY schemas schemas
COPY src src
RUN PATH="$PATH:/app/node_modules/.bin" node scripts/build.ts

FROM node:24-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:24-slim
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json LICENSE README.md llms.txt ./
COPY docs docs
COPY examples examples
COPY clients clients
COPY fixtures fixtures
COPY scenarios scenarios
COPY schemas schemas
# Starts the server once to fill the compile cache of Node, so that a container starts faster.
ENV NODE_ENV=production NODE_COMPILE_CACHE=/app/.compiled
RUN node -e "const child = require('node:child_process').spawn(process.execPath, ['dist/cli/main.js', 'serve', '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] }); child.stdout.once('data', () => child.kill('SIGTERM')); child.once('exit', (code) => process.exit(code ?? 1))"
# `docker exec CONTAINER sandbank …` runs any command.
RUN chmod +x dist/cli/main.js && ln -s /app/dist/cli/main.js /usr/local/bin/sandbank
# Some platforms, such as OpenShift, run the image under any user id, always with the group 0.
RUN mkdir /data && chown node:0 /data /home/node && chmod g=u /data /home/node
LABEL org.opencontainers.image.title="sandbank" \
  org.opencontainers.image.description="A stateful local sandbox and contract-testing harness for a banking, subscription and order platform." \
  org.opencontainers.image.version="0.2.0" \
  org.opencontainers.image.licenses="MIT"
USER node
# Marks a container for engines that leave no mark of their own; messages about unreachable receivers depend on it.
ENV SANDBANK_HOST=:: container=oci HOME=/home/node
EXPOSE 4010
# For SANDBANK_DATA=/data/sandbank.json, which keeps every world between starts.
VOLUME /data
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s --retries=3 CMD ["node", "/app/dist/cli/main.js", "health"]
ENTRYPOINT ["node", "/app/dist/cli/main.js"]
CMD ["serve"]
