// The routes of the contract: a verb and a path lead to a method. They come from the google.api.http annotations alone, of which
// the contract uses literal segments and `{variable}` for one segment.

import type {
  DescField,
  DescMessage,
  DescMethod,
  DescMethodServerStreaming,
  DescMethodUnary,
} from '@bufbuild/protobuf';
import type { HttpRule } from '../../gen/google/api/http_pb.ts';
import { httpRule } from '../waist/method-options.ts';

/** A stream is answered by Server-Sent Events. */
type RoutedMethod = DescMethodUnary | DescMethodServerStreaming;

export interface Route {
  method: RoutedMethod;
  verb: string;
  template: string;
  segments: Segment[];
  /** `*` = the whole message, a name = that field, empty = no body. */
  body: string;
  /** The field that is the whole answer; undefined = the message is. */
  responseField: DescField | undefined;
}

export type Match =
  | { kind: 'found'; route: Route; variables: Record<string, string> }
  | { kind: 'wrong_verb'; allow: string[] }
  /** A percent sign that encodes nothing. */
  | { kind: 'malformed' }
  | { kind: 'none' };

export interface Router {
  routes: readonly Route[];
  match(verb: string, path: string): Match;
}

/** Throws when two methods claim the same verb and path, or an annotation can't be read. */
export function createRouter(methods: Iterable<DescMethod>): Router {
  const routes = [...methods].flatMap(routesOf);
  const plain = new Map<string, Map<string, Route>>();
  const patterns: Route[] = [];
  for (const route of routes) {
    if (route.segments.some((segment) => segment.kind === 'variable')) patterns.push(route);
    else {
      const verbs = plain.get(route.template) ?? new Map<string, Route>();
      if (verbs.has(route.verb)) throw new Error(`two methods for ${route.verb} ${route.template}`);
      plain.set(route.template, verbs.set(route.verb, route));
    }
  }
  return {
    routes,
    match(verb, path) {
      const verbs = plain.get(path);
      if (verbs) {
        const route = verbs.get(verb);
        return route ? { kind: 'found', route, variables: {} } : { kind: 'wrong_verb', allow: [...verbs.keys()] };
      }
      return matchPatterns(patterns, verb, path);
    },
  };
}

function matchPatterns(patterns: Route[], verb: string, path: string): Match {
  const parts = path.slice(1).split('/');
  const fitting = patterns.filter(({ segments }) => fits(segments, parts));
  if (fitting.length === 0) return { kind: 'none' };
  const route = fitting.find((each) => each.verb === verb);
  if (!route) return { kind: 'wrong_verb', allow: fitting.map((each) => each.verb) };
  const variables: Record<string, string> = {};
  try {
    for (const [index, segment] of route.segments.entries()) {
      if (segment.kind === 'variable') variables[segment.field] = decodeURIComponent(parts[index] ?? '');
    }
  } catch {
    return { kind: 'malformed' };
  }
  return { kind: 'found', route, variables };
}

function fits(segments: Segment[], parts: string[]): boolean {
  return (
    segments.length === parts.length &&
    segments.every((segment, index) =>
      segment.kind === 'literal' ? segment.text === parts[index] : parts[index] !== '',
    )
  );
}

function routesOf(method: DescMethod): Route[] {
  const rule = httpRule(method);
  if (!rule) return [];
  if (!isRouted(method)) throw new Error(`${method.name}: a stream of requests has no route`);
  return [rule, ...rule.additionalBindings].map((binding) => routeOf(method, binding));
}

function routeOf(method: RoutedMethod, { pattern, body, responseBody }: HttpRule): Route {
  if (pattern.case === undefined || pattern.case === 'custom') throw new Error(`${method.name}: no verb and path`);
  const responseField = method.output.fields.find((field) => field.name === responseBody);
  if (responseBody && !responseField) throw new Error(`${method.output.typeName} has no field ${responseBody}`);
  if (method.methodKind === 'server_streaming') {
    // Browsers ask for events by GET alone, and continue where they were by the header `Last-Event-ID`.
    const isContinued = method.input.fields.some(({ name }) => name === 'last_event_id');
    if (pattern.case !== 'get' || responseBody || !isContinued) {
      throw new Error(`${method.name}: a stream is read by GET, answers whole messages and takes a last_event_id`);
    }
  }
  if (body && body !== '*' && !method.input.fields.some((field) => field.name === body)) {
    throw new Error(`${method.input.typeName} has no field ${body}`);
  }
  return {
    method,
    verb: pattern.case.toUpperCase(),
    template: pattern.value,
    segments: parseTemplate(pattern.value, method.input),
    body,
    responseField,
  };
}

const isRouted = (method: DescMethod): method is RoutedMethod =>
  method.methodKind === 'unary' || method.methodKind === 'server_streaming';

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
