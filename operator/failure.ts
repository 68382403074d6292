import { CommanderError } from 'commander';
import { MongoNetworkError, MongoServerSelectionError } from 'mongodb';

/** A command could not be carried out; the message is shown to the operator. */
export class Failure extends Error {
  override readonly name = 'Failure';
}

/** A message for any error of a command, without a stack. */
export function sentenceOf(error: unknown): string {
  if (error instanceof CommanderError) return sentence(error.message.replace(/^error: /, ''));
  const message = messageOf(error);
  if (error instanceof MongoServerSelectionError || error instanceof MongoNetworkError)
    return `MongoDB could not be reached: ${message}.`;
  return message;
}

function messageOf(error: unknown): string {
  // When several addresses fail to connect, the AggregateError has no message of its own.
  if (error instanceof AggregateError && error.message === '') return messageOf(error.errors[0]);
  return error instanceof Error && error.message !== '' ? error.message : String(error);
}

/** The parser's "option '--x' argument missing" as a sentence. */
function sentence(text: string): string {
  const line = text.trim().replaceAll('\n', ' ');
  return `${line.charAt(0).toUpperCase()}${line.slice(1)}${/[.?)]$/.test(line) ? '' : '.'}`;
}
