// Runs in the browser: the page of an embedded signup. Opens the platform's window, waits for its two answers (the ids by a
// message, the code by the SDK), hands them to the server at once (the code lives 30 seconds), and shows how it goes on. Either answer
// may never come: without the ids the server finds them by the code, without the code the page says so and starts again. Where no
// window opens, a link leads to the platform's dialog on the whole page, which comes back here with the code.

import { isAllowedOrigin } from './origin.js';
import { readSignupEvent } from './result.js';

const setup = JSON.parse(document.getElementById('setup').textContent);
const { words } = setup;
const start = document.getElementById('start');
const note = document.getElementById('note');
const steps = document.getElementById('steps');
const without = document.getElementById('without');

/** The ids follow the code within this, or never: a code lives 30 seconds, and the server can find the ids by it. */
const idsMs = 5_000;
/** The code follows the ids within this. */
const codeMs = 20_000;
/** A window that has closed has answered within this. */
const closedMs = 3_000;
const watchMs = 500;
const pollMs = 1_000;
/** Then the page stops asking; the server goes on by itself. */
const mostPolls = 600;

/** What the window has answered so far. */
let half = { code: null, event: null };
let waiting = null;
let watching = null;
let isOver = false;
/** The SDK has been set up. */
let isReady = false;

/** An element with the id FB is found under that name, too, until the SDK takes it. */
const hasSdk = () => typeof window.FB?.init === 'function';

function show(kind, text) {
  note.className = kind;
  note.textContent = text;
}

function ready() {
  window.FB.init({ appId: setup.app_id, version: setup.version, autoLogAppEvents: false, xfbml: false });
  isReady = true;
  if (isOver) return;
  start.disabled = false;
  if (setup.code === null) show('', '');
}

function loadSdk() {
  if (hasSdk()) return ready();
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
  clearInterval(watching);
  const mine = { code: null, event: null };
  half = mine;
  show('busy', words.in_window);
  const popup = openedBy(() =>
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
        extras: setup.extras,
      },
    ),
  );
  if (popup === null) again(words.blocked);
  else if (popup) watchWindow(popup, mine);
});

/** The window that `open` opens; null where the browser has blocked it, undefined where none was asked for yet. */
function openedBy(open) {
  const original = window.open;
  let popup;
  window.open = (...args) => {
    popup = original.apply(window, args);
    return popup;
  };
  try {
    open();
  } finally {
    window.open = original;
  }
  return popup;
}

/** A window that has closed without any answer: an answer that comes later all the same still counts. */
function watchWindow(popup, mine) {
  watching = setInterval(() => {
    if (!popup.closed) return;
    clearInterval(watching);
    const isSilent = () => !isOver && half === mine && mine.code === null;
    setTimeout(() => isSilent() && again(words.no_answer), closedMs);
  }, watchMs);
}

/** Both answers come, in any order, or one of them. */
function proceed() {
  clearTimeout(waiting);
  const { code, event } = half;
  if (event?.kind === 'no_number') return again(words.no_number);
  if (event?.kind === 'failed') return again(`${words.failed}${event.code ? ` (${event.code})` : ''}`);
  if (event?.kind === 'canceled') return again(words.canceled);
  // A window that is closed reports at once; the message may be a moment behind it.
  if (code === '') return event ? again(words.canceled) : wait(500, () => again(words.canceled));
  if (code !== null && event?.kind === 'finished') return void connect(code, event);
  if (code !== null) return wait(idsMs, () => void connect(code, {}));
  wait(codeMs, () => again(words.incomplete));
}

function wait(ms, otherwise) {
  waiting = setTimeout(otherwise, ms);
}

/** Nothing was linked: the business may start once more, the state is still good. */
function again(text) {
  show('bad', text);
  start.disabled = !isReady;
}

function end(kind, text) {
  isOver = true;
  start.hidden = true;
  without.hidden = true;
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

/** Without ids (left out of JSON where undefined) the server finds them. `redirected`: the dialog had the whole page. */
async function connect(code, { wabaId, phoneNumberId }, redirected = false) {
  isOver = true;
  start.disabled = true;
  clearInterval(watching);
  show('busy', words.working);
  const request = { state: setup.state, code, waba_id: wabaId, phone_number_id: phoneNumberId, redirected };
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
  without.hidden = true;
  steps.hidden = false;
  document.getElementById('intro').hidden = true;
  show('busy', words.working);
  for (let polls = 0; polls < mostPolls; polls += 1) {
    try {
      const { ok, body } = await askStatus();
      if (ok) {
        mark(body);
        show('busy', (body.reason === 'number_unverified' && words.reasons[body.reason]) || words.working);
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

if (setup.code !== null) {
  // The code is good once: the address must not keep it.
  const [state, language] = [setup.state, document.documentElement.lang];
  history.replaceState(null, '', `${setup.path}?${new URLSearchParams({ state, lang: language })}`);
}
if (setup.is_used) void follow();
else {
  loadSdk();
  if (setup.code) void connect(setup.code, {}, true);
  else if (setup.code === '') again(words.canceled);
}
