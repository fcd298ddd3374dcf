import { callOf, compileArguments, compileExpression, type Evaluate, filtered } from './expressions.js';
import type { CallBlock, For, Macro, Node, Parameter, SetNode } from './nodes.js';
import { Scope } from './scope.js';
import {
  argument,
  type Arguments,
  Callable,
  isTrue,
  itemsOf,
  Namespace,
  TemplateError,
  textOf,
  Tuple,
  Undefined,
  type Value,
} from './values.js';

/** What left a block early. */
type Jump = 'break' | 'continue' | undefined;
/** A compiled statement; its output goes to `out`. */
type Run = (scope: Scope, out: string[]) => Jump;

/** Compiles a block to a function. @throws TemplateError for a node that is not a statement. */
export function compileBlock(nodes: readonly Node[]): Run {
  const parts = nodes.map(compileStatement);
  return (scope, out) => {
    for (const part of parts) {
      const jump = part(scope, out);
      if (jump !== undefined) return jump;
    }
    return undefined;
  };
}

function compileStatement(node: Node): Run {
  switch (node.type) {
    case 'Comment':
      return () => undefined;
    case 'Break':
      return () => 'break';
    case 'Continue':
      return () => 'continue';
    case 'If': {
      const [test, yes, no] = [compileExpression(node.test), compileBlock(node.body), compileBlock(node.alternate)];
      return (scope, out) => (isTrue(test(scope)) ? yes : no)(scope, out);
    }
    case 'For':
      return compileFor(node);
    case 'Set':
      return compileSet(node);
    case 'Macro':
      return compileMacro(node);
    case 'CallStatement':
      return compileCallBlock(node);
    case 'FilterStatement': {
      const body = printed(node.body);
      const apply = filtered((scope) => body(new Scope(scope)), node.filter);
      return printing(apply);
    }
    default:
      return printing(compileExpression(node));
  }
}

const printing =
  (value: Evaluate): Run =>
  (scope, out) => {
    out.push(textOf(value(scope)));
    return undefined;
  };

/** Output of a block as text. */
function printed(nodes: readonly Node[]): (scope: Scope) => string {
  const body = compileBlock(nodes);
  return (scope) => {
    const out: string[] = [];
    body(scope, out);
    return out.join('');
  };
}

type Assign = (scope: Scope, value: Value) => void;

/** Assignment to a name, to several names, or to an attribute of a namespace. */
function compileTarget(node: Node): Assign {
  if (node.type === 'Identifier') return (scope, value) => scope.set(node.value, value);
  if (node.type === 'TupleLiteral') {
    const targets = node.value.map(compileTarget);
    return (scope, value) => {
      const items = [...itemsOf(value)];
      if (items.length !== targets.length) throw new TemplateError(`cannot unpack ${items.length} values into ${targets.length} names`);
      for (const [i, target] of targets.entries()) target(scope, items[i] ?? null);
    };
  }
  if (node.type !== 'MemberExpression' || node.property.type !== 'Identifier') throw new TemplateError('This cannot be assigned to');
  const [owner, name] = [compileExpression(node.object), node.property.value];
  return (scope, value) => {
    const object = owner(scope);
    if (!(object instanceof Namespace)) throw new TemplateError('cannot assign attribute on non-namespace object');
    object.attributes.set(name, value);
  };
}

function compileSet({ assignee, value, body }: SetNode): Run {
  if (value === null && assignee.type === 'FilterExpression') throw new TemplateError('Filters of set blocks are not known');
  const [assign, block] = [compileTarget(assignee), printed(body)];
  const made: Evaluate = value === null ? (scope) => block(new Scope(scope)) : compileExpression(value);
  return (scope) => {
    assign(scope, made(scope));
    return undefined;
  };
}

function compileFor({ loopvar, iterable, body, defaultBlock }: For): Run {
  const [source, test] = iterable.type === 'SelectExpression' ? [iterable.lhs, compileExpression(iterable.test)] : [iterable, null];
  const [items, target] = [compileExpression(source), compileTarget(loopvar)];
  const [block, instead] = [compileBlock(body), compileBlock(defaultBlock)];
  const passes = (scope: Scope, item: Value): boolean => {
    const inner = new Scope(scope);
    target(inner, item);
    return test === null || isTrue(test(inner));
  };
  return (scope, out) => {
    const found = [...itemsOf(items(scope))];
    const list = test === null ? found : found.filter((item) => passes(scope, item));
    if (list.length === 0) return instead(new Scope(scope), out);
    const changes = new LoopMemory();
    for (const [i, item] of list.entries()) {
      const inner = new Scope(scope);
      inner.set('loop', loopAt(list, i, changes));
      target(inner, item);
      if (block(inner, out) === 'break') break;
    }
    return undefined;
  };
}

