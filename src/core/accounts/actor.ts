// The actor of a change: who made it and from where, as the audit log keeps it.

export type ActorKind = 'key' | 'administrator' | 'system';

export interface Actor {
  kind: ActorKind;
  /** `key_…` or `adm_…`; `bootstrap` for the token of RAMZ_ADMIN_TOKEN, `cli` for the command line; empty for the system. */
  id: string;
  /** The key's or administrator's name, the user of the command line, or what the system did it for. */
  name: string;
  /** Who uses the key, where it is one of a person. */
  person?: string;
  /** The caller's address; on the command line the machine's name, empty where nobody called. */
  address: string;
  /** `req_…`; empty where nobody called. */
  requestId: string;
}

/** The administrator whose token is RAMZ_ADMIN_TOKEN. */
export const bootstrapId = 'bootstrap';

/** The user of the machine that the command line runs on. */
export const cliId = 'cli';

/** In place of an administrator's id, where an account sees who did something for it. */
export const operatorId = 'operator';

/** Its own keys by their ids; an administrator and the command line are the operator of the service. */
export const shownToAccount = (actorId: string | null): string | null =>
  actorId === null || actorId.startsWith('key_') ? actorId : operatorId;

/** For changes that no key and no administrator makes. `name`: what makes them, `address`: of the browser behind it. */
export const systemActor = (name: string, address = ''): Actor => ({
  kind: 'system',
  id: '',
  name,
  address,
  requestId: '',
});
