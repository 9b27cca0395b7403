// Draws a flame graph as SVG: widths are time, the outermost frame is at the bottom. Pure.

import type { Stack } from './profile.ts';

interface Block {
  name: string;
  module: string;
  us: number;
  children: Map<string, Block>;
}

export interface FlameOptions {
  title: string;
  /** What the whole width stands for, e.g. µs of CPU per verification; labels are told in it. */
  total: number;
  unit: string;
}

const width = 1200;
const rowHeight = 18;
const headHeight = 44;
/** Narrower blocks are left out, and what stands on them. */
const leastPixels = 1.5;
const pixelsPerCharacter = 6.6;

/** Ours by folder, others by kind. */
const colours: readonly [pattern: RegExp, colour: string][] = [
  [/^src\/api/, '#f2a65a'],
  [/^src\/engine/, '#ee964b'],
  [/^src\/core/, '#f4d35e'],
  [/^src\/db/, '#d9a441'],
  [/^src\/(smpp|channels)/, '#f78e69'],
  [/^src\//, '#f6bd60'],
  [/^(pg|pg-pool|pg-protocol|pg-types)$/, '#7fb7be'],
  [/^node/, '#c3cbd3'],
  [/^\(native\)$/, '#aab4bf'],
];

export function flameGraph(stacks: readonly Stack[], { title, total, unit }: FlameOptions): string {
  const root: Block = { name: 'all', module: '(native)', us: 0, children: new Map() };
  for (const { frames, us } of stacks) {
    let block = root;
    block.us += us;
    for (const { module, name } of frames) {
      const key = `${module} ${name}`;
      const child = block.children.get(key) ?? { name, module, us: 0, children: new Map() };
      block.children.set(key, child);
      child.us += us;
      block = child;
    }
  }
  const drawn = { text: '', rows: 0 };
  const scale = { pixels: width / root.us, told: total / root.us, unit };
  draw(root, 0, 0, scale, drawn);
  const height = headHeight + drawn.rows * rowHeight;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, monospace" font-size="11">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    `<text x="8" y="20" font-size="14" fill="#222">${escaped(title)}</text>`,
    `<text x="8" y="36" fill="#666">width = time on the processor; point at a block for its share</text>`,
    `<g transform="translate(0 ${height})">${drawn.text}</g>`,
    '</svg>\n',
  ].join('\n');
}

interface Scale {
  pixels: number;
  told: number;
  unit: string;
}

function draw(block: Block, x: number, row: number, scale: Scale, drawn: { text: string; rows: number }): void {
  const wide = block.us * scale.pixels;
  if (wide < leastPixels) return;
  drawn.rows = Math.max(drawn.rows, row + 1);
  const own = nameOf(block);
  const label = own.slice(0, Math.max(0, Math.floor((wide - 4) / pixelsPerCharacter)));
  const y = -(row + 1) * rowHeight;
  const share = `${own}: ${(block.us * scale.told).toFixed(1)} ${scale.unit}, ${((wide / width) * 100).toFixed(1)} %`;
  drawn.text += `\n<g><title>${escaped(share)}</title><rect x="${x.toFixed(1)}" y="${y}" width="${Math.max(0.5, wide - 0.5).toFixed(1)}" height="${rowHeight - 1}" fill="${colourOf(block.module)}"/>`;
  if (label.length >= 3) drawn.text += `<text x="${(x + 3).toFixed(1)}" y="${y + 12}">${escaped(label)}</text>`;
  drawn.text += '</g>';
  let at = x;
  for (const child of [...block.children.values()].toSorted((a, b) =>
    a.module + a.name < b.module + b.name ? -1 : 1,
  )) {
    draw(child, at, row + 1, scale, drawn);
    at += child.us * scale.pixels;
  }
}

function nameOf({ name, module }: Block): string {
  if (name === module || module === '(native)') return name;
  return name === '(anonymous)' ? module : `${name} ${module}`;
}

const colourOf = (module: string): string => colours.find(([pattern]) => pattern.test(module))?.[1] ?? '#a3c4bc';

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
