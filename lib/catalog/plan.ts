import type { Warning } from '../contract/schemas.ts';

export type Tier = 'guided' | 'custom' | 'auto';

/** The plan of a render: everything the worker needs, JSON-serialisable, fixed at acceptance. */
export interface Plan {
  /** Slug of the tool. */
  tool: string;
  /** Internal label of result files, `[a-z0-9-]`: `<account_id>/<file_id>-<label>.<ext>`. */
  label: string;
  imagesCharged: 1 | 2;
  /** Longest side of the result, in pixels. */
  longestSide: 2048 | 4096;
  /** The result is never smaller than the input, even where that exceeds `longestSide`. */
  neverSmaller: boolean;
  /** The prompt for the generator: lines of at most `INSTRUCTION_MAX_LENGTH` together. */
  instruction: string;
  /**
   * The options that take effect, by key; only `customPrompt` if the render follows the text. In
   * the custom and auto tiers a value need not be a listed one. Every value is one line of at most
   * 500 characters.
   */
  settings: Record<string, string>;
  warnings: Warning[];
  /** Id of the tool's group, which decides which generators are asked. */
  group: string;
  /** The built-in generator performs the tool. */
  classical: boolean;
  checks: ResultChecks;
}

/** What the tool asks of the result of a model. */
export interface ResultChecks {
  /** The tool changes what the photo shows, so a result that equals the input is none. */
  mustChange: boolean;
  /**
   * Least share of the input's strong edges that the result must have, 0 to 1; null where edges may
   * change.
   */
  minEdgeRecall: number | null;
}

/** `message` tells the caller what to change; it belongs to `invalid_request`. */
export type Planned = { ok: true; plan: Plan } | { ok: false; message: string };

/** In UTF-16 code units; more than the longest possible instruction of any tool. */
export const INSTRUCTION_MAX_LENGTH = 4000;
