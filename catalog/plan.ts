import type { Warning } from '../contract/schemas.ts';

export type Resolution = '2K' | '4K';
export type Tier = 'guided' | 'custom' | 'auto';

/** What a request for a tool comes to: everything the worker needs, JSON-safe, fixed at acceptance. */
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
  /** What the generator is told; one line, at most `INSTRUCTION_MAX_LENGTH`. */
  instruction: string;
  /**
   * The options that took effect, by key; `customPrompt` alone when the text is followed. In the custom and auto
   * tiers a value may be none of the listed ones; it is one line of at most 500 characters in any case.
   */
  settings: Record<string, string>;
  warnings: Warning[];
}

/** `message` tells the caller what to change; it belongs to `invalid_request`. */
export type Planned = { ok: true; plan: Plan } | { ok: false; message: string };

/** UTF-16 units. The longest task, its options at their limits and the closing sentences stay well below. */
export const INSTRUCTION_MAX_LENGTH = 4000;
