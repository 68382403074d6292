/**
 * When an option or a sentence is used: every named option must have one of the values, be given,
 * or be missing.
 */
export type Condition = Readonly<Record<string, readonly string[] | 'given' | 'missing'>>;

interface OptionBase {
  /** One line for people. */
  readonly description: string;
  readonly required?: true;
  /** `never`: the key is accepted and checked, and has no effect through the API. */
  readonly appliesWhen?: Condition | 'never';
}

/** One of a list of values. */
export interface ChoiceOption extends OptionBase {
  readonly kind: 'choice';
  readonly values: readonly string[];
  readonly default?: string;
  /** Words for a value in the instruction; by default the value with spaces for hyphens. */
  readonly wording?: Readonly<Record<string, string>>;
  /** A value that means the same as not sending the key. */
  readonly sameAsOmitted?: string;
  /** The allowed values for each value of another option; the first one is the default. */
  readonly valuesBy?: {
    readonly option: string;
    readonly lists: Readonly<Record<string, readonly string[]>>;
  };
}

/** Any subset of a list of values, sent as an array or as a comma-separated string. */
export interface ListOption extends OptionBase {
  readonly kind: 'list';
  readonly values: readonly string[];
}

/** Free text. `maxLength` is in characters. */
export interface TextOption extends OptionBase {
  readonly kind: 'text';
  readonly maxLength: number;
  readonly hyphensAsSpaces?: true;
}

/** A colour as `#RRGGBB`. */
export interface HexOption extends OptionBase {
  readonly kind: 'hex';
  readonly default: string;
}

/** The string `true` or the string `false`, never a boolean. */
export interface FlagOption extends OptionBase {
  readonly kind: 'flag';
  readonly default: 'true' | 'false';
}

export type OptionSpec = ChoiceOption | ListOption | TextOption | HexOption | FlagOption;

/** An alternative key of an option. `map` maps its values to those of the option. */
export interface Alias {
  readonly for: string;
  readonly map: Readonly<Record<string, string>>;
  readonly unknownValue: 'reject' | 'warn';
  readonly description: string;
}

/**
 * A sentence with `{option}` placeholders; omitted when one of them has no value. Free text has no
 * placeholder: a sentence with `when: { option: 'given' }` says what it means, and the text follows
 * below the task.
 */
export type Sentence = string | { readonly when: Condition; readonly text: string };

/** A tool as declared in tools/. */
export interface ToolEntry {
  readonly slug: string;
  /** Name in result files, `[a-z0-9-]`; the slug by default. */
  readonly label?: string;
  readonly title: string;
  /** One line for people. */
  readonly description: string;
  /** Price of a render at 2K; 1 by default. */
  readonly images?: 2;
  /** Whether the tool reads customPrompt in the custom tier. */
  readonly customPrompt: 'read' | 'not read';
  /** Always renders at 4K, and never smaller than the input. */
  readonly upscales?: true;
  /** Rejects every key that is not its own, so it has no tiers and always renders at 2K. */
  readonly ownKeysOnly?: true;
  /** Checks the values of its own keys in every tier, not only in guided. */
  readonly alwaysChecked?: true;
  /** Classical image editing can do it, so the built-in generator performs it without a model. */
  readonly classical?: true;
  /** Corrects a photo, which may be right already: a result that equals the input is accepted. */
  readonly mayKeepImage?: true;
  /** Least share of the input's strong edges that a result must have, 0 to 1. */
  readonly minEdgeRecall?: number;
  /**
   * The task without options, "Replace the kitchen cabinets in this photo". It leads the custom
   * tier.
   */
  readonly aim?: string;
  /** The task in the auto tier, instead of the options. */
  readonly preset?: string;
  /** Options that are used next to the preset. */
  readonly presetKeeps?: readonly string[];
  readonly options: Readonly<Record<string, OptionSpec>>;
  readonly aliases?: Readonly<Record<string, Alias>>;
  /** The task, built from the options. */
  readonly task: readonly Sentence[];
  /** How it is done well, in every tier. */
  readonly craft: readonly string[];
  /**
   * What must stay unchanged, and the requirements on the result: lines made by the files in keep/.
   */
  readonly keep: readonly string[];
}

export interface ToolGroup {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly tools: readonly ToolEntry[];
}

/** A tool with its group and defaults. */
export interface ToolSpec extends ToolEntry {
  readonly group: string;
  readonly label: string;
  readonly cost: 1 | 2;
}
