// Path templates of google.api.http, as far as the contract uses them: literal segments and `{variable}` for one segment.

import type { DescMessage } from '@bufbuild/protobuf';

export type Segment = { kind: 'literal'; text: string } | { kind: 'variable'; field: string };

/** Throws for a template this router does not understand, or one that names no field: the contract is wrong then. */
export function parseTemplate(template: string, input: DescMessage): Segment[] {
  if (!template.startsWith('/')) throw new Error(`${template} does not start with a slash`);
  return template
    .slice(1)
    .split('/')
    .map((part) => {
      const variable = /^\{([a-z][a-z0-9_]*)(?:=\*)?\}$/.exec(part)?.[1];
      if (variable === undefined) {
        if (!/^[\w.~-]+$/.test(part)) throw new Error(`${template}: can't read ${part}`);
        return { kind: 'literal', text: part };
      }
      if (!input.fields.some((field) => field.name === variable)) {
        throw new Error(`${template}: ${input.typeName} has no field ${variable}`);
      }
      return { kind: 'variable', field: variable };
    });
}
