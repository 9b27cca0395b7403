// The platform's error codes, told in an answer or in a status: what each means for the message and for the channel.
// Source: "Error codes" of the WhatsApp Business Platform, and "Handle errors" of the Graph API.

/**
 * `move_on`: this phone can't be reached this way now. `slow_down`: asked too fast. `trouble`: a fault of theirs that passes.
 * `channel_down`: they refuse us, whoever the message is for; somebody must look. `configuration`: they can't use what we
 * are set up to send. `other`: refused, for a reason we have no rule for.
 */
export type ErrorMeaning = 'move_on' | 'slow_down' | 'trouble' | 'channel_down' | 'configuration' | 'other';

const meanings: ReadonlyMap<number, ErrorMeaning> = new Map<number, ErrorMeaning>([
  [131026, 'move_on'], // undeliverable: not on the app, an old version, terms not accepted
  [131049, 'move_on'], // not delivered, for the sake of the recipient's peace
  [130472, 'move_on'], // the recipient is part of an experiment
  [131062, 'move_on'], // the recipient is known by an id of theirs only, not by a number
  [131021, 'move_on'], // the recipient is the sender
  [130497, 'move_on'], // not allowed to that country
  [130429, 'slow_down'], // throughput of the number
  [131056, 'slow_down'], // too many to this phone from this number
  [80007, 'slow_down'], // calls of the business account
  [4, 'slow_down'], // calls of the app
  [131048, 'slow_down'], // limited because of complaints
  [131000, 'trouble'], // something went wrong
  [131016, 'trouble'], // service unavailable
  [131057, 'trouble'], // account in maintenance
  [1, 'trouble'], // unknown
  [2, 'trouble'], // service away
  [0, 'channel_down'], // the token does not authenticate
  [190, 'channel_down'], // the token has expired or was withdrawn
  [3, 'channel_down'], // no such capability
  [10, 'channel_down'], // permission missing or withdrawn
  [368, 'channel_down'], // blocked for breaking rules
  [131005, 'channel_down'], // access denied
  [131031, 'channel_down'], // account locked
  [131042, 'channel_down'], // a matter of payment
  [133010, 'channel_down'], // number not registered
  [100, 'configuration'], // parameter wrong, or no such phone number id
  [33, 'configuration'], // parameter wrong, or no such phone number id
  [131008, 'configuration'], // parameter missing
  [131009, 'configuration'], // parameter wrong
  [132000, 'configuration'], // another number of parameters than the template's
  [132001, 'configuration'], // no such template in that language
  [132005, 'configuration'], // text too long with its parameters
  [132007, 'configuration'], // text against the rules
  [132012, 'configuration'], // parameters of another form than the template's
  [132015, 'configuration'], // template paused
  [132016, 'configuration'], // template disabled
]);

export function errorMeaning(code: number): ErrorMeaning {
  if (code >= 200 && code <= 299) return 'channel_down'; // permissions, as 10
  return meanings.get(code) ?? 'other';
}

/** The one code that says the number has no account that could be reached. */
export const notOnApp = 131026;
/** Too many messages to one phone: the others may go on. */
export const pairLimit = 131056;
/** The token is not taken, and will not be: another one is needed. `code` as text, as refusals carry it. */
export const isTokenRefused = (code: string): boolean => code === '190' || code === '0';
