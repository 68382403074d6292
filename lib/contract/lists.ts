import { type Static, type TSchema, Type } from 'typebox';
import { LIMITS } from './limits.ts';
import { Job } from './schemas.ts';

/** A page of rows with this schema. */
export const List = <T extends TSchema>(data: T, title: string) =>
  Type.Object(
    {
      data: Type.Array(data, { description: 'The newest first.' }),
      has_more: Type.Boolean({
        description: 'Whether more follow: pass the id of the last one as `starting_after`.',
      }),
    },
    { title },
  );

/** A page of GET /v1/jobs. */
export const JobList = List(Job, 'JobList');
export type JobList = Static<typeof JobList>;

/** One change of the balance, as GET /v1/ledger returns it. */
export const LedgerEntry = Type.Object(
  {
    id: Type.String({ description: 'Names the cause, which is posted once.' }),
    at: Type.String({ format: 'date-time', description: 'When the balance changed.' }),
    kind: Type.Enum(['charge', 'refund', 'void', 'pack', 'pack-refund', 'grant', 'credit', 'forfeit'], {
      title: 'LedgerKind',
      type: 'string',
      description:
        '`charge`: a job was accepted. `refund`: it failed. `void`: its request was answered with 5xx. `pack`: images were bought. `pack-refund`: a pack was returned. `grant`: the free images. `credit`: images from the operator. `forfeit`: what was left when the account was closed. More kinds may be added.',
    }),
    images: Type.Integer({ description: 'What was added to the balance; negative when it was taken.' }),
    balance_after: Type.Integer({ minimum: 0, description: 'The balance after this change.' }),
    job_id: Type.Union([Type.String({ format: 'uuid' }), Type.Null()], {
      description: 'The job that was charged or refunded. It may be deleted.',
    }),
    pack_id: Type.Union([Type.String({ format: 'uuid' }), Type.Null()], {
      description: 'The pack that was bought or returned.',
    }),
  },
  { title: 'LedgerEntry' },
);
export type LedgerEntry = Static<typeof LedgerEntry>;

/** A page of GET /v1/ledger. */
export const LedgerList = List(LedgerEntry, 'LedgerList');
export type LedgerList = Static<typeof LedgerList>;

/**
 * The forms in which the header's key may be stored. Its bytes are read as Latin-1, and clients
 * send what is not ASCII as UTF-8 or as Latin-1.
 */
export const storedForms = (key: string): string[] => [
  ...new Set([key, Buffer.from(key, 'utf8').toString('latin1')]),
];

/** Query parameters of every list. */
export const PAGE = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LIMITS.listPage,
      description: `How many to return at most; ${LIMITS.listPageDefault} when left out.`,
    }),
  ),
  starting_after: Type.Optional(
    Type.String({
      maxLength: LIMITS.cursorLength,
      description: 'The id of the last one of the page before. It may have been deleted since.',
    }),
  ),
};
