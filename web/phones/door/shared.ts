// The worker that all tabs of a browser share, and with it one connection to the sandbox: a browser has six to one HTTP/1.1 server. A tab
// gets all there is when it joins, and then every change.

import { follow } from './connection.ts';
import { changed, nothingYet } from './state.ts';

let state = nothingYet;
const tabs = new Set<MessagePort>();

// The script of the worker lies in a folder beside `sandbox/`, as it is built and as Vite serves it.
follow(new URL('../sandbox/events', location.href), (change) => {
  state = changed(state, change);
  for (const tab of tabs) tab.postMessage(change);
});

addEventListener('connect', (event) => {
  const [tab] = (event as MessageEvent).ports;
  if (!tab) return;
  tabs.add(tab);
  // Browsers that do not tell the end of a tab drop what is posted to it.
  tab.addEventListener('close', () => tabs.delete(tab));
  if (state.connection !== 'connecting') tab.postMessage({ name: 'hello', data: state });
  if (state.connection === 'lost') tab.postMessage({ name: 'lost' });
});
