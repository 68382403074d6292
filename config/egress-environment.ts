import { type Static, Type } from 'typebox';
import { listOf } from './list.ts';
import { originOf } from './origins.ts';
import { Optional } from './variables.ts';

/** Environment variables of outgoing HTTP. */
export const EGRESS_ENVIRONMENT = {
  EGRESS_ALLOW_ORIGINS: Optional(
    'Comma-separated exact origins allowed in addition to public https. For tests and demos.',
  ),
};

const Egress = Type.Object(EGRESS_ENVIRONMENT);

/** Origins as `URL.origin` writes them, which is how they are compared. */
export const groupEgress = ({ EGRESS_ALLOW_ORIGINS }: Static<typeof Egress>) =>
  Object.freeze({
    allowOrigins: Object.freeze(listOf(EGRESS_ALLOW_ORIGINS).flatMap((entry) => originOf(entry) ?? [])),
  });
