// The recorder in the browser: takes samples from the microphone, sends each take to the sandbox, and shows what it says of it.

const $ = (id) => document.getElementById(id);
const base = '/sandbox/recorder';
/** Samples a second of what is sent: a telephone has 8000. */
const sentRate = 16_000;
const mostSeconds = 15;

let language = 'ar';
let lines = [];
let consent = '';
let at = 0;
/** While a take is being recorded: its samples so far. */
let taking = null;
let stopping = false;
/** Asked for with the first take, once, and kept: with a second one every sample would be heard twice. */
let microphone = null;
/** Last good take of a line in this page, as it will be spoken: name → AudioBuffer. */
let heard = new Map();

async function request(method, path, body) {
  const init = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const answer = await fetch(base + path, { method, ...init });
  return { ok: answer.ok, ...(await answer.json()) };
}

const about = (name) => `?lang=${language}&name=${name}`;

function say(text, kind = '') {
  $('verdict').textContent = text;
  $('verdict').className = kind;
}

function show() {
  const line = lines[at];
  $('place').textContent = `${at + 1} of ${lines.length}`;
  $('file').textContent = `${line.name}.wav`;
  $('text').textContent = line.text;
  $('text').lang = language;
  $('latin').textContent = line.latin;
  $('listen').disabled = !heard.has(line.name);
  $('record').textContent = taking ? 'Stop' : line.taken ? 'Record again' : 'Record';
  $('record').className = taking ? 'on' : 'main';
  for (const [index, button] of [...$('lines').querySelectorAll('button')].entries()) {
    button.className = lines[index].taken ? 'taken' : '';
    button.setAttribute('aria-current', String(index === at));
  }
  const isWhole = lines.every(({ taken }) => taken) && !taking;
  $('write').disabled = !isWhole || ($('agree').checked && $('speaker').value.trim() === '');
  $('download').disabled = !isWhole;
  for (const id of ['language', 'next']) $(id).disabled = taking !== null;
}

function go(index) {
  if (taking || index < 0) return;
  at = index;
  say('');
  show();
}

async function load() {
  ({ lines, consent } = await request('GET', `/lines?lang=${language}`));
  heard = new Map();
  $('consent').textContent = consent.replace(/([^.])\n(?=\S)/g, '$1 ');
  $('lines').replaceChildren(
    ...lines.map(({ name }, index) => {
      const item = document.createElement('li');
      const button = document.createElement('button');
      button.textContent = name;
      button.onclick = () => go(index);
      item.append(button);
      return item;
    }),
  );
  $('outcome').textContent = '';
  $('setting').hidden = true;
  const first = lines.findIndex(({ taken }) => !taken);
  go(Math.max(0, first));
}

/** Opens the microphone without the browser's own corrections: they cut off the beginnings of words. */
async function openMicrophone() {
  if (!navigator.mediaDevices) throw new Error('browsers give it to https and to 127.0.0.1 alone; open the page there');
  const raw = { channelCount: 1, echoCancellation: false, noiseSuppression: false, autoGainControl: false };
  const stream = await navigator.mediaDevices.getUserMedia({ audio: raw });
  const context = new AudioContext();
  await context.audioWorklet.addModule(`${base}/tap.js`);
  const tap = new AudioWorkletNode(context, 'tap', {
    numberOfOutputs: 0,
    channelCount: 1,
    channelCountMode: 'explicit',
  });
  context.createMediaStreamSource(stream).connect(tap);
  tap.port.onmessage = ({ data }) => hear(data);
  return context;
}

/** `blocks`: samples since the last time, some 40 ms. The meter rises at once and falls slowly. */
function hear(blocks) {
  let peak = $('level').value * 0.8;
  for (const block of blocks) for (const sample of block) peak = Math.max(peak, Math.abs(sample));
  $('level').value = peak;
  if (!taking) return;
  taking.push(...blocks);
  if (taking.length * blocks[0].length > mostSeconds * microphone.sampleRate) void stop();
}

async function record() {
  $('record').disabled = !microphone;
  try {
    microphone ??= await openMicrophone();
    await microphone.resume();
  } catch (error) {
    return say(`The microphone can't be used: ${error.message}`, 'bad');
  } finally {
    $('record').disabled = false;
  }
  taking = [];
  say('Speak now.');
  show();
}

async function stop() {
  if (stopping) return;
  stopping = true;
  // What was said last is still on its way from the audio thread.
  await new Promise((resolve) => setTimeout(resolve, 150));
  const parts = taking;
  taking = null;
  stopping = false;
  const line = lines[at];
  say('…');
  show();
  if (parts.length === 0) {
    say('The microphone gave nothing.', 'bad');
    return;
  }
  const samples = await slower(parts, microphone.sampleRate);
  const answer = await request('POST', `/take${about(line.name)}`, { wav: base64(wav(samples)) });
  if (line !== lines[at]) go(lines.indexOf(line));
  if (!answer.ok) {
    say(`Not usable: it ${answer.error}`, 'bad');
    return;
  }
  line.taken = true;
  heard.set(line.name, await microphone.decodeAudioData(octets(answer.heard).buffer));
  say(`Good: ${(answer.length_ms / 1_000).toFixed(2)} s. Listen to it as a telephone speaks it.`, 'good');
  show();
}

