// The code as two telephones of strangers hear it: baresip (C, libre) and Linphone (C++, belle-sip). Each answers, presses a key and
// records; what it recorded must be the samples of the prompt bank, and the digits found in it the code.
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { CarrierReceipt } from '../../../src/channels/channel.ts';
import { alawToLinear } from '../../../src/channels/voice/alaw.ts';
import { type Banks, type ClipName, clipNames } from '../../../src/channels/voice/clip.ts';
import { Media, type MediaEvent } from '../../../src/channels/voice/media/media.ts';
import { loadBank } from '../../../src/channels/voice/prompts/bank.ts';
import { isDigit } from '../../../src/channels/voice/prompts/texts.ts';
import { SipCaller } from '../../../src/channels/voice/sip-caller.ts';
import { VoiceChannel } from '../../../src/channels/voice/voice.ts';
import { somePorts } from '../../support/rtp-phone.ts';
import { requireTool, toolPath } from '../../support/tool.ts';
import { until } from '../../support/wait.ts';
import { message, trunkConfig } from '../../unit/channels/voice/support.ts';
import { startBaresip } from './support/baresip.ts';
import { startLinphone } from './support/linphone.ts';

const NUMBER = '+213550000001';
const CODE = '407218';
const languages = ['ar', 'fr'] as const;
const banks: Banks = new Map(languages.map((language) => [language, clipsOf(language)]));

/** The bank that comes with Ramz, without the digits of a package: the same on every machine. */
function clipsOf(language: (typeof languages)[number]): ReadonlyMap<ClipName, Uint8Array> {
  const loaded = loadBank({ language, folder: null, recorded: {} });
  if (loaded.kind === 'refused') throw new Error(loaded.problems.join('\n'));
  return loaded.bank.clips;
}

async function channelTo(port: number) {
  const receipts: CarrierReceipt[] = [];
  const answered: string[] = [];
  const media = new Media({
    address: '127.0.0.1',
    ports: somePorts(20),
    banks,
    onEvent: (callId: string, event: MediaEvent) => caller.hear(callId, event),
    onThreadLost: () => {},
  });
  const caller: SipCaller = new SipCaller({
    media,
    advertise: null,
    boundTo: '0.0.0.0',
    now: Date.now,
    onTrunk: () => {},
  });
  const channel = new VoiceChannel({
    caller,
    requireKey: () => true,
    spokenLanguage: async () => 'fr',
    intake: {
      take: async (receipt) => void receipts.push(receipt),
      takeAnswered: async ({ messageId }) => void answered.push(messageId),
    },
    now: Date.now,
    onError: (error) => {
      throw error;
    },
  });
  const trunk = trunkConfig({ address: `127.0.0.1:${port}` });
  channel.configure([trunk]);
  for (const name of channel.bindCounts().keys()) await channel.setSlots(name, [0]);
  caller.connect(trunk);
  return {
    receipts,
    answered,
    call: async (id: string, language: (typeof languages)[number]) => {
      const place = await channel.reserve('voice/main', new AbortController().signal);
      return place?.send(message({ id, to: NUMBER, code: CODE, language }));
    },
    close: async () => {
      await caller.close();
      await media.stop();
    },
  };
}

/** Samples of a 16-bit mono WAV. */
function samplesOf(path: string): Int16Array {
  const bytes = readFileSync(path);
  const at = bytes.indexOf('data') + 8;
  const length = Math.floor((bytes.length - at) / 2);
  return Int16Array.from({ length }, (_, index) => bytes.readInt16LE(at + index * 2));
}

/** Names of the bank's clips that are in the recording sample by sample, in the order they were spoken. */
function clipsIn(recording: Int16Array, language: (typeof languages)[number]): ClipName[] {
  const heard = Buffer.from(recording.buffer, recording.byteOffset, recording.byteLength);
  const found: { at: number; name: ClipName }[] = [];
  for (const name of clipNames) {
    const clip = banks.get(language)?.get(name) ?? new Uint8Array(1);
    const wanted = Buffer.from(Int16Array.from(clip, alawToLinear).buffer);
    for (let at = heard.indexOf(wanted); at >= 0; at = heard.indexOf(wanted, at + 2)) found.push({ at, name });
  }
  return found.toSorted((a, b) => a.at - b.at).map(({ name }) => name);
}

