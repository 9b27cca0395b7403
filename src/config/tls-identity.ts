// The certificate and the key of a port, and the authorities that others' are checked by, tried before the start connects to anything. OpenSSL alone
// would name none of them.

import { X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import type { ConfigProblem } from './problem.ts';

/** PEM text of a certificate chain and its key. */
export interface TlsIdentity {
  cert: string;
  key: string;
}

/** What is wrong with it; the names are those of the variables. A text that was not to be read is empty, and was reported. */
export function identityProblems(
  { cert, key }: TlsIdentity,
  names: { cert: string; key: string },
): readonly ConfigProblem[] {
  if (cert === '' || key === '') return [];
  const problems = [
    ...problem({ cert }, names.cert, 'is no certificate in PEM that can be used'),
    ...problem({ key }, names.key, 'is no key in PEM, without a passphrase, that can be used'),
  ];
  return problems.length > 0 ? problems : problem({ cert, key }, names.key, `does not fit ${names.cert}`);
}

function problem(options: SecureContextOptions, path: string, message: string): ConfigProblem[] {
  try {
    createSecureContext(options);
    return [];
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    return [{ path, message: `${message} (${code})` }];
  }
}

/** What is wrong with an authority that others' certificates are checked by: OpenSSL takes any text for one, and then trusts nobody. */
export function authorityProblems(ca: string | null | undefined, path: string): ConfigProblem[] {
  if (ca == null) return [];
  try {
    new X509Certificate(ca);
    return [];
  } catch {
    return [{ path, message: 'has no certificate in PEM: {"file": "/path"} names the file of one' }];
  }
}
