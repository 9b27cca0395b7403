// The text of a receipt: its keys, read in both ways alike, and the masking of the echo behind them.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodePdu, encodePdu } from '../../../src/smpp/codec.ts';
import { messageOctets } from '../../../src/smpp/receipt.ts';
import { maskFrame, maskReceipt, parseReceiptText, searchKeys } from '../../../src/smpp/receipt-text.ts';
import { encodeUcs2 } from '../../../src/smpp/text.ts';
import { tags } from '../../../src/smpp/tlv.ts';
import { receipts } from './receipts.ts';

const digits = (min: number, max: number) => fc.stringMatching(new RegExp(`^[0-9]{${min},${max}}$`));
const usual = fc
  .record({
    id: fc.oneof(fc.stringMatching(/^[\w-]{1,64}$/), fc.constantFrom('stat', 'err', 'text', 'id', 'sub', '0')),
    count: digits(1, 3),
    submit: digits(10, 14),
    done: digits(10, 14),
    stat: fc.stringMatching(/^[A-Za-z]{1,10}$/),
    err: fc.oneof(fc.stringMatching(/^\w{1,8}$/), fc.constantFrom('text', 'stat')),
    echo: fc.oneof(fc.string({ maxLength: 30 }), fc.constant('id:1 stat:REJECTD err:1 text:')),
  })
  .map(
    ({ id, count, submit, done, stat, err, echo }) =>
      `id:${id} sub:${count} dlvrd:${count} submit date:${submit} done date:${done} stat:${stat} err:${err} text:${echo}`,
  );

function bothWays(text: string): void {
  expect(parseReceiptText(text)).toEqual(searchKeys(text));
}

test('texts as the specification has them', () => {
  fc.assert(fc.property(usual, bothWays), { numRuns: 2_000 });
});

test('nearly such texts', () => {
  const changed = fc
    .tuple(usual, fc.nat(140), fc.constantFrom(' ', ':', '', 'x', '\n', '\0', '_', 'stat:'))
    .map(([text, at, put]) => text.slice(0, at) + put + text.slice(at + 1));
  fc.assert(fc.property(changed, bothWays), { numRuns: 2_000 });
});

const head = 'id:4A6F sub:001 dlvrd:001 submit date:2601011159 done date:2601011200 stat:DELIVRD err:000';
const code = '738291';
const masked = (text: string) => maskReceipt(Buffer.from(text, 'latin1'));

describe('digits of the echo are masked, the rest is left', () => {
  test.each([
    ['with text:', `${head} text:Code ${code}`, `${head} text:Code ******`],
    ['with Text :', `${head} Text : ${code}.`, `${head} Text : ******.`],
    ['with text:, code first', `${head} text:${code} est votre`, `${head} text:****** est votre`],
    ['without text:, code first', `${head} ${code} est votre`, `${head} ****** est votre`],
    [
      'without text:, code first behind an empty key',
      `id:4A6F stat:DELIVRD err: ${code} est`,
      'id:4A6F stat:DELIVRD err: ****** est',
    ],
    ['without text:', `${head} Code ${code}`, `${head} Code ******`],
    ['without text:, a key of the message', `${head} Mobile ID : ${code}.`, `${head} Mobile ID : ******.`],
    [
      'without text:, a key of the message first',
      `${head} ID: ${code} stat: ${code}`,
      `${head} ID: ****** stat: ******`,
    ],
    [
      'without text:, a key of the message behind an empty key',
      `id:4A6F stat:DELIVRD err: ${code} est ID: 1`,
      'id:4A6F stat:DELIVRD err: ****** est ID: *',
    ],
    ['without text:, a key inside the echo', `${head} Login id: ${code}`, `${head} Login id: ******`],
    ['without text:, keys inside the echo', `${head} ${code} id: 5 err: ${code}`, `${head} ****** id: * err: ******`],
    [
      'without text:, keys inside the echo behind an empty key',
      `id:4A6F stat:DELIVRD err: ${code} id: ${code}`,
      'id:4A6F stat:DELIVRD err: ****** id: ******',
    ],
    ['keys inside the echo', `${head} text:id:${code} err:${code}`, `${head} text:id:****** err:******`],
    ['text: twice', `${head} text:text:${code}`, `${head} text:text:******`],
    ['no key at all', `${code} is your code`, '****** is your code'],
    ['a message that ends like a receipt', `${code} id:1 text:x`, '****** id:* text:x'],
    ['fields by position', '00,0210021543,we23', '**,**********,we**'],
    ['nothing', '', ''],
  ])('%s', (_, text, expected) => {
    expect(masked(text)).toBe(expected);
  });

  test('a code behind an empty last key is not its value', () => {
    expect(parseReceiptText(`id:4A6F stat:DELIVRD err: ${code} est`)).toMatchObject({ stat: 'DELIVRD', err: null });
    expect(parseReceiptText('id:4A6F stat: DELIVRD err: 000')).toMatchObject({ err: '000' });
    expect(parseReceiptText('id:4A6F stat:DELIVRD err:1004')).toMatchObject({ err: '1004' });
    expect(parseReceiptText('id:4A6F stat:DELIVRD err: 1004 text:x')).toMatchObject({ err: '1004' });
  });

  test('a receipt in UTF-16BE', () => {
    const text = `id:4A6F stat:DELIVRD text:رمز ${code} ٧٣٨`;
    expect(maskReceipt(encodeUcs2(text))).toMatch(/^id:4A6F stat:DELIVRD text:.{3} \*{6} [^٠-٩]{3}$/);
  });

  test.each([
    ['UTF-16BE', encodeUcs2('رمز ٧٣٨٢٩١ ۷۳۸ 738291')],
    ['UTF-8', Buffer.from('رمز ٧٣٨٢٩١ ۷۳۸ 738291')],
  ])('an echo in %s behind ASCII keys', (encoding, echo) => {
    const raw = Buffer.from(maskReceipt(Buffer.concat([Buffer.from(`${head} text:`), echo])), 'latin1');
    const tail = raw.subarray(head.length + 6);
    const text = encoding === 'UTF-8' ? tail.toString() : Buffer.from(tail).swap16().toString('utf16le');
    expect(text).not.toMatch(/\p{Nd}/u);
    expect(raw.toString('latin1').startsWith(`${head} text:`)).toBe(true);
  });

  test.each([
    ['an Arabic text', encodeUcs2('رمز Ramz للتحقق: 738291')],
    ['@ in GSM 7-bit', Buffer.from([0x00, 0x20, 0x37, 0x33, 0x38])],
  ])('no NUL is left of an echo of %s: no database takes it in text', (_, echo) => {
    const raw = maskReceipt(Buffer.concat([Buffer.from(`${head} text:`), echo, Buffer.from('.')]));
    expect(raw).not.toContain('\0');
    expect(raw).toHaveLength(`${head} text:.`.length + echo.length);
  });
});

