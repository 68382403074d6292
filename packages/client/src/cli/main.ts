#!/usr/bin/env node
import process from 'node:process';
import { outliveReader } from './pipe.ts';
import { run } from './run.ts';

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
for (const stream of [process.stdout, process.stderr]) outliveReader(stream);
process.exitCode = await run(process.argv.slice(2), process.env, {
  stdout: process.stdout,
  stderr: process.stderr,
  signal: stop.signal,
});
