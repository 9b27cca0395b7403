// The sandbox's stand-in for the platform's JavaScript SDK: as much of `FB` as a signup uses. Served at /graph/sdk.js.

export const signupSdk = `(() => {
  const base = new URL('.', document.currentScript.src);
  let app = {};
  window.FB = {
    init(options) {
      app = options;
    },
    login(callback, { config_id, response_type, override_default_response_type, extras } = {}) {
      const dialog = new URL(app.version + '/dialog/oauth', base);
      const parameters = { client_id: app.appId, config_id, response_type, override_default_response_type };
      for (const [name, value] of Object.entries(parameters)) dialog.searchParams.set(name, String(value));
      dialog.searchParams.set('extras', JSON.stringify(extras || {}));
      dialog.searchParams.set('origin', location.origin);
      const popup = window.open(dialog, 'sandbox-signup', 'width=520,height=640');
      let watch;
      const done = (code) => {
        clearInterval(watch);
        window.removeEventListener('message', listen);
        const authResponse = code ? { code, userID: null, expiresIn: null } : null;
        callback({ authResponse, status: code ? 'connected' : 'unknown' });
      };
      const listen = ({ origin, source, data }) => {
        if (origin !== base.origin || source !== popup || typeof data !== 'string') return;
        const message = JSON.parse(data);
        if (message.type === 'SANDBOX_LOGIN') done(message.code);
      };
      window.addEventListener('message', listen);
      watch = setInterval(() => {
        if (!popup || popup.closed) done(null);
      }, 300);
    },
  };
  if (window.fbAsyncInit) window.fbAsyncInit();
})();
`;
