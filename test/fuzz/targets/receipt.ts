// Delivery receipts as operators write them, and as nobody would. `receipt` takes any octets; `echo` puts a code where real
// receipts repeat the message, and looks for it in everything that is kept.
import { readReport } from '../../../src/channels/sms/report.ts';
import type { Delivery } from '../../../src/smpp/receipt.ts';
import { encodeUcs2 } from '../../../src/smpp/text.ts';
import { receipts } from '../../unit/smpp/receipts.ts';
import type { Random } from '../random.ts';
import { hold, type Target } from '../target.ts';
import { operator } from './operator.ts';

const now = Date.UTC(2026, 0, 1, 12);
const words = [
  'id:',
  'sub:',
  'dlvrd:',
  'submit date:',
  'done date:',
  'stat:',
  'err:',
  'text:',
  'Text :',
  ' ',
  '\0',
  ',',
  ':',
  'DELIVRD',
  'UNDELIV',
  'EXPIRED',
  'ENROUTE',
  '2601011200',
  '20260101120059',
  '000',
  '__proto__',
  'constructor',
  '2026-02-30 24:61:00',
  '99999999999999',
  '00000000000000',
  '\u0660',
  '\ud83d',
];
const states = [0, 1, 2, 5, 8, 9, 99, 255];

/** How it is carried: the first octet of an input says so. */
function carried(how: number, octets: Buffer): Delivery {
  const tlvs: { tag: number; value: Buffer }[] = [];
  if (how & 1) tlvs.push({ tag: 0x001e, value: octets.subarray(0, how & 2 ? 70 : 9) });
  if (how & 4) tlvs.push({ tag: 0x0427, value: Buffer.from([states[(how >> 5) & 7]!]) });
  if (how & 8)
    tlvs.push({ tag: 0x1403, value: octets.subarray(how & 2 ? 0 : -6) }, { tag: 0x0423, value: octets.subarray(-3) });
  const addresses = { source_addr: '213550000001', destination_addr: 'Ramz' };
  const common = { status: 0, sequence: 1, service_type: '', ...addresses, esm_class: 4 };
  if (how & 16) {
    return { command: 'data_sm', ...common, tlvs: [...tlvs, { tag: 0x0424, value: octets }] } as unknown as Delivery;
  }
  return { command: 'deliver_sm', ...common, short_message: octets, tlvs } as unknown as Delivery;
}

/** All that is kept of a report. @throws where it could not be stored. */
function kept(how: number, octets: Buffer): { raw: string; all: string } {
  const before = Buffer.from(octets);
  const report = readReport(carried(how, octets), operator, now);
  hold(octets.equals(before), 'reading changed the octets');
  hold(report.kind !== 'message', 'a receipt is taken for a message');
  const all = JSON.stringify(report);
  // Postgres has no NUL, and its jsonb no half of a surrogate pair.
  hold(!all.includes('\\u0000'), 'a NUL is kept');
  hold(!/\\ud[89a-f]/.test(all), 'half a surrogate pair is kept');
  if (report.kind === 'unreadable') return { raw: report.report.raw, all };
  const { receipt, references, number } = report.carrier;
  hold(
    references.every((reference) => reference !== ''),
    'an empty reference',
  );
  hold(number === null || /^\+\d{8,15}$/.test(number), 'a number that is none');
  const { operatorTimestamp: at } = receipt;
  hold(at === null || (Number.isFinite(at) && Math.abs(at) < 8.64e15), 'a time that is none');
  return { raw: receipt.raw, all };
}

/**
 * About as long as a message_payload may be, which is the price too: what walks it again from each NUL does not end soon. The price is read of a
 * receipt alone.
 */
const nuls = ['', receipts[0]?.text ?? ''].map((text) =>
  Buffer.concat([Buffer.from([0x1a]), Buffer.from(text, 'latin1'), Buffer.alloc(65_000), Buffer.from('x')]),
);

const seeds = receipts.flatMap(({ text }) => [
  Buffer.from(`\0${text}`, 'latin1'),
  Buffer.concat([Buffer.from([0x10]), encodeUcs2(text)]),
]);

export const receipt: Target = {
  name: 'receipt',
  weight: 20,
  seeds: [...seeds, ...nuls],
  dictionary: words,
  run(input) {
    const [how = 0] = input;
    const octets = Buffer.from(input.subarray(1));
    const { raw } = kept(how, octets);
    const text = octets.toString('latin1');
    const echo = /(?<![A-Za-z0-9_])text\s*:/i.exec(text);
    // One that begins like UTF-16BE is read as that.
    if (echo && octets[0] !== 0)
      hold(!/[0-9]/.test(raw.slice(echo.index + echo[0].length)), 'a digit is left behind text:');
  },
};

const code = '738291';
/** What precedes the echo is a word, as in every text of ours: an operator's bare `err:` may not swallow the code itself. */
const echoes = [
  ` text:${code} Votre code`,
  ` Text : Votre code : ${code}`,
  ` text:Your Ramz code: ${code}. id:${code} err:${code}`,
  ` text:\0\x33${code}`,
  `,text:${code}`,
  ` Votre code : ${code}`,
  ` msg:Votre code : ${code}`,
];

export const echo: Target = {
  name: 'echo',
  weight: 12,
  seeds: echoes.flatMap((_, which) =>
    receipts.map(({ text }) =>
      Buffer.from(`\0${String.fromCharCode(which)}${text.replace(/\s*text:.*$/is, '')}`, 'latin1'),
    ),
  ),
  dictionary: words.filter((word) => !/text/i.test(word)),
  generate: (random: Random) => {
    const heads = Array.from(
      { length: random.below(7) },
      () => `${random.pick(words.slice(0, 7))}${random.pick(words)}`,
    );
    return Buffer.from(`\0${String.fromCharCode(random.below(echoes.length))}${heads.join(' ')}`, 'latin1');
  },
  run(input) {
    const [how = 0, which = 0] = input;
    const head = input.subarray(2);
    if (/7382|8291/.test(head.toString('latin1'))) return;
    const octets = Buffer.concat([head, Buffer.from(echoes[which % echoes.length]!, 'latin1')]);
    // Without the TLVs that are cut out of the text itself.
    const { all } = kept(how & 0x14, octets);
    // Times are numbers that were read, and may have the same digits by chance: 1 782 918 000 000.
    hold(!/7382|8291/.test(all.replace(/"\w+(At|Timestamp|From)":\d+/g, '')), 'the code is kept');
  },
};
