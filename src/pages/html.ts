// The HTML of our pages without scripts. Every value is escaped unless this file made it, so that no text of a caller can become markup.

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
