// Runs in the browser: the page of an embedded signup. Opens the platform's window, waits for its two answers (the ids by a
// message, the code by the SDK), hands them to the server at once (the code lives 30 seconds), and shows how it goes on.

import { isAllowedOrigin } from './origin.js';
import { readSignupEvent } from './result.js';

const setup = JSON.parse(document.getElementById('setup').textContent);
const { words } = setup;
const start = document.getElementById('start');
const note = document.getElementById('note');
const steps = document.getElementById('steps');

/** The second answer of the platform's window follows the first within this. */
const otherHalfMs = 10_000;
const pollMs = 1_000;
/** Then the page stops asking; the server goes on by itself. */
const mostPolls = 600;

/** What the window has answered so far. */
let half = { code: null, event: null };
let waiting = null;
let isOver = false;

function show(kind, text) {
  note.className = kind;
  note.textContent = text;
}

function ready() {
  window.FB.init({ appId: setup.app_id, version: setup.version, autoLogAppEvents: false, xfbml: false });
  start.disabled = false;
  show('', '');
}

function loadSdk() {
  if (window.FB) return ready();
  window.fbAsyncInit = ready;
  const script = document.createElement('script');
  script.src = setup.sdk_url;
  script.async = true;
  script.onerror = () => show('bad', words.sdk_missing);
  document.head.append(script);
}

window.addEventListener('message', ({ origin, data }) => {
  if (isOver || !isAllowedOrigin(origin, setup.allowed_origins)) return;
  const event = readSignupEvent(data);
  if (!event) return;
  half.event = event;
  proceed();
});

start.addEventListener('click', () => {
  start.disabled = true;
  clearTimeout(waiting);
  const mine = { code: null, event: null };
  half = mine;
  show('busy', words.in_window);
  window.FB.login(
    ({ authResponse }) => {
      if (isOver || half !== mine) return; // of a window that was given up
      mine.code = authResponse?.code ?? '';
      proceed();
    },
    {
      config_id: setup.config_id,
      response_type: 'code',
      override_default_response_type: true,
      extras: { setup: {}, sessionInfoVersion: '3' },
    },
  );
});

/** Both answers come, in any order. */
function proceed() {
  clearTimeout(waiting);
  const { code, event } = half;
  if (event?.kind === 'no_number') return again(words.no_number);
  if (event?.kind === 'failed') return again(`${words.failed}${event.code ? ` (${event.code})` : ''}`);
  if (event?.kind === 'canceled') return again(words.canceled);
  if (code === '') return event ? again(words.canceled) : wait(() => again(words.canceled));
  if (code !== null && event?.kind === 'finished') return void connect(code, event);
  if (code !== null) wait(() => again(words.incomplete));
}

function wait(otherwise) {
  // A window that is closed reports at once; the message may be a moment behind it.
  waiting = setTimeout(otherwise, half.code === '' ? 500 : otherHalfMs);
}

/** Nothing was linked: the business may start once more, the state is still good. */
function again(text) {
  show('bad', text);
  start.disabled = false;
}

function end(kind, text) {
  isOver = true;
  start.hidden = true;
  show(kind, text);
}

async function post(path, body) {
  const answer = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { ok: answer.ok, body: await answer.json() };
}

const askStatus = () => post(`${setup.path}/status`, { state: setup.state });

async function connect(code, { wabaId, phoneNumberId }) {
  isOver = true;
  start.disabled = true;
  show('busy', words.working);
  const request = { state: setup.state, code, waba_id: wabaId, phone_number_id: phoneNumberId };
  try {
    const { ok, body } = await post(setup.path, request);
    if (ok) return await follow();
    // With the same link another number may be chosen; the others are over.
    if (body.error in words.errors && body.error !== 'number_taken') return end('bad', words.errors[body.error]);
    restart(words.errors[body.error] ?? words.unavailable);
  } catch {
    // The answer is lost: the link may have begun all the same.
    const begun = await askStatus().catch(() => null);
    if (begun?.ok) await follow();
    else restart(words.unavailable);
  }
}

function restart(text) {
  isOver = false;
  half = { code: null, event: null };
  again(text);
}

async function follow() {
  start.hidden = true;
  steps.hidden = false;
  document.getElementById('intro').hidden = true;
  show('busy', words.working);
  for (let polls = 0; polls < mostPolls; polls += 1) {
    try {
      const { ok, body } = await askStatus();
      if (ok) {
        mark(body);
        if (body.status === 'connected') return end('good', words.connected);
        if (body.status !== 'connecting') {
          return end('bad', [words.broken, words.reasons[body.reason], words.restart].filter(Boolean).join(' '));
        }
      } else if (body.error === 'not_found') return end('bad', words.gone);
    } catch {
      // The way to the server is interrupted; the server goes on.
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  show('', words.later);
}

function mark({ status, step }) {
  const items = [...steps.children];
  const at = status === 'connected' ? items.length : items.findIndex(({ dataset }) => dataset.step === step);
  items.forEach((item, index) => {
    const now = status === 'connecting' ? 'now' : 'failed';
    item.className = index < at ? 'done' : index === at ? now : '';
  });
}

if (setup.is_used) void follow();
else loadSdk();
