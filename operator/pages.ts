import type { Command } from 'commander';
import { limitArgument } from './arguments.ts';

const PAGE = 1000;

export interface PageOptions {
  limit: number;
  /** Id of the last row of the page before. */
  after?: string;
  all?: true;
}

/** Adds the options of a command that lists rows. */
export function withPages(command: Command): Command {
  return command
    .option('--limit <n>', 'how many at most', limitArgument, 50)
    .option('--after <id>', 'only rows after this one, the last of the page before')
    .option('--all', 'every row');
}

/**
 * Reads one page or, with `all`, every page.
 * @param note what text output says when more rows may follow
 */
export async function readPages<T extends { id: string }>(
  { limit, after, all }: PageOptions,
  read: (limit: number, after: string | undefined) => Promise<T[]>,
): Promise<{ found: T[]; note?: string }> {
  if (!all) {
    const found = await read(limit, after);
    const last = found.length === limit ? found.at(-1)?.id : undefined;
    return last === undefined ? { found } : { found, note: `For more rows, add --after ${last} or --all.` };
  }
  const found: T[] = [];
  for (let next = after; ; next = found.at(-1)?.id) {
    const page = await read(PAGE, next);
    found.push(...page);
    if (page.length < PAGE) return { found };
  }
}
