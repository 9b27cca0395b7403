// @ts-check
// Runs in the browser: whose messages the page believes. Plain JavaScript, loaded as it is; tests import it, too.

/**
 * Whether a message event's origin is one the result of a signup may come from. The origin is taken apart as a URL: a test of
 * its end alone would also take `https://evilfacebook.com`.
 * @param {string} origin of the event
 * @param {readonly string[]} allowed an https origin stands for its host and every host under it, on its port; an http one
 * for itself alone
 * @returns {boolean}
 */
export function isAllowedOrigin(origin, allowed) {
  const given = parse(origin);
  if (!given || given.origin !== origin) return false;
  return allowed.some((entry) => {
    const wanted = parse(entry);
    if (!wanted) return false;
    if (wanted.protocol !== 'https:') return given.origin === wanted.origin;
    const isHost = given.hostname === wanted.hostname || given.hostname.endsWith(`.${wanted.hostname}`);
    return given.protocol === 'https:' && given.port === wanted.port && isHost;
  });
}

/** @param {string} text */
function parse(text) {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
