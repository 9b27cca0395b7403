// A self-signed certificate for localhost and 127.0.0.1, made for one test run (RFC 5280 section 4.1, in DER by hand: Node makes
// keys but no certificates).
import { generateKeyPairSync, sign } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Certificate {
  key: string;
  cert: string;
}

const der = (tag: number, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  const length = body.length < 0x80 ? [body.length] : [0x82, body.length >> 8, body.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
};
const sequence = (...parts: Buffer[]) => der(0x30, ...parts);
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
const time = (at: Date) => der(0x17, Buffer.from(`${at.toISOString().slice(2, 19).replace(/\D/g, '')}Z`));
const extension = (id: string, value: Buffer) => sequence(oid(id), der(0x04, value));

/** How the certificate is signed: ecdsa-with-SHA256 (RFC 5758), sha256WithRSAEncryption (RFC 4055, with a NULL for its parameters). */
const kinds = {
  ec: () => ({
    keys: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    algorithm: sequence(oid('2a8648ce3d040302')),
  }),
  rsa: () => ({
    keys: generateKeyPairSync('rsa', { modulusLength: 2048 }),
    algorithm: sequence(oid('2a864886f70d01010b'), der(0x05)),
  }),
};

export function selfSigned(kind: keyof typeof kinds = 'ec', now = Date.now()): Certificate {
  const { keys, algorithm } = kinds[kind]();
  const { privateKey, publicKey } = keys;
  const name = sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from('localhost')))));
  const dayMs = 86_400_000;
  const alternativeNames = sequence(der(0x82, Buffer.from('localhost')), der(0x87, Buffer.from([127, 0, 0, 1])));
  const isAuthority = sequence(der(0x01, Buffer.from([0xff])));

  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))), // version 3
    der(0x02, Buffer.from([1])), // serial number
    algorithm,
    name,
    sequence(time(new Date(now - dayMs)), time(new Date(now + dayMs))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(extension('551d11', alternativeNames), extension('551d13', isAuthority))),
  );
  const signature = der(0x03, Buffer.from([0]), sign('sha256', body, privateKey));
  const certificate = sequence(body, algorithm, signature).toString('base64');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
  };
}

/** Its two files, as the settings of the ports name them; written over those that were in the folder. */
export function certificateFiles(folder: string, { cert, key }: Certificate = selfSigned()) {
  const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
  writeFileSync(files.cert, cert);
  writeFileSync(files.key, key);
  return files;
}
