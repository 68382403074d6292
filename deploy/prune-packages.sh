#!/bin/sh
# Deletes files that the service never loads from a node_modules folder: code for other machines, sources and types.
set -eu
cd "$1"
# Temporal's native client has binaries for five platforms, and its Rust sources.
bridge=@temporalio/core-bridge
keep=$(node -p "require('./$bridge/common').getPrebuiltTargetName()")
find $bridge/releases -mindepth 1 -maxdepth 1 ! -name "$keep" -exec rm -r {} +
rm -r $bridge/sdk-core $bridge/src $bridge/bridge-macros $bridge/ts
# Only a build of the workflow bundle compiles TypeScript, and the image has the bundle.
rm -r @swc swc-loader
# TypeScript, types, and maps to sources that are not here.
find . -type f \( -name '*.ts' -o -name '*.mts' -o -name '*.cts' -o -name '*.map' \) -exec rm {} +
