// Autofill requests: the app hash of Android's SMS Retriever and the host of WebOTP, by which a phone fills the code in by itself.
// They are checked here, before a message is planned; their line in the text is made in text.ts.

/** The request of a send: at most one of the two, because each must be the message's last line. */
export type AutofillRequest =
  | { kind: 'none' }
  | { kind: 'android'; appHash: string }
  | { kind: 'web'; host: string }
  | { kind: 'invalid'; field: 'android_app_hash' | 'web_origin'; reason: AutofillRefusal };

export type AutofillRefusal = 'not_an_app_hash' | 'not_an_https_origin' | 'host_too_long' | 'only_one_of_both';

/** The longest host that leaves room for a code of ten digits and the word "code" in one Arabic segment of 70. */
export const maxWebHostLength = 38;

/** Empty and absent fields are the same: nothing asked for. */
export function parseAutofill(asked: { androidAppHash?: string; webOrigin?: string }): AutofillRequest {
  const { androidAppHash = '', webOrigin = '' } = asked;
  if (androidAppHash && webOrigin) return { kind: 'invalid', field: 'web_origin', reason: 'only_one_of_both' };
  if (androidAppHash) {
    return isAndroidAppHash(androidAppHash)
      ? { kind: 'android', appHash: androidAppHash }
      : { kind: 'invalid', field: 'android_app_hash', reason: 'not_an_app_hash' };
  }
  if (!webOrigin) return { kind: 'none' };
  const host = webHost(webOrigin);
  if (host === undefined) return { kind: 'invalid', field: 'web_origin', reason: 'not_an_https_origin' };
  if (host.length > maxWebHostLength) return { kind: 'invalid', field: 'web_origin', reason: 'host_too_long' };
  return { kind: 'web', host };
}

/** Eleven base64 characters: the first 66 bits of a hash over package name and signing certificate. */
const isAndroidAppHash = (text: string): boolean => /^[A-Za-z0-9+/]{11}$/.test(text);

const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const hostName = new RegExp(`^(?=.{4,253}$)(?:${label}\\.)+(?!\\d+$)${label}$`);

/**
 * The host of a web origin: `https://shop.example` or just `shop.example`, lowercased. WebOTP is for https only, and its
 * line has no place for a port or a path. International names in punycode, so that the line stays in the SMS alphabet.
 */
export function webHost(origin: string): string | undefined {
  const host = origin.toLowerCase().replace(/^https:\/\//, '');
  return hostName.test(host) ? host : undefined;
}

/** A site or an app that an account has registered. */
export interface AutofillValue {
  /** An origin in the form in which it is compared, or an app's hash: no text is both. */
  value: string;
  /** Of an app; null with an origin. */
  packageName: string | null;
}

export type AutofillStatus = 'pending' | 'approved';

/** The request in the form in which it must be registered; undefined where there is none, or an invalid one. */
export function registrable(
  asked: AutofillRequest,
): { field: 'android_app_hash' | 'web_origin'; value: string } | undefined {
  if (asked.kind === 'android') return { field: 'android_app_hash', value: asked.appHash };
  if (asked.kind === 'web') return { field: 'web_origin', value: originOf(asked.host) };
  return undefined;
}

export const originOf = (host: string): string => `https://${host}`;
