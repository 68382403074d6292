import type { BenchEnvironment } from './environment.ts';
import type { Row } from './table.ts';

/**
 * One benchmark: starts the processes it needs beside the running servers, measures, and stops them.
 * @param only of a benchmark with many cases, those whose name holds this text
 */
export type Bench = (environment: BenchEnvironment, only: string) => Promise<Row[]>;
