// The signup dialog's page: a stand-in for the platform's screens, with a button for each way they can end. It posts the
// documented message events to the page that opened it, and to that origin only.

/** `origin`: of the page that opened it; already checked. */
export function signupPage(origin: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sandbox: connect a business account</title>
<style>
  :root { color-scheme: light dark; --line: #8884; --dim: #888; --accent: #0a7d5a; }
  * { box-sizing: border-box; }
  body { margin: 0 auto; max-width: 28rem; padding: 1.5rem 1rem; font: 15px/1.5 system-ui, sans-serif; }
  h1 { font-size: 1.2rem; margin: 0 0 .25rem; }
  p { margin: 0 0 1rem; color: var(--dim); }
  label { display: block; margin: .8rem 0; }
  input { display: block; width: 100%; font: inherit; padding: .4rem .6rem; border: 1px solid var(--line); border-radius: .5rem; }
  button { font: inherit; width: 100%; margin: .3rem 0; padding: .5rem; border: 1px solid var(--line); border-radius: .5rem; cursor: pointer; background: none; color: inherit; }
  #finish { background: var(--accent); border-color: var(--accent); color: #fff; }
  #problem { color: #c0392b; min-height: 1.5em; margin: .5rem 0; }
</style>
</head>
<body>
<h1>Connect a business account</h1>
<p>The sandbox's stand-in for the platform's signup. Nothing leaves this machine.</p>
<label>Business name <input id="business" value="Example Shop" autocomplete="off"></label>
<label>Phone number <input id="number" type="tel" value="+213550009901" autocomplete="off"></label>
<p id="problem" role="alert"></p>
<button id="finish">Finish</button>
<button id="only-waba">Finish without a number</button>
<button id="cancel">Cancel</button>
<button id="error">Report a problem</button>
<script>
  const origin = ${JSON.stringify(origin).replace(/</g, '\\u003c')};
  const $ = (id) => document.getElementById(id);
  const tell = (message) => window.opener && window.opener.postMessage(JSON.stringify(message), origin);
  const session = (event, data) => tell({ type: 'WA_EMBEDDED_SIGNUP', event, data, version: 3 });
  const end = (code) => {
    tell({ type: 'SANDBOX_LOGIN', code });
    window.close();
  };
  async function finish(event, number) {
    const body = JSON.stringify({ business: $('business').value, number });
    const answer = await fetch(location.pathname, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    const { data, code, error } = await answer.json();
    if (!answer.ok) {
      $('problem').textContent = error;
      return;
    }
    session(event, data);
    end(code);
  }
  $('finish').onclick = () => finish('FINISH', $('number').value);
  $('only-waba').onclick = () => finish('FINISH_ONLY_WABA', null);
  $('cancel').onclick = () => {
    session('CANCEL', { current_step: 'PHONE_NUMBER_SETUP' });
    end(null);
  };
  $('error').onclick = () => {
    const timestamp = String(Math.floor(Date.now() / 1000));
    session('CANCEL', { error_message: 'A problem the sandbox made up', error_code: '524126', session_id: 'sandbox', timestamp });
    end(null);
  };
</script>
</body>
</html>
`;
}
