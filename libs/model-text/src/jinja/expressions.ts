import { filterNamed } from './filters.js';
import { getAttribute, getItem, sliceOf } from './members.js';
import type { Call, FilterName, Member, Node } from './nodes.js';
import { OPERATORS, signed } from './operators.js';
import type { Scope } from './scope.js';
import { testNamed } from './tests.js';
import {
  type Arguments,
  Callable,
  Float,
  isDict,
  isText,
  isTrue,
  itemsOf,
  TemplateError,
  textOf,
  Tuple,
  typeName,
  Undefined,
  type Value,
} from './values.js';

/** An expression, ready to be evaluated. */
export type Evaluate = (scope: Scope) => Value;

/** Compiles an expression to a function. @throws TemplateError for a node that is not an expression. */
export function compileExpression(node: Node): Evaluate {
  switch (node.type) {
    case 'StringLiteral':
    case 'IntegerLiteral':
      return constant(node.value);
    case 'FloatLiteral':
      return constant(Number.isInteger(node.value) ? new Float(node.value) : node.value);
    case 'Identifier':
      return (scope) => scope.get(node.value);
    case 'ArrayLiteral':
      return list(node.value);
    case 'TupleLiteral': {
      const items = list(node.value);
      return (scope) => Tuple.from(items(scope)) as Tuple;
    }
    case 'ObjectLiteral':
      return dict(node.value);
    case 'MemberExpression':
      return member(node);
    case 'CallExpression':
      return call(node);
    case 'FilterExpression':
      return filtered(compileExpression(node.operand), node.filter);
    case 'TestExpression': {
      const [operand, test] = [compileExpression(node.operand), node.test.value];
      return (scope) => testNamed(test)(operand(scope)) !== node.negate;
    }
    default:
      return compileOperation(node);
  }
}

function compileOperation(node: Node): Evaluate {
  switch (node.type) {
    case 'BinaryExpression':
      return binary(node.operator.value, compileExpression(node.left), compileExpression(node.right));
    case 'UnaryExpression': {
      const operand = compileExpression(node.argument);
      const sign = node.operator.value;
      return sign === 'not' ? (scope) => !isTrue(operand(scope)) : (scope) => signed(sign, operand(scope));
    }
    case 'Ternary':
      return choice(node.condition, compileExpression(node.trueExpr), compileExpression(node.falseExpr));
    case 'SelectExpression':
      return choice(node.test, compileExpression(node.lhs), () => new Undefined('the value of an if without else'));
    default:
      throw new TemplateError(`${node.type} is not an expression`);
  }
}

const constant =
  (value: Value): Evaluate =>
  () =>
    value;

function list(nodes: readonly Node[]): (scope: Scope) => Value[] {
  const items = nodes.map(compileExpression);
  return (scope) => items.map((item) => item(scope));
}

function dict(nodes: ReadonlyMap<Node, Node>): Evaluate {
  const members = Array.from(nodes, ([key, value]) => [compileExpression(key), compileExpression(value)] as const);
  return (scope) => new Map(members.map(([key, value]) => [hashable(key(scope)), value(scope)]));
}

function hashable(key: Value): Value {
  if (Array.isArray(key) || key instanceof Map) throw new TemplateError(`unhashable type: '${typeName(key)}'`);
  return isText(key) ? textOf(key) : key;
}

function choice(test: Node, yes: Evaluate, no: Evaluate): Evaluate {
  const condition = compileExpression(test);
  return (scope) => (isTrue(condition(scope)) ? yes(scope) : no(scope));
}

function binary(operator: string, left: Evaluate, right: Evaluate): Evaluate {
  if (operator === 'and' || operator === 'or') {
    return (scope) => {
      const first = left(scope);
      return isTrue(first) === (operator === 'and') ? right(scope) : first;
    };
  }
  const apply = OPERATORS[operator];
  if (!apply) throw new TemplateError(`No operator ${operator}`);
  return (scope) => apply(left(scope), right(scope));
}

function member({ object, property, computed }: Member): Evaluate {
  const owner = compileExpression(object);
  if (property.type === 'SliceExpression') {
    const [start, stop, step] = [property.start, property.stop, property.step].map((part) =>
      part ? compileExpression(part) : constant(null),
    );
    return (scope) => sliceOf(owner(scope), start?.(scope) ?? null, stop?.(scope) ?? null, step?.(scope) ?? null);
  }
  if (!computed && property.type === 'Identifier') return (scope) => getAttribute(owner(scope), property.value);
  const key = compileExpression(property);
  return (scope) => getItem(owner(scope), key(scope));
}

function call({ callee, args }: Call): Evaluate {
  const [target, given] = [compileExpression(callee), compileArguments(args)];
  return (scope) => callOf(target(scope), given(scope));
}

/** Calls a value. @throws TemplateError for a value that cannot be called. */
export function callOf(target: Value, args: Arguments): Value {
  if (target instanceof Callable) return target.call(args);
  if (target instanceof Undefined) return target.refuse();
  throw new TemplateError(`'${typeName(target)}' object is not callable`);
}

/** A filter applied to a value. */
export function filtered(operand: Evaluate, filter: FilterName): Evaluate {
  const name = filter.type === 'Identifier' ? filter : filter.callee;
  if (name.type !== 'Identifier') throw new TemplateError('A filter is a name');
  const given = compileArguments(filter.type === 'Identifier' ? [] : filter.args);
  return (scope) => filterNamed(name.value)(operand(scope), given(scope));
}

const NO_ARGUMENTS: Arguments = { positional: [], named: new Map() };

/** The arguments of a call. */
export function compileArguments(nodes: readonly Node[]): (scope: Scope) => Arguments {
  if (nodes.length === 0) return () => NO_ARGUMENTS;
  const parts = nodes.map(compileArgument);
  return (scope) => {
    const args = { positional: [] as Value[], named: new Map<string, Value>() };
    for (const part of parts) part(scope, args);
    return args;
  };
}

type Give = (scope: Scope, to: { positional: Value[]; named: Map<string, Value> }) => void;

function compileArgument(node: Node): Give {
  if (node.type === 'KeywordArgumentExpression') {
    const value = compileExpression(node.value);
    return (scope, { named }) => void named.set(node.key.value, value(scope));
  }
  if (node.type === 'SpreadExpression') {
    const items = compileExpression(node.argument);
    return (scope, { positional }) => void positional.push(...itemsOf(items(scope)));
  }
  if (node.type === 'KeywordSpreadExpression') {
    const members = compileExpression(node.argument);
    return (scope, { named }) => {
      const mapping = members(scope);
      if (!isDict(mapping)) throw new TemplateError(`argument after ** must be a mapping, not ${typeName(mapping)}`);
      for (const [key, value] of mapping) named.set(textOf(key), value);
    };
  }
  const value = compileExpression(node);
  return (scope, { positional }) => void positional.push(value(scope));
}
