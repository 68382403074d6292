import { type Static, type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';
import { runCommand } from '../process/command.ts';
import { entryPoint } from './project.ts';

const ErrorOutput = Type.Object({ error: Type.Object({ message: Type.String() }) });

type Options = { env: NodeJS.ProcessEnv; signal: AbortSignal };

/**
 * Runs one of the operator's commands and resolves to its JSON output, checked against a schema.
 * @throws {Error} with the command and its error message, or the end of its output
 */
export async function operate<T extends TSchema>(
  schema: T,
  args: readonly string[],
  options: Options,
): Promise<Static<T>> {
  const { command, args: nodeArgs, cwd } = entryPoint('operator/main', [...args, '--json']);
  try {
    const output = await runCommand(command, nodeArgs, { ...options, cwd });
    return Value.Parse(schema, JSON.parse(output));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`operator ${args.join(' ')} failed: ${messageIn(reason)}`, { cause });
  }
}

/** A command that fails writes its error message as JSON in the last line. */
function messageIn(reason: string): string {
  const start = reason.lastIndexOf('{"error":');
  try {
    return start < 0 ? reason : Value.Parse(ErrorOutput, JSON.parse(reason.slice(start))).error.message;
  } catch {
    return reason;
  }
}
