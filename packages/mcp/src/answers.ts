import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { ImageJobError } from 'image-job/node';

/** A value of the service, as text and as data: assistants read one or the other. */
export function answerOf(value: object): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: { ...value } };
}

export function errorOf(text: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text }] };
}

/** The answer of `run`, or its error in words that let an assistant correct its call. */
export async function answering(run: () => Promise<CallToolResult>): Promise<CallToolResult> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof ImageJobError) return errorOf(`${error.code}: ${error.message}`);
    return errorOf(error instanceof Error ? error.message : String(error));
  }
}
