import type { BenchEnvironment } from './environment.ts';
import type { Row } from './table.ts';

/**
 * One benchmark: starts the processes it needs, measures, and stops them. The servers are already running.
 * @param only run only the cases whose name contains this text
 */
export type Bench = (environment: BenchEnvironment, only: string) => Promise<Row[]>;
