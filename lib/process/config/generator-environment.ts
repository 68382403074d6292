import { type Static, Type } from 'typebox';
import { entriesOf, Flag, Optional, Text } from './variables.ts';

const BaseUrl = (description: string, value = '') =>
  Type.String({ pattern: '^(https?://[^/?#][^?#]*)?$', description, default: value });
const ResultOrigins = (name: string) =>
  Optional(
    `Comma-separated exact origins from which results of ${name} are downloaded although they are not public https.`,
  );
const JsonObject = (description: string, value: string) => Type.String({ description, default: value });
const Places = (name: string, value: number) =>
  Type.Integer({
    minimum: 1,
    maximum: 1000,
    description: `Concurrent calls of one renderer to ${name}.`,
    default: value,
  });

/** The generators that GENERATORS may name. */
export const GENERATOR_NAMES = ['preview', 'gemini', 'openai', 'bfl', 'replicate', 'fal', 'comfyui'] as const;
export type GeneratorName = (typeof GENERATOR_NAMES)[number];

/**
 * The variable with the order of each group of tools. A test compares the groups with the
 * catalogue.
 */
export const ORDER_OF_GROUP = {
  staging: 'GENERATORS_FOR_STAGING',
  furniture: 'GENERATORS_FOR_FURNITURE',
  interior: 'GENERATORS_FOR_INTERIOR',
  'kitchen-bath': 'GENERATORS_FOR_KITCHEN_BATH',
  photo: 'GENERATORS_FOR_PHOTO',
  'light-seasons': 'GENERATORS_FOR_LIGHT_SEASONS',
  removal: 'GENERATORS_FOR_REMOVAL',
  exterior: 'GENERATORS_FOR_EXTERIOR',
  'floor-plans': 'GENERATORS_FOR_FLOOR_PLANS',
} as const;

const Order = (group: keyof typeof ORDER_OF_GROUP) =>
  Optional(`Generators for the tools of the group ${group}; empty uses GENERATORS.`);

/** Environment variables of the generators. */
export const GENERATOR_ENVIRONMENT = {
  GENERATORS: Type.String({
    minLength: 1,
    description:
      'Comma-separated generators in failover order: gemini, openai, bfl, replicate, fal, comfyui, preview.',
    examples: 'preview',
  }),
  GENERATORS_FOR_STAGING: Order('staging'),
  GENERATORS_FOR_FURNITURE: Order('furniture'),
  GENERATORS_FOR_INTERIOR: Order('interior'),
  GENERATORS_FOR_KITCHEN_BATH: Order('kitchen-bath'),
  GENERATORS_FOR_PHOTO: Order('photo'),
  GENERATORS_FOR_LIGHT_SEASONS: Order('light-seasons'),
  GENERATORS_FOR_REMOVAL: Order('removal'),
  GENERATORS_FOR_EXTERIOR: Order('exterior'),
  GENERATORS_FOR_FLOOR_PLANS: Order('floor-plans'),
  FAILOVER_ON_REFUSED: Flag(
    'Ask the next generator also when one refuses the image or the instruction.',
    false,
  ),
  GEMINI_API_KEY: Optional('API key of Google Gemini.'),
  GEMINI_BASE_URL: BaseUrl(
    'Base URL of Gemini, with the version.',
    'https://generativelanguage.googleapis.com/v1beta',
  ),
  GEMINI_MODEL: Text('Model of Gemini.', 'gemini-nano-banana-2.1'),
  GEMINI_CONCURRENCY: Places('Gemini', 8),
  OPENAI_API_KEY: Optional('API key of OpenAI.'),
  OPENAI_BASE_URL: BaseUrl('Base URL of OpenAI, with /v1.', 'https://api.openai.com/v1'),
  OPENAI_MODEL: Text('Model of OpenAI.', 'gpt-image-2.6-sunburst'),
  OPENAI_QUALITY: Type.Enum(['low', 'medium', 'high', 'xhigh', 'max', 'auto'], {
    description: 'Quality that is asked of OpenAI: low, medium, high, xhigh, max or auto.',
    default: 'medium',
  }),
  OPENAI_CONCURRENCY: Places('OpenAI', 8),
  BFL_API_KEY: Optional('API key of Black Forest Labs.'),
  BFL_BASE_URL: BaseUrl('Base URL of Black Forest Labs, without /v1.', 'https://api.bfl.ai'),
  BFL_RESULT_ORIGINS: ResultOrigins('Black Forest Labs'),
  BFL_MODEL: Text('Model of Black Forest Labs.', 'flux-2-pro'),
  BFL_CONCURRENCY: Places('Black Forest Labs', 24),
  REPLICATE_API_TOKEN: Optional('API token of Replicate.'),
  REPLICATE_BASE_URL: BaseUrl('Base URL of Replicate, without /v1.', 'https://api.replicate.com'),
  REPLICATE_RESULT_ORIGINS: ResultOrigins('Replicate'),
  REPLICATE_MODEL: Type.String({
    pattern: '^[^/:]+/[^/:]+(:[^/:]+)?$',
    expected: 'owner/name or owner/name:version',
    description: 'owner/name or owner/name:version at Replicate.',
    default: 'black-forest-labs/flux-2-pro',
  }),
  REPLICATE_IMAGE_FIELD: Text(
    "Field of the model's input that takes the image; with [] it takes a list.",
    'input_images[]',
  ),
  REPLICATE_INPUT: JsonObject(
    "JSON with further fields of the model's input; {{width}} and {{height}} are placeholders.",
    '{"aspect_ratio":"match_input_image","output_format":"jpg"}',
  ),
  REPLICATE_CONCURRENCY: Places('Replicate', 16),
  FAL_KEY: Optional('API key of fal.'),
  FAL_BASE_URL: BaseUrl('Base URL of the queue of fal.', 'https://queue.fal.run'),
  FAL_RESULT_ORIGINS: ResultOrigins('fal'),
  FAL_MODEL: Text('Model of fal.', 'fal-ai/flux-2-pro/edit'),
  FAL_IMAGE_FIELD: Text(
    "Field of the model's input that takes the image; with [] it takes a list.",
    'image_urls[]',
  ),
  FAL_INPUT: JsonObject(
    "JSON with further fields of the model's input; {{width}} and {{height}} are placeholders.",
    '{"output_format":"jpeg"}',
  ),
  FAL_CONCURRENCY: Places('fal', 8),
  COMFYUI_BASE_URL: BaseUrl('Base URL of the ComfyUI server, for instance http://comfyui:8188.'),
  COMFYUI_GRAPH: Optional("JSON file with the graph in ComfyUI's API format and its placeholders."),
  COMFYUI_OUTPUT_NODE: Optional(
    'Id of the node whose image is the result; empty uses the first SaveImage node.',
  ),
  COMFYUI_CONCURRENCY: Places('ComfyUI', 2),
} as const;

const Environment = Type.Object(GENERATOR_ENVIRONMENT);
export type GeneratorEnvironment = Static<typeof Environment>;

/** Every generator that is named, each once. */
export function usedIn(env: Partial<GeneratorEnvironment>): GeneratorName[] {
  const lists = [env.GENERATORS, ...Object.values(ORDER_OF_GROUP).map((variable) => env[variable])];
  return [...new Set(lists.flatMap((names) => generatorsIn(names)))];
}

/** The generators of a list, without names that are unknown. */
export const generatorsIn = (names?: string): GeneratorName[] => entriesOf(names).filter(isKnown);

export const isKnown = (name: string): name is GeneratorName =>
  (GENERATOR_NAMES as readonly string[]).includes(name);
