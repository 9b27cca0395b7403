// `ramz administrators`: lists, creates and revokes those who run the deployment. Straight on the database, so that the first of them can be made,
// and a stolen token revoked, without any token.

import { randomBytes } from 'node:crypto';
import { idSource } from '../core/ids.ts';
import { withSchema } from '../db/schema.ts';
import { requiredKeys } from '../db/secrets/required-keys.ts';
import { type Administrator, Administrators } from '../engine/accounts/administrators.ts';
import { adminScopeValues } from '../gen/values.ts';
import { cliActor } from './actor.ts';
import { exitCodeOf, expiryOf, Refusal, readWords, someOf } from './command.ts';
import { withDatabase } from './database.ts';

/** More than there may be that work. */
const listLimit = 1_000;

const usage = `usage: npm run ramz -- administrators <words>

  list [--revoked]
      administrators: their scopes, when their token expires, when it was last used
  create <name> [--scopes ${adminScopeValues.join(',')}] [--expires 2027-01-31]
      makes one; prints the token, which is shown only once
  revoke <administrator id>
      refuses the token everywhere within a second`;

export interface AdministratorsOptions {
  env: NodeJS.ProcessEnv;
  say(line: string): void;
}

/** Resolves with the exit code: 0 done, 1 refused, 2 not understood. */
export async function administrators(args: readonly string[], { env, say }: AdministratorsOptions): Promise<number> {
  return exitCodeOf({ args, usage, say }, async () => {
    const words = read(args);
    await withDatabase(env, 'ramz administrators', async ({ config, database, cells }) => {
      const ring = config.server.keyRing;
      // A token made with another ring would be refused by every running process.
      const databases = { home: database.lanes, cells: cells.map(({ lanes }) => lanes) };
      const keys = await requiredKeys(databases, ring);
      if (words.verb === 'create' && keys.kind === 'missing') throw new Refusal(keys.reason, 1);
      const room = new Administrators({
        db: withSchema(database.db),
        ring,
        now: Date.now,
        ids: idSource({ now: Date.now, randomBytes }),
        prefixes: { livePrefix: config.server.liveKeyPrefix, testPrefix: config.server.testKeyPrefix },
        settings: { operators: [], hasAdminToken: config.server.adminTokenHash !== null },
      });
      await run(words, room, say);
    });
  });
}

type Words = ReturnType<typeof read>;

/** @throws Refusal */
function read(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const options = { revoked: { type: 'boolean' }, scopes: text, expires: text } as const;
  const { values, words } = readWords({ args, usage }, options, 1, 2);
  const [verb = '', word = ''] = words.map((each) => each.trim());
  const count = { list: 1, create: 2, revoke: 2 }[verb];
  if (words.length !== count || (verb !== 'list' && word === '')) throw new Refusal(usage, 2);
  return { verb, word, ...values };
}

async function run(words: Words, room: Administrators, say: (line: string) => void): Promise<void> {
  switch (words.verb) {
    case 'create': {
      const scopes = someOf('--scopes', words.scopes, adminScopeValues);
      const request = { name: words.word, scopes, expiresAt: expiryOf(words.expires, Date.now()) };
      const made = await room.create(request, cliActor());
      if (made.kind === 'too_many') throw new Refusal(`there are ${made.most} working administrators already`, 1);
      if (made.kind === 'maker_revoked') throw new Error('the command line is no administrator who could be revoked');
      say(`administrator  ${made.administrator.id}`);
      say(`token          ${made.token}`);
      say('The token is not shown again.');
      return;
    }
    case 'revoke': {
      const outcome = await room.revoke(words.word, cliActor());
      if (outcome.kind === 'not_found') throw new Refusal(`no administrator ${words.word}: an id begins with adm_`, 1);
      if (outcome.kind === 'last_administrator')
        throw new Refusal(
          'it is the last with the scope administrators: create another one first, or set RAMZ_ADMIN_TOKEN',
          1,
        );
      say(describe(outcome.administrator));
      return;
    }
    default: {
      const page = { limit: listLimit, before: null, includeRevoked: words.revoked ?? false };
      const listed = await room.list(page);
      if (listed.length === 0) say('there is no administrator');
      for (const row of listed) say(describe(row));
    }
  }
}

function describe({ id, hint, name, scopes, expires_at, last_used_at, revoked_at, created_by }: Administrator): string {
  const ends = revoked_at ? `revoked ${revoked_at.toISOString()}` : `expires ${expires_at?.toISOString() ?? 'never'}`;
  const used = `last used ${last_used_at?.toISOString() ?? 'never'}`;
  return [id, hint, scopes.join(','), ends, used, name, `made by ${created_by}`].join('  ');
}
