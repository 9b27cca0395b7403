// The HTML and the style of our pages (light and dark, wide and narrow, no outside host). Every value is escaped unless this file made
// it, so that no text of a caller can become markup.

/** HTML that was made safe. */
export interface Html {
  html: string;
}

type Part = Html | string | number | Part[] | undefined | false;

/** A template whose parts are escaped, unless they are HTML already. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  let out = strings[0] ?? '';
  for (const [index, part] of parts.entries()) out += render(part) + (strings[index + 1] ?? '');
  return { html: out };
}

function render(part: Part): string {
  if (part === undefined || part === false) return '';
  if (Array.isArray(part)) return part.map(render).join('');
  return typeof part === 'object' ? part.html : escapeText(String(part));
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

const escapeText = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? character);

/** The little Markdown that comments use: `code` and paragraphs. */
export function prose(text: string): Html {
  const paragraphs = text.split('\n\n').map((paragraph) => {
    const parts = paragraph
      .split('`')
      .map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
    return html`<p>${parts}</p>`;
  });
  return html`${paragraphs}`;
}

/** The same within a line. */
export function inline(text: string): Html {
  return html`${text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))}`;
}

/** A name for an anchor. */
export const slug = (text: string): string => text.replace(/[^A-Za-z0-9]+/g, '-').toLowerCase();

export const style = `
:root { color-scheme: light dark; --ink: #1d2430; --quiet: #667085; --line: #e3e6ec; --paper: #fff; --soft: #f6f7f9; --accent: #0f766e; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e7ec; --quiet: #98a2b3; --line: #2b3340; --paper: #12161d; --soft: #1a2029; --accent: #5eead4; }
}
* { box-sizing: border-box; }
html { scroll-behavior: smooth; scroll-padding-top: 1rem; }
body { margin: 0; display: grid; grid-template-columns: 17rem minmax(0, 1fr); color: var(--ink); background: var(--paper); font: 15px/1.6 system-ui, sans-serif; }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.5rem 1rem; border-right: 1px solid var(--line); background: var(--soft); font-size: 14px; }
nav b { display: block; margin: 1.1rem 0 .2rem; }
nav a { display: block; padding: .1rem .5rem; color: inherit; text-decoration: none; border-radius: 4px; overflow: hidden; text-overflow: ellipsis; }
nav a:hover { background: var(--line); }
main { max-width: 56rem; padding: 2rem 2.5rem 6rem; }
h1 { margin: 0; font-size: 1.9rem; }
h2 { margin: 3.5rem 0 .5rem; padding-top: 1rem; border-top: 1px solid var(--line); }
h3 { margin: 2.5rem 0 .3rem; }
h4 { margin: 1.2rem 0 .3rem; color: var(--quiet); font-size: 13px; text-transform: uppercase; letter-spacing: .05em; }
a { color: var(--accent); }
code, pre { font: 13px/1.5 ui-monospace, monospace; }
code { background: var(--soft); border-radius: 4px; padding: .1em .3em; overflow-wrap: anywhere; }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: 8px; padding: .8rem 1rem; overflow-x: auto; }
pre code { background: none; padding: 0; overflow-wrap: normal; }
table { width: 100%; border-collapse: collapse; }
td { padding: .5rem .6rem .5rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td:first-child { width: 36%; }
.quiet { color: var(--quiet); font-size: 13px; }
.need { color: var(--accent); font-size: 12px; }
.route { margin: 0 0 .5rem; }
.verb { display: inline-block; min-width: 3.6rem; padding: .1rem .4rem; border-radius: 4px; font: 600 12px/1.5 ui-monospace, monospace; text-align: center; color: #fff; background: #475467; }
.get { background: #175cd3; } .post { background: #067647; } .patch { background: #93370d; } .delete { background: #b42318; }
summary { cursor: pointer; padding: .3rem 0; }
@media (max-width: 52rem) { body { display: block; } nav { position: static; height: auto; max-height: 40vh; } main { padding: 1.2rem; } }
`;