/** The samples at the rate that is sent; the browser's own filter does it. */
async function slower(parts, rate) {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const offline = new OfflineAudioContext(1, Math.ceil((length * sentRate) / rate), sentRate);
  const buffer = offline.createBuffer(1, length, rate);
  let place = 0;
  for (const part of parts) {
    buffer.copyToChannel(part, 0, place);
    place += part.length;
  }
  const source = offline.createBufferSource();
  source.buffer = buffer;
  source.connect(offline.destination);
  source.start();
  return (await offline.startRendering()).getChannelData(0);
}

/** A WAV file of 16 bits. */
function wav(samples) {
  const view = new DataView(new ArrayBuffer(44 + samples.length * 2));
  const text = (place, word) => new Uint8Array(view.buffer).set(new TextEncoder().encode(word), place);
  text(0, 'RIFF');
  view.setUint32(4, 36 + samples.length * 2, true);
  text(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, sentRate, true);
  view.setUint32(28, sentRate * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  text(36, 'data');
  view.setUint32(40, samples.length * 2, true);
  for (const [i, sample] of samples.entries())
    view.setInt16(44 + i * 2, Math.max(-1, Math.min(1, sample)) * 32_767, true);
  return new Uint8Array(view.buffer);
}

function base64(bytes) {
  let text = '';
  for (let i = 0; i < bytes.length; i += 8_192) text += String.fromCharCode(...bytes.subarray(i, i + 8_192));
  return btoa(text);
}

const octets = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

function listen() {
  const buffer = heard.get(lines[at].name);
  if (!buffer || taking) return;
  const source = microphone.createBufferSource();
  source.buffer = buffer;
  source.connect(microphone.destination);
  source.start();
}

const speaker = () => ($('agree').checked ? $('speaker').value.trim() : '');

async function write() {
  const { ok, folder, setting, problems, error } = await request('POST', `/bank?lang=${language}`, {
    speaker: speaker(),
  });
  $('outcome').className = ok ? 'good' : 'bad';
  $('outcome').textContent = ok
    ? `Written to ${folder}. Put this into the configuration file and restart:`
    : `Not written: ${problems?.join('; ') ?? error}`;
  $('setting').hidden = !ok;
  $('setting').textContent = setting ?? '';
}

async function download() {
  const files = [];
  for (const { name } of lines) {
    const { wav: take } = await request('GET', `/take${about(name)}`);
    files.push([`${name}.wav`, octets(take)]);
  }
  const date = new Date().toISOString().slice(0, 10);
  const text = speaker() && `${consent}\n\n${speaker()}, ${date}\n`;
  if (text) files.push(['CONSENT.txt', new TextEncoder().encode(text)]);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob(zip(files), { type: 'application/zip' }));
  link.download = `prompts-${language}.zip`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

const crcTable = Uint32Array.from({ length: 256 }, (_, n) => {
  let value = n;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});
const crc32 = (bytes) => ~bytes.reduce((crc, octet) => crcTable[(crc ^ octet) & 255] ^ (crc >>> 8), -1) >>> 0;

/** The parts of a ZIP archive that stores `files` as they are. */
function zip(files) {
  const parts = [];
  const directory = [];
  let offset = 0;
  const record = (length, fields) => {
    const view = new DataView(new ArrayBuffer(length));
    for (const [place, size, value] of fields) view[`setUint${size}`](place, value, true);
    return new Uint8Array(view.buffer);
  };
  for (const [name, bytes] of files) {
    const label = new TextEncoder().encode(name);
    // From "version needed" to "extra field length", which both headers share; the date is 1980-01-01.
    const shared = (place) => [
      [place, 16, 20],
      [place + 8, 16, 33],
      [place + 10, 32, crc32(bytes)],
      [place + 14, 32, bytes.length],
      [place + 18, 32, bytes.length],
      [place + 22, 16, label.length],
    ];
    parts.push(record(30, [[0, 32, 0x04034b50], ...shared(4)]), label, bytes);
    directory.push(record(46, [[0, 32, 0x02014b50], [4, 16, 20], ...shared(6), [42, 32, offset]]), label);
    offset += 30 + label.length + bytes.length;
  }
  const length = directory.reduce((sum, part) => sum + part.length, 0);
  const end = [
    [0, 32, 0x06054b50],
    [8, 16, files.length],
    [10, 16, files.length],
    [12, 32, length],
    [16, 32, offset],
  ];
  return [...parts, ...directory, record(22, end)];
}

$('record').onclick = () => (taking ? stop() : record());
$('listen').onclick = listen;
$('next').onclick = () => go((at + 1) % lines.length);
$('write').onclick = write;
$('download').onclick = download;
$('speaker').oninput = show;
$('agree').onchange = () => {
  $('speaker').disabled = !$('agree').checked;
  show();
};
$('language').onchange = ({ target }) => {
  language = target.value;
  void load();
};
addEventListener('keydown', (event) => {
  if (event.repeat || event.target.closest('input, select, a, button')) return;
  if (event.code === 'Space') $('record').click();
  else if (event.code === 'Enter') go((at + 1) % lines.length);
  else return;
  event.preventDefault();
});
await load();
