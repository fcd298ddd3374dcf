import { parse, tokenize } from '@huggingface/jinja';

interface Literal<Type extends string, T> {
  readonly type: Type;
  readonly value: T;
}

/** `name`, as a parameter or variable. */
export type Name = Literal<'Identifier', string>;
/** `name=value` */
export interface NamedArgument {
  readonly type: 'KeywordArgumentExpression';
  readonly key: Name;
  readonly value: Node;
}
export type Parameter = Name | NamedArgument;
export interface Slice {
  readonly type: 'SliceExpression';
  readonly start?: Node;
  readonly stop?: Node;
  readonly step?: Node;
}
export interface Call {
  readonly type: 'CallExpression';
  readonly callee: Node;
  readonly args: readonly Node[];
}
export interface Member {
  readonly type: 'MemberExpression';
  readonly object: Node;
  readonly property: Node;
  readonly computed: boolean;
}
export interface For {
  readonly type: 'For';
  readonly loopvar: Node;
  readonly iterable: Node;
  readonly body: readonly Node[];
  readonly defaultBlock: readonly Node[];
}
export interface Macro {
  readonly type: 'Macro';
  readonly name: Name;
  readonly args: readonly Parameter[];
  readonly body: readonly Node[];
}
export interface CallBlock {
  readonly type: 'CallStatement';
  readonly call: Call;
  readonly callerArgs: readonly Parameter[] | null;
  readonly body: readonly Node[];
}
export interface SetNode {
  readonly type: 'Set';
  readonly assignee: Node;
  readonly value: Node | null;
  readonly body: readonly Node[];
}
export interface Binary {
  readonly type: 'BinaryExpression';
  readonly operator: { readonly value: string };
  readonly left: Node;
  readonly right: Node;
}
export type FilterName = Name | Call;

/** Syntax tree of @huggingface/jinja's parser. */
export type Node =
  | Name
  | NamedArgument
  | Slice
  | Call
  | Member
  | For
  | Macro
  | CallBlock
  | SetNode
  | Binary
  | Literal<'StringLiteral', string>
  | Literal<'IntegerLiteral' | 'FloatLiteral', number>
  | Literal<'ArrayLiteral' | 'TupleLiteral', readonly Node[]>
  | Literal<'ObjectLiteral', ReadonlyMap<Node, Node>>
  | Literal<'Comment', string>
  | { readonly type: 'Break' | 'Continue' }
  | { readonly type: 'Program'; readonly body: readonly Node[] }
  | { readonly type: 'If'; readonly test: Node; readonly body: readonly Node[]; readonly alternate: readonly Node[] }
  | { readonly type: 'FilterStatement'; readonly filter: FilterName; readonly body: readonly Node[] }
  | { readonly type: 'FilterExpression'; readonly operand: Node; readonly filter: FilterName }
  | { readonly type: 'TestExpression'; readonly operand: Node; readonly negate: boolean; readonly test: Name }
  | { readonly type: 'SelectExpression'; readonly lhs: Node; readonly test: Node }
  | { readonly type: 'Ternary'; readonly condition: Node; readonly trueExpr: Node; readonly falseExpr: Node }
  | { readonly type: 'UnaryExpression'; readonly operator: { readonly value: string }; readonly argument: Node }
  | { readonly type: 'SpreadExpression' | 'KeywordSpreadExpression'; readonly argument: Node };

// The type declarations of the package do not resolve.
const split = tokenize as unknown as (
  source: string,
  options: { readonly lstrip_blocks: boolean; readonly trim_blocks: boolean },
) => unknown;
const read = parse as unknown as (tokens: unknown) => { readonly body: readonly Node[] };

/** Parses a template. @throws Error for an invalid one. */
export function nodesOf(source: string): readonly Node[] {
  return read(split(source, { lstrip_blocks: true, trim_blocks: true })).body;
}
