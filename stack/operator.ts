import { type Static, type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';
import { entryPoint } from './project.ts';
import { runCommand } from './run/command.ts';

const Told = Type.Object({ error: Type.Object({ message: Type.String() }) });

type Options = { env: NodeJS.ProcessEnv; signal: AbortSignal };

/**
 * Runs one of the operator's commands and resolves to what it printed as JSON, held to a schema.
 * @throws {Error} that names the command and holds its sentence, or else the end of what it wrote.
 */
export async function operate<T extends TSchema>(
  schema: T,
  args: readonly string[],
  options: Options,
): Promise<Static<T>> {
  const { command, args: all, cwd } = entryPoint('operator/main', [...args, '--json']);
  try {
    const output = await runCommand(command, all, { ...options, cwd });
    return Value.Parse(schema, JSON.parse(output));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`operator ${args.join(' ')} failed: ${sentenceIn(reason)}`, { cause });
  }
}

/** The last line an operator's command writes when it fails is its sentence as JSON. */
function sentenceIn(reason: string): string {
  const start = reason.lastIndexOf('{"error":');
  try {
    return start < 0 ? reason : Value.Parse(Told, JSON.parse(reason.slice(start))).error.message;
  } catch {
    return reason;
  }
}