test.each(receipts)('no digit is left behind text: — $quirk', ({ text }) => {
  const [, echo = ''] = masked(text).split(/text:/i);
  expect(echo).not.toMatch(/\d/);
});

describe('whole PDUs', () => {
  const octets = Buffer.from(`${head} text:Code ${code}`);
  const id = { tag: tags.receipted_message_id, value: Buffer.from('123456789') };
  const message = { command: 'deliver_sm', sequence: 9, source_addr: '213550000001' } as const;

  test('only the message changes; the frame that came is left alone', () => {
    const frame = encodePdu({ ...message, short_message: octets, tlvs: [id] });
    const before = Buffer.from(frame);
    const result = decodePdu(maskFrame(frame));
    expect(frame).toEqual(before);
    expect(result).toMatchObject({
      pdu: { ...message, tlvs: [id], short_message: Buffer.from(masked(octets.toString())) },
    });
  });

  test('message_payload, in data_sm too', () => {
    const tlvs = [id, { tag: tags.message_payload, value: octets }];
    for (const command of ['deliver_sm', 'data_sm'] as const) {
      const result = decodePdu(maskFrame(encodePdu({ command, sequence: 1, tlvs })));
      if (result.kind !== 'pdu' || result.pdu.command !== command) throw new Error('not decoded');
      expect(messageOctets(result.pdu).toString()).toBe(`${head} text:Code ******`);
    }
  });

  test('one whose optional parameters are damaged keeps its keys and loses its digits, in the damaged part too', () => {
    const frame = encodePdu({ ...message, short_message: octets, tlvs: [id] });
    frame.writeUInt16BE(999, frame.length - id.value.length - 2);
    expect(decodePdu(frame)).toMatchObject({ damage: 'an optional parameter is cut off' });
    const text = maskFrame(frame).toString('latin1');
    expect(text).toContain(`${head} text:Code ******`);
    expect(text).not.toContain(code);

    const payload = encodePdu({ ...message, tlvs: [{ tag: tags.message_payload, value: octets }] });
    payload.writeUInt16BE(octets.length + 1, payload.length - octets.length - 2);
    expect(decodePdu(payload)).toMatchObject({ pdu: { tlvs: [] } });
    expect(maskFrame(payload).toString('latin1')).toContain(`${head} text:Code ******`);
  });

  test('one that cannot be decoded keeps its keys and loses its digits', () => {
    const frame = encodePdu({ ...message, short_message: octets, tlvs: [id] });
    const lengthAt = frame.indexOf(octets) - 1;
    frame.writeUInt8(255, lengthAt);
    expect(decodePdu(frame).kind).toBe('malformed');
    const text = maskFrame(frame).toString('latin1');
    expect(text).toContain(`${head} text:Code ******`);
    expect(text).not.toContain(code);
  });

  test('the code is never left, whichever octet is broken, and wherever it is cut', () => {
    const frame = encodePdu({ ...message, short_message: octets, tlvs: [id] });
    // A digit of the code may itself be the broken octet: look for what is left of it.
    const isLeft = (broken: Buffer) => /7382|8291/.test(maskFrame(broken).toString('latin1'));
    const leaks: string[] = [];
    for (let at = 4; at < frame.length; at++) {
      if (isLeft(frame.subarray(0, at))) leaks.push(`cut at ${at}`);
      for (let octet = 0; octet < 256; octet++) {
        const broken = Buffer.from(frame);
        broken[at] = octet;
        if (isLeft(broken)) leaks.push(`${octet} at ${at}`);
      }
    }
    expect(leaks).toEqual([]);
  });
});
