import { randomUUID } from 'node:crypto';
import { markOf, readMark } from '../../lib/domain/installation.ts';
import type { ObjectRef } from '../../lib/domain/records.ts';
import type { ImageStore } from '../../lib/stores/image-store.ts';
import type { Stores } from '../../lib/stores/stores.ts';
import { CommandFailed } from '../errors.ts';

const BUCKETS = ['inputs', 'results'] as const;
type Bucket = ObjectRef['bucket'];

/** Objects of a bucket without a mark that are looked up in MongoDB. */
const SAMPLE = 1000;

export interface IdentifyDeps {
  stores: Pick<Stores, 'retention' | 'settings'>;
  images: Pick<ImageStore, 'list' | 'mark' | 'setMark'>;
  /** Names of the buckets, for messages. */
  names: Record<Bucket, string>;
  /**
   * The installation id that MongoDB and both buckets shall have from now on. It must be that of
   * one of them.
   */
  adopt?: string | undefined;
}

/**
 * Makes MongoDB and both buckets carry one installation id. A bucket without a mark gets it only if
 * its content fits MongoDB's. Idempotent, also when run concurrently.
 * @throws CommandFailed that says what to do, before anything is changed, if they do not belong
 * together
 */
export async function identifyBuckets(deps: IdentifyDeps): Promise<void> {
  const { stores, images, names, adopt } = deps;
  const marks = { inputs: await images.mark('inputs'), results: await images.mark('results') };
  assertRoles(marks, names);
  const marked = BUCKETS.filter((bucket) => marks[bucket] !== undefined);
  const idOf = (bucket: Bucket) => readMark(marks[bucket] ?? '').installation;
  if (adopt !== undefined) return adoptId(deps, adopt, marked.map(idOf));

  const stored = await stores.settings.installation();
  const foreign = marked.filter((bucket) => idOf(bucket) !== stored);
  if (foreign.length > 0)
    throw doNotBelong(
      stored,
      foreign.map((bucket) => [names[bucket], idOf(bucket)]),
    );
  const id = stored ?? (await stores.settings.claimInstallation(randomUUID()));
  const unmarked = BUCKETS.filter((bucket) => marks[bucket] === undefined);
  const isKnown = stored !== undefined;
  for (const bucket of unmarked) await assertFits(deps, bucket, { id, isKnown });
  for (const bucket of unmarked) await images.setMark(bucket, markOf(id, bucket));
}

/** Exchanged buckets would make inputs public. No option may override this check. */
function assertRoles(marks: Record<Bucket, string | undefined>, names: Record<Bucket, string>): void {
  const settings = 'S3_INPUTS_BUCKET and S3_RESULTS_BUCKET';
  if (names.inputs === names.results) throw new CommandFailed(`${settings} name the same bucket. Use two.`);
  for (const bucket of BUCKETS) {
    const mark = marks[bucket];
    if (mark === undefined || readMark(mark).bucket === bucket) continue;
    throw new CommandFailed(
      `The bucket ${names[bucket]} is not one of ${bucket}: its object .installation has the text ` +
        `${JSON.stringify(mark.slice(0, 60))}. Nothing was changed. Check ${settings}.`,
    );
  }
}

async function adoptId(
  { stores, images }: IdentifyDeps,
  id: string,
  marked: readonly string[],
): Promise<void> {
  const stored = await stores.settings.installation();
  const found = [...new Set([...(stored === undefined ? [] : [stored]), ...marked])];
  if (!found.includes(id))
    throw new CommandFailed(
      `Neither MongoDB nor a bucket belongs to installation ${id}. Found: ${found.join(', ') || 'none'}.`,
    );
  await stores.settings.setInstallation(id);
  for (const bucket of BUCKETS) await images.setMark(bucket, markOf(id, bucket));
}

function doNotBelong(
  stored: string | undefined,
  buckets: readonly (readonly [string, string])[],
): CommandFailed {
  const [first] = buckets;
  const theirs = buckets.map(([name, id]) => `the bucket ${name} to installation ${id}`).join(', ');
  const own = stored === undefined ? 'to none' : `to installation ${stored}`;
  return new CommandFailed(
    `MongoDB belongs ${own}, ${theirs}. Nothing was changed. Check MONGODB_URL, MONGODB_DATABASE and the names of the ` +
      `buckets. If they belong together, for instance after a restore, run \`operator setup --adopt ${first?.[1]}\`; ` +
      'docs/backup.md says when.',
  );
}

/**
 * A new bucket has no mark, and a mark may get lost.
 * @param installation `isKnown` if an earlier set-up has marked the buckets that MongoDB had then
 */
async function assertFits(
  { stores, images, names }: IdentifyDeps,
  bucket: Bucket,
  { id, isKnown }: { id: string; isKnown: boolean },
): Promise<void> {
  const { found, next } = await images.list(bucket, undefined, SAMPLE);
  const isEmpty = found.length === 0 && next === undefined;
  const unowned = await stores.retention.unowned(found.map(({ key }) => ({ bucket, key })));
  const isLost = isEmpty && isKnown && (await stores.retention.hasImages(bucket));
  const fits = isEmpty ? !isLost : unowned.length < found.length;
  if (fits) return;
  const why = isEmpty
    ? 'is empty, but jobs in MongoDB have images in it'
    : 'has objects, but none of those looked at belongs to a job in MongoDB';
  throw new CommandFailed(
    `The bucket ${names[bucket]} ${why}. It was not changed. Check MONGODB_URL, MONGODB_DATABASE and the names of the ` +
      `buckets. If they belong together, for instance after a loss, run \`operator setup --adopt ${id}\`; ` +
      'docs/backup.md says when.',
  );
}
