// The actor of a change: who made it and from where, as the audit log keeps it.

export type ActorKind = 'key' | 'administrator' | 'system';

export interface Actor {
  kind: ActorKind;
  /** `key_…` or `adm_…`; `bootstrap` for the token of RAMZ_ADMIN_TOKEN, `cli` for the command line; empty for the system. */
  id: string;
  /** The key's or administrator's name, the user of the command line, or what the system did it for. */
  name: string;
  /** The caller's address; on the command line the machine's name, empty where nobody called. */
  address: string;
  /** `req_…`; empty where nobody called. */
  requestId: string;
}

/** The administrator whose token is RAMZ_ADMIN_TOKEN. */
export const bootstrapId = 'bootstrap';

/** The user of the machine that the command line runs on. */
export const cliId = 'cli';

/** For changes that no key and no administrator makes. `name`: what makes them, `address`: of the browser behind it. */
export const systemActor = (name: string, address = ''): Actor => ({
  kind: 'system',
  id: '',
  name,
  address,
  requestId: '',
});
