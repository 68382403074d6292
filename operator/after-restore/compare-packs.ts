import { open } from 'node:fs/promises';
import { NotFound, Refused } from '../../lib/domain/errors.ts';
import type { Stores } from '../../lib/stores/stores.ts';
import { imagesArgument, nameArgument } from '../arguments.ts';
import { CommandFailed } from '../errors.ts';

/** One line of the operator's list of paid packs. */
export interface Purchase {
  /** Id or reference of the account. */
  account: string;
  images: number;
  reference: string;
}

/** A purchase that MongoDB does not have. */
export interface PackFinding extends Purchase {
  /** Why it was not or cannot be added. */
  reason: string | null;
  done: boolean;
}

const COLUMNS = ['account', 'images', 'reference'] as const;

/**
 * Reads the list line by line: comma-separated values with the columns account, images and
 * reference, in this order. A first line with these names is skipped, and so are empty lines.
 * @throws CommandFailed that names the first line that cannot be read
 */
export async function* readPurchases(file: string): AsyncGenerator<Purchase> {
  await using handle = await open(file).catch((error) => {
    throw new CommandFailed(`The list of references cannot be read: ${error.message}`);
  });
  let line = 0;
  for await (const text of handle.readLines({ encoding: 'utf8' })) {
    line += 1;
    const where = `${file}:${line}`;
    const cells = cellsOf(line === 1 ? text.replace(/^\uFEFF/, '') : text, where);
    const isHead = line === 1 && cells.join() === COLUMNS.join();
    if (!isHead && text.trim() !== '') yield purchaseOf(cells, where);
  }
}

function purchaseOf(cells: readonly string[], where: string): Purchase {
  const [account = '', images = '', reference = ''] = cells;
  try {
    if (cells.length !== COLUMNS.length || account === '') throw new Error(`Expected ${COLUMNS.join(', ')}.`);
    return { account, images: imagesArgument(images), reference: nameArgument(reference) };
  } catch (error) {
    throw new CommandFailed(`${where}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/**
 * The cells of a line. A cell in double quotes may have commas and doubled quotes in it, but no
 * line break.
 */
function cellsOf(line: string, where: string): string[] {
  const cells = [''];
  let quoted = false;
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charAt(at);
    const isDoubled = quoted && character === '"' && line.charAt(at + 1) === '"';
    if (character === '"' && !isDoubled) quoted = !quoted;
    else if (character === ',' && !quoted) cells.push('');
    else cells[cells.length - 1] += character;
    if (isDoubled) at += 1;
  }
  if (quoted) throw new CommandFailed(`${where}: A double quote is not closed on its line.`);
  return cells.map((cell) => cell.trim());
}

/**
 * @returns undefined if MongoDB has the pack. With `apply` it is added under its reference, once.
 */
export async function comparePack(
  { accounts, packs }: Stores,
  purchase: Purchase,
  apply: boolean,
): Promise<PackFinding | undefined> {
  const { account, images, reference } = purchase;
  try {
    const accountId = (await accounts.findByReference(account)) ?? (await accounts.get(account)).id;
    const known = (await packs.list(accountId)).find((pack) => pack.reference === reference);
    if (known?.images === images) return undefined;
    if (known !== undefined)
      throw new Refused(`MongoDB has a pack of ${known.images} images with this reference.`);
    if (apply) await packs.add({ accountId, images, reference });
    return { ...purchase, reason: null, done: apply };
  } catch (error) {
    if (!(error instanceof NotFound || error instanceof Refused)) throw error;
    return { ...purchase, reason: error.message, done: false };
  }
}
