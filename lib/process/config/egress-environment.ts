import { type Static, Type } from 'typebox';
import { originsOf } from './origins.ts';
import { Optional } from './variables.ts';

/** Environment variables of outgoing HTTP. */
export const EGRESS_ENVIRONMENT = {
  EGRESS_ALLOW_ORIGINS: Optional(
    'Comma-separated exact origins allowed in addition to public https. For tests and demos.',
  ),
};

const Egress = Type.Object(EGRESS_ENVIRONMENT);

export const groupEgress = ({ EGRESS_ALLOW_ORIGINS }: Static<typeof Egress>) =>
  Object.freeze({
    allowOrigins: originsOf(EGRESS_ALLOW_ORIGINS),
  });
