# The sandbox as an image: built once, run as nobody in particular, with nothing in it that serving does not need.

FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.base.json tsconfig.json tsconfig.build.json ./
COPY scripts/build.ts scripts/build.ts
COPY src src
RUN PATH="$PATH:/app/node_modules/.bin" node scripts/build.ts

FROM node:24-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
# The client that `contracts publish` runs is a third of all there is, and publishing is for a job that has npm.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund && rm -rf node_modules/@pact-foundation/pact-cli*

FROM node:24-slim
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json LICENSE ./
COPY fixtures fixtures
COPY scenarios scenarios
COPY schemas schemas
# A start that writes down what it compiled, so that the start of a container need not compile it again.
ENV NODE_ENV=production NODE_COMPILE_CACHE=/app/.compiled
RUN node -e "const child = require('node:child_process').spawn(process.execPath, ['dist/cli/main.js', 'serve', '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] }); child.stdout.once('data', () => child.kill('SIGTERM')); child.once('exit', (code) => process.exit(code ?? 1))"
RUN mkdir /data && chown node:node /data
USER node
# The variable by which engines without a mark of their own say that this is a container.
ENV SANDBANK_HOST=0.0.0.0 container=oci
EXPOSE 4010
# For SANDBANK_DATA=/data/sandbank.json, which keeps every world from one start to the next.
VOLUME /data
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s --retries=3 CMD ["node", "/app/dist/cli/main.js", "health"]
ENTRYPOINT ["node", "/app/dist/cli/main.js"]
CMD ["serve"]
