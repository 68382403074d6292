import { describe, expect, test } from 'vitest';
import { BFL_ROWS } from '../../../../lib/generators/adapters/bfl.ts';
import { COMFYUI_ROWS } from '../../../../lib/generators/adapters/comfyui.ts';
import { FAL_ROWS } from '../../../../lib/generators/adapters/fal.ts';
import { GEMINI_ROWS } from '../../../../lib/generators/adapters/gemini.ts';
import { OPENAI_ROWS } from '../../../../lib/generators/adapters/openai.ts';
import { REPLICATE_ROWS } from '../../../../lib/generators/adapters/replicate.ts';
import { COMMON_ROWS, type FailureRow, failureOf } from '../../../../lib/generators/upstream/classify.ts';
import { type FailureSample, SAMPLES } from './failure-samples.ts';
import { TASK_SAMPLES } from './task-failure-samples.ts';

const TABLES: Readonly<Record<string, readonly FailureRow[]>> = {
  gemini: GEMINI_ROWS,
  openai: OPENAI_ROWS,
  bfl: BFL_ROWS,
  replicate: REPLICATE_ROWS,
  fal: FAL_ROWS,
  comfyui: COMFYUI_ROWS,
};

const read = ({ of, status, json = {}, headers = {}, submits = false }: FailureSample) => {
  const quote = (text: string) => text;
  const response = { status, json, headers, body: Buffer.from(JSON.stringify(json)), quote, submits };
  return failureOf(of, TABLES[of] ?? [], response);
};

const ALL = [...SAMPLES, ...TASK_SAMPLES];

describe('the tables of failures', () => {
  test.each(ALL.map((sample) => [sample.of, sample.status, sample.row, sample] as const))(
    '%s, %i: %s',
    (_of, _status, row, sample) => {
      const error = read(sample);
      expect(error.message).toContain(row);
      expect(error.failure).toEqual(sample.failure);
      expect(error.mayBeCharged).toBe(sample.charged ?? false);
    },
  );

  test('have a sample for each of their rows', () => {
    const sampled = new Set(ALL.map(({ of, row }) => `${of}: ${row}`));
    const rows = [...Object.entries(TABLES), ['any', COMMON_ROWS] as const];
    const missing = rows.flatMap(([name, table]) =>
      table.map(({ row }) => `${name}: ${row}`).filter((row) => !sampled.has(row)),
    );
    expect(missing).toEqual([]);
  });
});
