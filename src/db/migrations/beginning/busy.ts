// The storage of small tables whose rows come and go all the time.

import { sql } from 'kysely';

/** Room for updates on the page of the row (HOT), and a vacuum after so many rows, however large the table once was. */
export const busy = sql`with (fillfactor = 75, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000)`;
