import { code, escaped } from '../lib/domain/markdown.ts';
import type { JobInput } from '../lib/protocol/job.ts';
import type { RenderResult } from '../lib/protocol/render.ts';

/** What a job's current details show, in the Markdown of the Temporal UI, which has no tables. */
export interface Shown {
  headline: string;
  /** A list of facts, after those of the job. */
  facts?: readonly string[];
}

export function jobDetails({ draft, accountName }: JobInput, { headline, facts = [] }: Shown): string {
  const { accountId, jobId, tool, imagesCharged } = draft;
  const lines = [
    `account: ${escaped(accountName)} \`${accountId}\``,
    `job: \`${jobId}\`, ${tool}`,
    `charge: ${imagesCharged} ${imagesCharged === 1 ? 'image' : 'images'}`,
    ...facts,
  ];
  return `**${headline}**\n\n${lines.map((line) => `- ${line}`).join('\n')}`;
}

/** How the result was made, and links to it. */
export function resultFacts(result: RenderResult, urls: readonly string[] | undefined): string[] {
  const links = urls?.map(link) ?? result.results.map(({ key }) => code(key));
  return [...workFacts(result, callOf(result)), `result: ${links.join(', ')}`];
}

interface Work {
  generator?: string | undefined;
  attempts?: number | undefined;
}

/** Which generator worked on the image, and how often. */
export const workFacts = ({ generator, attempts }: Work, call = ''): string[] => [
  ...(generator === undefined ? [] : [`generator: ${escaped(generator)}${call}`]),
  ...(attempts === undefined ? [] : [`attempts: ${attempts}`]),
];

/** A link that shows its URL. In this form no character of a URL has another meaning. */
export const link = (url: string) => (url === '' ? 'nowhere' : `<${url}>`);

/** The upstream's call that made the image; nothing for a local generator. */
function callOf({ calls = [] }: RenderResult): string {
  const call = calls.find(({ outcome }) => outcome === 'completed');
  if (call === undefined) return '';
  const { model, upstreamId, seconds, costUsd } = call;
  const cost = costUsd === null ? '' : `, $${costUsd.toFixed(3)}`;
  return ` ${code(model)}${upstreamId === null ? '' : ` ${code(upstreamId)}`} in ${seconds} s${cost}`;
}
