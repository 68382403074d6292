import { isGrpcServiceError, ServiceError } from '@temporalio/client';
import { CommanderError } from 'commander';
import { MongoNetworkError, MongoServerSelectionError } from 'mongodb';

/** grpc.status: DEADLINE_EXCEEDED and UNAVAILABLE. */
const UNREACHABLE: ReadonlySet<number> = new Set([4, 14]);

/** A command could not be carried out; the message is shown to the operator. */
export class CommandFailed extends Error {
  override readonly name = 'Failure';
}

/** A message for any error of a command, without a stack. */
export function sentenceOf(error: unknown): string {
  if (error instanceof CommanderError) return sentence(error.message.replace(/^error: /, ''));
  const message = messageOf(error);
  if (error instanceof MongoServerSelectionError || error instanceof MongoNetworkError)
    return unreachable('MongoDB', message, 'MONGODB_URL');
  if (isUnreachableTemporal(error)) return unreachable('Temporal', message, 'TEMPORAL_ADDRESS');
  return message;
}

const unreachable = (server: string, message: string, variable: string) =>
  `${server} could not be reached: ${message.replace(/\.$/, '')}. ` +
  `Start the service with \`npm start\`, or check ${variable}.`;

/** A failed call of Temporal's client, whose own error only names the operation. */
function isUnreachableTemporal(error: unknown): boolean {
  const cause = error instanceof ServiceError ? error.cause : error;
  return isGrpcServiceError(cause) && UNREACHABLE.has(cause.code);
}

function messageOf(error: unknown): string {
  // When several addresses fail to connect, the AggregateError has no message of its own.
  if (error instanceof AggregateError && error.message === '') return messageOf(error.errors[0]);
  if (error instanceof ServiceError && isGrpcServiceError(error.cause)) return error.cause.details;
  return error instanceof Error && error.message !== '' ? error.message : String(error);
}

/** The parser's "option '--x' argument missing" as a sentence. */
function sentence(text: string): string {
  const line = text.trim().replaceAll('\n', ' ');
  return `${line.charAt(0).toUpperCase()}${line.slice(1)}${/[.?)]$/.test(line) ? '' : '.'}`;
}
