// The sandbox's page: the messages on the phones and the webhooks at the sink, refreshed once a second. It makes requests to this
// sandbox only, and sets everything as text, never as markup: messages are foreign input.

export const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sandbox inbox</title>
<style>
  :root { color-scheme: light dark; --line: #8884; --dim: #888; --accent: #0a7d5a; }
  * { box-sizing: border-box; }
  body { margin: 0 auto; max-width: 60rem; padding: 1.5rem 1rem 4rem; font: 15px/1.5 system-ui, sans-serif; }
  header { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: baseline; }
  h1 { font-size: 1.3rem; margin: 0; }
  h2 { font-size: 1rem; margin: 2rem 0 .5rem; }
  header p { margin: 0; color: var(--dim); flex: 1; }
  input { font: inherit; padding: .25rem .6rem; border: 1px solid var(--line); border-radius: .5rem; width: 12rem; }
  ul { list-style: none; margin: 0; padding: 0; }
  li { border: 1px solid var(--line); border-radius: .7rem; padding: .6rem .9rem; margin: .5rem 0; }
  .meta { display: flex; flex-wrap: wrap; gap: .2rem .9rem; color: var(--dim); font-size: .85rem; }
  .meta b { color: var(--accent); font-weight: 600; }
  .text { margin: .25rem 0 0; font-size: 1.05rem; white-space: pre-wrap; overflow-wrap: anywhere; }
  .empty { color: var(--dim); }
  summary { cursor: pointer; }
  pre { overflow-x: auto; font-size: .8rem; margin: .5rem 0 0; }
  .bad { color: #c0392b; }
</style>
</head>
<body>
<header>
  <h1>Sandbox inbox</h1>
  <p id="state" aria-live="polite">…</p>
  <input id="to" type="search" placeholder="+213… only this number" aria-label="Show only this number">
</header>
<h2>Messages</h2>
<ul id="messages"></ul>
<h2>Webhooks</h2>
<ul id="webhooks"></ul>
<script>
  const $ = (id) => document.getElementById(id);
  const make = (tag, className, text) => {
    const element = document.createElement(tag);
    if (className) element.className = className;
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const time = (at) => new Date(at).toLocaleTimeString();
  const meta = (parts) => {
    const line = make('div', 'meta');
    parts.filter(Boolean).forEach((part, index) => line.append(make(index ? 'span' : 'b', '', part)));
    return line;
  };
  const message = (m) => {
    const item = make('li');
    const text = make('p', 'text', m.text);
    text.dir = 'auto';
    item.append(meta([m.channel, m.to, 'from ' + m.from, m.operator, time(m.received_at)]), text);
    return item;
  };
  const webhook = (w) => {
    const item = make('li');
    const details = make('details');
    const summary = make('summary');
    const type = (w.event && w.event.type) || 'not JSON';
    summary.append(make('span', w.verified ? '' : 'bad', type + (w.verified ? '' : ' (bad signature)')));
    summary.append(meta([String(w.answered), w.headers['webhook-id'], time(w.received_at)]));
    details.append(summary, make('pre', '', w.event ? JSON.stringify(w.event, null, 2) : w.body));
    item.append(details);
    return item;
  };
  const shown = {};
  async function show(id, path, key, build, nothing) {
    const text = await (await fetch(path)).text();
    if (shown[id] === text) return;
    shown[id] = text;
    const items = JSON.parse(text)[key].map(build);
    $(id).replaceChildren(...(items.length ? items : [make('li', 'empty', nothing)]));
  }
  async function refresh() {
    try {
      const to = $('to').value.trim();
      const only = to ? '&to=' + encodeURIComponent(to) : '';
      await show('messages', '/sandbox/messages?limit=50' + only, 'messages', message, 'Nothing arrived yet.');
      await show('webhooks', '/sandbox/webhooks?limit=20', 'webhooks', webhook, 'No webhook came yet.');
      $('state').textContent = 'live';
    } catch {
      $('state').textContent = 'the sandbox does not answer';
    }
    setTimeout(refresh, 1000);
  }
  refresh();
</script>
</body>
</html>
`;
