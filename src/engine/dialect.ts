// The dialect of this release: what its processes say to each other, in one short word that changes with every field of a session. During
// an upgrade two releases share the database, and processes that differ in it do not talk: neither could read what the other says.

import { createHash } from 'node:crypto';
import { message, receipt, session } from '../db/verify/records.ts';

/** Raised where what a verb means changes and no field does. */
const edition = 3;

const fields = [session, message, receipt].map(({ names }) => names);

export const dialect = createHash('sha256')
  .update(JSON.stringify([edition, fields]))
  .digest('hex')
  .slice(0, 16);
