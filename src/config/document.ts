// The published forms of the configuration: its JSON schema, and docs/configuration.md as text. It writes
// no file: scripts/docs.ts does, and a test compares.

import { z } from 'zod';
import { fileSchema } from './file.ts';
import { environmentSchema } from './server.ts';

/** The part of a JSON schema (draft 2020-12) that this file reads, as zod writes it. */
interface Schema {
  /** Several: a plain text or number that may be null, too. */
  type?: string | string[];
  description?: string;
  default?: unknown;
  enum?: unknown[];
  const?: unknown;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | false;
  items?: Schema;
  anyOf?: Schema[];
}

/** The JSON schema of the configuration file: what may be written in it, before defaults and secrets are filled in. */
export function configSchema(): Schema {
  const schema = fileSchema({ variable: () => undefined, file: () => undefined });
  return { title: 'Ramz configuration file', ...z.toJSONSchema(schema, { io: 'input' }) } as Schema;
}

/** One setting as the table shows it. */
export interface SettingRow {
  path: string;
  form: string;
  default: string;
  meaning: string;
}

/** Every setting of the file, in the order of declaration. */
export function fileRows(): SettingRow[] {
  return rowsOf(configSchema(), '');
}

/** Every environment variable. */
export function environmentRows(): SettingRow[] {
  return Object.entries(environmentSchema.shape).map(([path, schema]) => {
    const preset = schema.safeParse(undefined).data;
    const value = preset === undefined ? 'unset' : `\`${String(preset)}\``;
    return { path, form: '', default: value, meaning: schema.description ?? '' };
  });
}

function rowsOf(group: Schema, prefix: string): SettingRow[] {
  return Object.entries(group.properties ?? {}).flatMap(([key, schema]) => {
    const path = `${prefix}${key}`;
    const row = {
      path,
      form: formOf(schema),
      default: defaultOf(schema, group, key),
      meaning: schema.description ?? '',
    };
    const { inner, suffix } = contentOf(schema);
    return inner ? [row, ...rowsOf(inner, `${path}${suffix}.`)] : [row];
  });
}

/** The group of settings inside this one, if it is a group or a list of groups. */
function contentOf(schema: Schema): { inner?: Schema; suffix: string } {
  if (isSecret(schema)) return { suffix: '' };
  const set = withoutNull(schema);
  if (set.properties) return { inner: set, suffix: '' };
  if (set.items?.properties) return { inner: set.items, suffix: '[]' };
  return { suffix: '' };
}

function formOf(schema: Schema): string {
  const set = withoutNull(schema);
  if (isSecret(set)) return 'secret';
  if (set.enum) return set.enum.map((value) => `\`${String(value)}\``).join(', ');
  if (set.type === 'array') return set.items?.properties ? 'list of groups' : 'list of texts';
  if (set.properties) return 'group';
  if (set.type === 'object') return 'map';
  if (set.type === 'string') return 'text';
  if (set.type === 'boolean') return '`true`, `false`';
  const lowest = set.minimum ?? `> ${set.exclusiveMinimum}`;
  return `${set.type === 'integer' ? 'whole number' : 'number'}, ${lowest} to ${set.maximum}`;
}

function defaultOf(schema: Schema, group: Schema, key: string): string {
  if (group.required?.includes(key)) return '**required**';
  const { inner } = contentOf(schema);
  if (schema.default === undefined && !isNullable(schema)) return 'unset';
  if (inner && !Array.isArray(schema.default) && !isNullable(schema)) return 'see below';
  return `\`${JSON.stringify(schema.default ?? null)}\``;
}

function isNullable(schema: Schema): boolean {
  return schema.type?.includes('null') || (schema.anyOf?.some((option) => option.type === 'null') ?? false);
}

function withoutNull(schema: Schema): Schema {
  if (Array.isArray(schema.type)) {
    const [type, ...more] = schema.type.filter((each) => each !== 'null');
    return type === undefined || more.length > 0 ? schema : { ...schema, type };
  }
  const rest = schema.anyOf?.filter((option) => option.type !== 'null');
  return rest?.length === 1 && rest[0] ? rest[0] : schema;
}

function isSecret(schema: Schema): boolean {
  return withoutNull(schema).anyOf?.some((option) => option.properties?.env) ?? false;
}

/** docs/configuration.md. */
export function configurationPage(): string {
  const files = fileRows();
  const section = (group: string) => files.filter((row) => row.path === group || row.path.startsWith(`${group}.`));
  const operators = files.filter((row) => row.path.startsWith('operators'));
  const groups = ['service', 'verify', 'limits', 'webhooks'];
  const top = files.filter((row) => !/[.[]/.test(row.path) && !row.path.startsWith('$'));
  return `${[
    introduction,
    '## Environment',
    environmentText,
    table(environmentRows(), false),
    '## File',
    fileText,
    table(top, true),
    ...groups.flatMap((group) => [`### ${group}`, table(section(group).slice(1), true)]),
    '### messaging',
    'What must be set up at the platform for it: [channels.md](channels.md).',
    table(section('messaging').slice(1), true),
    '### voice',
    'What a trunk needs, and what each of its answers does: [voice.md](voice.md).',
    table(section('voice').slice(1), true),
    '### operators',
    'What each of them is for, and its trap: [operators.md](operators.md).',
    table(operators.slice(1), true),
  ].join('\n\n')}\n`;
}

function table(rows: SettingRow[], withForm: boolean): string {
  const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  const pick = (row: SettingRow) => [`\`${row.path}\``, ...(withForm ? [row.form] : []), row.default, row.meaning];
  const head = ['setting', ...(withForm ? ['form'] : []), 'default', 'meaning'];
  return [line(head), line(head.map(() => '---')), ...rows.map((row) => line(pick(row)))].join('\n');
}

const introduction = `<!-- Generated from src/config by scripts/docs.ts (npm run generate). DO NOT EDIT. -->
# Configuration

Every setting and its default. How to connect an operator, step by step: [operators.md](operators.md).`;

const environmentText = 'An empty variable counts as unset. Paths are relative to the working directory.';

const fileText = `\`RAMZ_CONFIG\` names one JSON file. Its schema is [config.schema.json](config.schema.json); name it in \`$schema\` and an editor
helps while you type. [An example](examples/ramz.config.json).

- A key that is not a setting is an error, as is one that is given twice and anything else that does not fit: the start stops, and every error is printed with its path,
  e.g. \`operators[0].binds[1].port: must be at most 65535\`.
- A *secret* is \`{"env": "NAME"}\` or \`{"file": "/path"}\` (white space at the end of the file is dropped), or the text itself, which
  then lies in the file in clear. One that is missing stops the start.
- \`SIGHUP\` reads the file and the [key ring](service-keys.md) again. Binds of operators whose connection settings are the same stay up. Ports that have a certificate take a new one from its files,
  for connections from then on. Variables of the environment and the other files that they name (tokens), \`sandbox\`, \`scenario_prefix\`, \`webhooks\`, \`voice.media\` and \`voice.prompts\` keep their value until a restart: every
  reload logs those that differ from it (\`restart_needed_for\`). A file with errors changes nothing: its errors are logged,
  \`ramz_reread_refused{what}\` is 1 until a file without any is read, and the rule \`RamzRereadRefused\` opens a ticket. A process that is still starting reads both again when it is ready.`;
