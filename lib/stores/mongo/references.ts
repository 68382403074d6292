import type { ClientSession } from 'mongodb';
import { type CommandArguments, type CommandReference, expectSame } from '../../domain/commands.ts';
import { isDuplicateKey, type Mongo } from './client.ts';
import type { Collections, ReferenceDocument } from './documents.ts';

/** A command, with the idempotency reference of its caller, if any. */
export interface Referenced {
  command: 'account' | 'credit' | 'key' | 'pack' | 'pack-refund';
  /** The scope of the reference; '' for commands that create an account. */
  accountId: string;
  reference: CommandReference | undefined;
  asked: CommandArguments;
}

const idOf = ({ command, accountId, reference }: Omit<Referenced, 'asked'>) =>
  `${command}:${accountId}:${reference}`;

/** The result of the command that used the reference; undefined if none did. */
export async function resultOf(
  { references }: Pick<Collections, 'references'>,
  command: Omit<Referenced, 'asked'>,
): Promise<unknown> {
  return (await references.findOne({ _id: idOf(command) }))?.result;
}

/** The result of the command; `repeated` if it is that of an earlier call. */
export type Once<T> = T & { repeated?: true };

/**
 * Runs a command in a transaction that also stores its reference and result. A repeated or
 * concurrent call with the same reference returns that result and changes nothing. The result must
 * not contain a secret.
 * @throws Refused if the reference was first used with other arguments
 */
export async function runReferenced<T extends object>(
  mongo: Mongo,
  { references }: Pick<Collections, 'references'>,
  { command, accountId, reference, asked }: Referenced,
  work: (session: ClientSession) => Promise<T>,
): Promise<Once<T>> {
  if (reference === null || reference === undefined) return mongo.transaction(work);
  const _id = idOf({ command, accountId, reference });
  const repeat = (first: ReferenceDocument): Once<T> => {
    expectSame(reference, first.asked, asked);
    return { ...(first.result as T), repeated: true };
  };
  try {
    return await mongo.transaction(async (session) => {
      const first = await references.findOne({ _id }, { session });
      if (first !== null) return repeat(first);
      const result = await work(session);
      await references.insertOne({ _id, asked, result, at: new Date() }, { session });
      return result;
    });
  } catch (error) {
    const first = isDuplicateKey(error) ? await references.findOne({ _id }) : null;
    if (first === null) throw error;
    return repeat(first);
  }
}