/** Last arguments of `loop.changed`. */
class LoopMemory {
  #last: string | undefined;

  readonly changed = new Callable('changed', ({ positional }) => {
    const now = JSON.stringify(positional.map(textOf));
    const isNew = now !== this.#last;
    this.#last = now;
    return isNew;
  });
}

function loopAt(list: readonly Value[], i: number, { changed }: LoopMemory): Value {
  const { length } = list;
  const cycle = new Callable('cycle', ({ positional }) => positional[i % positional.length] ?? null);
  return new Namespace(
    new Map<string, Value>([
      ['index', i + 1],
      ['index0', i],
      ['revindex', length - i],
      ['revindex0', length - i - 1],
      ['first', i === 0],
      ['last', i === length - 1],
      ['length', length],
      ['depth', 1],
      ['depth0', 0],
      ['previtem', i > 0 ? (list[i - 1] ?? null) : new Undefined('there is no previous item')],
      ['nextitem', i < length - 1 ? (list[i + 1] ?? null) : new Undefined('there is no next item')],
      ['cycle', cycle],
      ['changed', changed],
    ]),
  );
}

function compileMacro({ name, args, body }: Macro): Run {
  const make = macro(name.value, args, body);
  return (scope) => {
    scope.set(name.value, make(scope));
    return undefined;
  };
}

function compileCallBlock({ call, callerArgs, body }: CallBlock): Run {
  const [target, given, make] = [compileExpression(call.callee), compileArguments(call.args), macro('caller', callerArgs ?? [], body)];
  return (scope, out) => {
    const { positional, named } = given(scope);
    out.push(textOf(callOf(target(scope), { positional, named: new Map([...named, ['caller', make(scope)]]) })));
    return undefined;
  };
}

/** A macro as a function. It reads the variables of its scope at the time of the call. */
function macro(title: string, parameters: readonly Parameter[], body: readonly Node[]): (scope: Scope) => Callable {
  const bind = binder(title, parameters, namesIn(body));
  const block = printed(body);
  return (outer) =>
    new Callable(title, (args) => {
      const scope = new Scope(outer);
      bind(scope, args);
      return block(scope);
    });
}

function binder(title: string, parameters: readonly Parameter[], used: ReadonlySet<string>): (scope: Scope, args: Arguments) => void {
  const list = parameters.map((parameter) =>
    parameter.type === 'Identifier'
      ? { name: parameter.value, otherwise: null }
      : { name: parameter.key.value, otherwise: compileExpression(parameter.value) },
  );
  const extra = ['caller'].filter((name) => used.has(name) && !list.some((each) => each.name === name));
  return (scope, { positional, named }) => {
    const rest = new Map(named);
    for (const [i, { name, otherwise }] of list.entries()) {
      const given = argument({ positional, named }, i, name);
      rest.delete(name);
      if (given !== undefined) scope.set(name, given);
      else scope.set(name, otherwise === null ? new Undefined(`parameter '${name}' was not provided`) : otherwise(scope));
    }
    for (const name of extra) scope.set(name, rest.get(name) ?? new Undefined(`No ${name} defined`));
    for (const name of extra) rest.delete(name);
    if (used.has('varargs')) scope.set('varargs', Tuple.from(positional.slice(list.length)) as Tuple);
    else if (positional.length > list.length) throw new TemplateError(`macro '${title}' takes not more than ${list.length} argument(s)`);
    if (used.has('kwargs')) scope.set('kwargs', new Map(rest));
    else if (rest.size > 0) throw new TemplateError(`macro '${title}' takes no keyword argument '${[...rest.keys()].join(', ')}'`);
  };
}

/** Names used in a block. */
function namesIn(nodes: unknown, found = new Set<string>()): ReadonlySet<string> {
  if (nodes instanceof Map) {
    for (const [key, value] of nodes) namesIn([key, value], found);
  } else if (Array.isArray(nodes)) {
    for (const node of nodes) namesIn(node, found);
  } else if (typeof nodes === 'object' && nodes !== null) {
    const { type, value } = nodes as { type?: unknown; value?: unknown };
    if (type === 'Identifier' && typeof value === 'string') found.add(value);
    else namesIn(Object.values(nodes), found);
  }
  return found;
}
