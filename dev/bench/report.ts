/** One measurement. A goal applies to the ratio of value to baseline, or to the value. */
export interface Row {
  what: string;
  value: number;
  unit: string;
  baseline?: number;
  ratio?: number;
  goal?: Goal;
}

export type Goal = { atMost: number } | { atLeast: number };

/** One round of a comparison. */
export interface Pair {
  value: number;
  baseline: number;
}

/**
 * The ratio is the median of the ratios of all rounds, so that one round on a busy machine has
 * little weight.
 */
export function compared(what: string, unit: string, rounds: readonly Pair[], goal?: Goal): Row {
  return {
    what,
    value: median(rounds.map(({ value }) => value)),
    unit,
    baseline: median(rounds.map(({ baseline }) => baseline)),
    ratio: median(rounds.map(({ value, baseline }) => value / baseline)),
    ...(goal && { goal }),
  };
}

/** The median; of an even number of values, the lower of the two in the middle. */
export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** The quantile by nearest rank. @param share from 0 to 1 */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(Math.ceil(sorted.length * share) - 1, 0)] ?? Number.NaN;
}

const HEAD = ['what', 'value', 'unit', 'baseline', 'ratio', 'goal', ''];

/** Formats the rows as aligned text. The last column says whether the goal was met. */
export function formatTable(rows: readonly Row[]): string {
  const lines = [HEAD, ...rows.map(cellsOf)];
  const widths = HEAD.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)));
  return lines
    .map((cells) =>
      cells.map((cell, n) => (n === 0 ? cell.padEnd(widths[n] ?? 0) : cell.padStart(widths[n] ?? 0))),
    )
    .map((cells) => cells.join('  ').trimEnd())
    .join('\n');
}

/** Whether the row meets its goal; true without a goal. */
export function meetsGoal({ value, ratio, goal }: Row): boolean {
  if (goal === undefined) return true;
  const measured = ratio ?? value;
  return 'atMost' in goal ? measured <= goal.atMost : measured >= goal.atLeast;
}

function cellsOf(row: Row): string[] {
  const { what, value, unit, baseline, ratio, goal } = row;
  const target = goal === undefined ? '' : 'atMost' in goal ? `<= ${goal.atMost}` : `>= ${goal.atLeast}`;
  const verdict = goal === undefined ? '' : meetsGoal(row) ? 'met' : 'MISSED';
  return [what, short(value), unit, short(baseline), short(ratio), target, verdict];
}

const short = (value: number | undefined) => (value === undefined ? '' : value.toFixed(value < 10 ? 2 : 1));
