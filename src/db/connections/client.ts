// A connection: to whichever host is asked at the moment, with prepared statements named after their text.

import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import pg from 'pg';
import { alarm } from '../../time/alarm.ts';
import type { Hosts } from './hosts.ts';

/** Beyond this many texts (lists of varying length written out as `$1, $2, …`) a statement stays unnamed. */
const maxNames = 1000;

const names = new Map<string, string>();

/**
 * Of a statement that is prepared Postgres fixes the columns of the result. Once a newer release has added one to the table, it refuses such a text
 * ("cached plan must not change result type"), and the call fails. What names its columns goes on.
 */
const everyColumn = /(?:\b(?:select|returning|distinct) |[\w"]\.)\*/i;

/**
 * A pg client that prepares each statement once per connection, under a name made from its text. Kysely never names statements; unnamed
 * ones are parsed and planned at every call.
 */
class NamingClient extends pg.Client {
  // The signature pg-pool and Kysely call with; pg's own has a dozen overloads.
  // biome-ignore lint/suspicious/noExplicitAny: passes on whatever pg's overloads take and give.
  override query(query: any, values?: any, callback?: any): any {
    // Without parameters (begin, commit, migrations) the simple protocol saves a round trip and takes several statements.
    const nameable =
      typeof query === 'string' && Array.isArray(values) && values.length > 0 && !everyColumn.test(query);
    const name = nameable ? statementName(query) : undefined;
    return super.query(name === undefined ? query : { name, text: query }, values, callback);
  }
}

/** 43 characters that tell texts apart. */
export const hashOfText = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** The statement's name (≤ 63 bytes, Postgres' limit for names), or undefined when too many are in use. */
function statementName(text: string): string | undefined {
  let name = names.get(text);
  if (name === undefined && names.size < maxNames) {
    name = hashOfText(text);
    names.set(text, name);
  }
  return name;
}

/** What the server is given to close its end, ms. */
const farewellMs = 2_000;

type Connected = (error: Error | null) => void;

/** What pg has and its types don't. */
interface Wire {
  connection: NodeJS.EventEmitter & { stream: Socket };
  connectionParameters: { options: string | undefined };
}

/**
 * The class of the clients of these hosts. One that can't connect passes its host over, for the next to ask another; so does one whose
 * host turns out to take no changes any more, and closes.
 * @param hostTimeoutMs a host that does not answer is given so long.
 */
export function clientOf(hosts: Hosts, hostTimeoutMs: number) {
  return class HostClient extends NamingClient {
    readonly hostUrl: string;

    constructor(config: pg.ClientConfig = {}) {
      const connectionString = hosts.current;
      super({ ...config, connectionString, connectionTimeoutMillis: hostTimeoutMs });
      this.hostUrl = connectionString;
      // pg would send PGOPTIONS with the connection; they are applied with the other settings.
      (this as unknown as Wire).connectionParameters.options = undefined;
    }

    override connect(): Promise<this>;
    override connect(done: Connected): void;
    override connect(done?: Connected): Promise<this> | undefined {
      if (!done) {
        return new Promise((resolve, reject) => this.connect((error) => (error ? reject(error) : resolve(this))));
      }
      super.connect((error: Error | null) => {
        if (error) hosts.passOver(this.hostUrl);
        else this.#leaveWhenReadOnly();
        done(error);
      });
    }

    override end(): Promise<void>;
    override end(done: () => void): void;
    override end(done?: () => void): Promise<void> | undefined {
      // The socket waits for a server that has fallen silent, and the process, which is to end, for the socket.
      alarm(() => (this as unknown as Wire).connection.stream.destroy(), farewellMs, { ref: false });
      return done ? void super.end(done) : super.end();
    }

    /** Also where there is no other host: the session may have got its default from a setting of the database or the role that has changed since. */
    #leaveWhenReadOnly(): void {
      (this as unknown as Wire).connection.on('errorMessage', ({ code }: { code?: string }) => {
        if (code !== '25006') return;
        hosts.passOver(this.hostUrl);
        this.end().catch(() => {});
      });
    }
  };
}
