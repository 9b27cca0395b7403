// Reads which names a script takes from outside itself: those it never declares, and what it asks of `window` and `document`. Used by the test
// of what elements of a page could replace.
import { parseSync } from 'vite';

type Node = { type: string; [member: string]: unknown };

export interface Outside {
  /** Names that no scope around their use declares. */
  free: string[];
  /** Members of window and document, as `document.body`; `document[…]` where the name is computed. */
  members: string[];
  /** Where window or document is used as a value of its own, as the kind of expression around it. */
  whole: string[];
  /** Ids and names that elements get from anything but a literal, and spreads that may hold them. */
  named: string[];
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

const childrenOf = (node: Node): [string, Node][] =>
  Object.entries(node).flatMap(([member, value]) =>
    (Array.isArray(value) ? value : [value]).filter(isNode).map((child): [string, Node] => [member, child]),
  );

/** Types are erased: of their nodes only the expression that a few hold is left. */
const runsOf = (node: Node): [string, Node][] =>
  node.type.startsWith('TS')
    ? childrenOf(node).filter(([member]) => member === 'expression')
    : childrenOf(node).filter(
        ([member]) => !/^(?:typeAnnotation|typeArguments|typeParameters|returnType)$/.test(member),
      );

const isFunction = ({ type }: Node): boolean =>
  /^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(type);

/** Names that a pattern binds. */
function boundBy(pattern: Node): string[] {
  if (pattern.type === 'Identifier') return [pattern.name as string];
  if (pattern.type === 'AssignmentPattern') return boundBy(pattern.left as Node);
  if (pattern.type === 'Property') return boundBy(pattern.value as Node);
  return /^(?:ObjectPattern|ArrayPattern|RestElement)$/.test(pattern.type)
    ? childrenOf(pattern).flatMap(([, child]) => boundBy(child))
    : [];
}

/** What a function, or the whole script, declares; a block counts with the function that it is in. */
function declaredIn(scope: Node): string[] {
  const own = isFunction(scope)
    ? [...(scope.params as Node[]), ...(scope.id ? [scope.id as Node] : [])].flatMap(boundBy)
    : [];
  const inside = (node: Node): string[] =>
    runsOf(node).flatMap(([, child]) => {
      if (/^(?:Function|Class)Declaration$/.test(child.type)) {
        const id = child.id ? boundBy(child.id as Node) : [];
        return isFunction(child) ? id : [...id, ...inside(child)];
      }
      if (isFunction(child)) return [];
      const bound =
        child.type === 'VariableDeclarator'
          ? (child.id as Node)
          : child.type === 'CatchClause'
            ? (child.param as Node | null)
            : null;
      const local = /^Import\w*Specifier$/.test(child.type) ? boundBy(child.local as Node) : [];
      return [...(bound ? boundBy(bound) : []), ...local, ...inside(child)];
    });
  return [...own, ...inside(scope)];
}

const globals = new Set(['window', 'document', 'globalThis', 'self', 'top', 'parent', 'frames']);

/** The name is written there, and refers to nothing: a key, a member after a dot, a label. */
const isOnlyName = (member: string, parent: Node): boolean =>
  (member === 'property' && parent.type === 'MemberExpression' && parent.computed !== true) ||
  (member === 'key' && parent.computed !== true && parent.shorthand !== true) ||
  member === 'label' ||
  /^(?:Import|Export)\w*Specifier$|^MetaProperty$/.test(parent.type);

export function outsideOf(path: string, code: string): Outside {
  const { program, errors } = parseSync(path, code);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const found: Outside = { free: [], members: [], whole: [], named: [] };
  const visit = (node: Node, member: string, parent: Node, scopes: readonly ReadonlySet<string>[]): void => {
    const own = isFunction(node) ? [...scopes, new Set(declaredIn(node))] : scopes;
    if (node.type === 'Identifier' && !isOnlyName(member, parent)) {
      const name = node.name as string;
      if (!scopes.some((scope) => scope.has(name))) {
        if (!globals.has(name)) found.free.push(name);
        else if (member === 'object' && parent.type === 'MemberExpression')
          found.members.push(`${name}${parent.computed ? '[…]' : `.${(parent.property as Node).name}`}`);
        else found.whole.push(`${name} in ${parent.type}`);
      }
    }
    found.named.push(...namedBy(node));
    for (const [name, child] of runsOf(node)) visit(child, name, node, own);
  };
  const root = program as unknown as Node;
  visit(root, '', root, [new Set(declaredIn(root))]);
  return found;
}

/** Elements of the page alone: components have capital letters, and their `name` is a word of theirs. */
function namedBy(node: Node): string[] {
  const name = node.name as Node | undefined;
  if (node.type !== 'JSXOpeningElement' || !/^[a-z]/.test((name as { name?: string } | undefined)?.name ?? ''))
    return [];
  return (node.attributes as Node[]).flatMap((attribute) => {
    if (attribute.type === 'JSXSpreadAttribute') return ['a spread'];
    const { name: called, value } = attribute as unknown as { name: { name: string }; value: Node | null };
    return /^(?:id|name)$/.test(called.name) && value?.type !== 'Literal' ? [called.name] : [];
  });
}
