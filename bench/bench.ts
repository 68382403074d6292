import type { BenchEnvironment } from './environment.ts';
import type { Row } from './table.ts';

/** One benchmark: starts the processes it needs beside the running servers, measures, and stops them. */
export type Bench = (environment: BenchEnvironment) => Promise<Row[]>;
