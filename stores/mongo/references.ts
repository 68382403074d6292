import type { ClientSession } from 'mongodb';
import { type Asked, expectSame } from '../reference.ts';
import { isDuplicateKey, type Mongo } from './client.ts';
import type { Collections, ReferenceDocument } from './documents.ts';

/** A command and the name its caller gave it, if any. */
export interface Referenced {
  command: 'account' | 'key' | 'pack' | 'pack-refund';
  /** References of one account say nothing of another's; '' for what belongs to none yet. */
  accountId: string;
  reference: string | null | undefined;
  asked: Asked;
}

/** What the command came to; `repeated` when that was an earlier time. */
export type Once<T> = T & { repeated?: true };

/**
 * Does the work of a command in a transaction which also notes its reference and its result: the next time, and for
 * whoever comes at the same moment, that result is answered and nothing is done. The result must hold no secret.
 * @throws Refused when the reference was used with other arguments
 */
export async function once<T extends object>(
  mongo: Mongo,
  { references }: Pick<Collections, 'references'>,
  { command, accountId, reference, asked }: Referenced,
  work: (session: ClientSession) => Promise<T>,
): Promise<Once<T>> {
  if (reference === null || reference === undefined) return mongo.transaction(work);
  const _id = `${command}:${accountId}:${reference}`;
  const answerOf = (first: ReferenceDocument): Once<T> => {
    expectSame(reference, first.asked, asked);
    return { ...(first.result as T), repeated: true };
  };
  try {
    return await mongo.transaction(async (session) => {
      const first = await references.findOne({ _id }, { session });
      if (first !== null) return answerOf(first);
      const result = await work(session);
      await references.insertOne({ _id, asked, result, at: new Date() }, { session });
      return result;
    });
  } catch (error) {
    const first = isDuplicateKey(error) ? await references.findOne({ _id }) : null;
    if (first === null) throw error;
    return answerOf(first);
  }
}