const digitsIn = (clips: readonly ClipName[]): string => clips.filter(isDigit).join('');

interface Heard {
  reports: CarrierReceipt['receipt'][];
  clips: ClipName[];
}

/** A whole call to a baresip of its own. */
async function callBaresip(id: string, language: (typeof languages)[number], key: string | null): Promise<Heard> {
  const phone = await startBaresip({ numbers: [NUMBER] });
  const { call, receipts, answered, close } = await channelTo(phone.ports.udp);
  expect(await call(id, language)).toMatchObject({ kind: 'accepted', call: { state: 'ringing' } });
  await until(() => answered.length > 0, { what: 'the answer' });
  if (key !== null) await phone.press(key);
  const hasEnded = () => receipts.some(({ receipt }) => receipt.call?.ended);
  await until(hasEnded, { what: 'the end of the call' });
  await close();
  await phone.end();
  const clips = clipsIn(samplesOf(phone.heard()[0] ?? ''), language);
  return { reports: receipts.map(({ receipt }) => receipt), clips };
}

const baresip = requireTool('baresip');
/** All at once: each takes half a minute. */
const calls = toolPath('baresip')
  ? Promise.all([
      callBaresip('msg_ar', 'ar', '1'),
      callBaresip('msg_fr', 'fr', '1'),
      callBaresip('msg_no_key', 'fr', null),
    ])
  : null;
calls?.catch(() => {}); // The tests say it.

for (const [index, language] of languages.entries()) {
  baresip(`baresip hears the code in "${language}", bit for bit`, async () => {
    const { reports, clips } = (await calls)![index]!;
    expect(reports.map(({ status, call }) => [status, call?.ended])).toEqual([
      ['DELIVRD', false],
      ['DELIVRD', true],
    ]);
    expect(reports.at(-1)).toMatchObject({ call: { state: 'heard', keys: 1, readings: 2 } });
    expect(digitsIn(clips)).toBe(CODE + CODE);
    expect(clips.at(-1)).toBe('bye');
  });
}

baresip('a telephone that presses no key hears nothing of the code', async () => {
  const { reports, clips } = (await calls)![2];
  expect(reports).toHaveLength(1);
  expect(reports[0]).toMatchObject({ status: 'UNDELIV', providerStatus: 'no_key', call: { keys: 0, readings: 0 } });
  expect(clips.filter((name) => name === 'press')).toHaveLength(2);
  expect(digitsIn(clips)).toBe('');
});

const linphone = requireTool('linphonec');
linphone('Linphone hears the code', async () => {
  let digits = '';
  // Its jitter buffer may mend a sample here and there: most digits are heard bit for bit, unless the machine starves it.
  for (let calls = 0; calls < 3 && digits.length < 6; calls += 1) digits = await heardByLinphone();
  expect(digits.length).toBeGreaterThanOrEqual(6);
});

/** The digits that it recorded bit for bit. */
async function heardByLinphone(): Promise<string> {
  const phone = await startLinphone();
  const { call, receipts, answered, close } = await channelTo(phone.port);
  await call('msg_linphone', 'fr');
  await until(() => answered.length > 0, { what: 'the answer' });
  phone.press('5');
  await until(() => receipts.find(({ receipt }) => receipt.call?.ended), {
    what: 'the end of the call',
  });
  expect(receipts.at(-1)?.receipt).toMatchObject({ status: 'DELIVRD', call: { state: 'heard', keys: 1 } });
  await close();
  await phone.stop();
  return digitsIn(clipsIn(samplesOf(phone.recording), 'fr'));
}
