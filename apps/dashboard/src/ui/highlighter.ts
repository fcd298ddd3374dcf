import bash from 'highlight.js/lib/languages/bash';
import css from 'highlight.js/lib/languages/css';
import diff from 'highlight.js/lib/languages/diff';
import go from 'highlight.js/lib/languages/go';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import rust from 'highlight.js/lib/languages/rust';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import { createLowlight } from 'lowlight';
import type { CodePiece, PieceKind } from './code-piece.js';

const lowlight = createLowlight({ bash, css, diff, go, javascript, json, python, rust, sql, typescript, xml, yaml });

/** What the classes of highlight.js stand for; all others are plain. */
const KINDS: Readonly<Record<string, PieceKind>> = {
  comment: 'comment',
  quote: 'comment',
  keyword: 'keyword',
  built_in: 'keyword',
  type: 'keyword',
  tag: 'keyword',
  name: 'keyword',
  'selector-tag': 'keyword',
  string: 'string',
  regexp: 'string',
  addition: 'string',
  number: 'value',
  literal: 'value',
  variable: 'value',
  symbol: 'value',
  deletion: 'value',
  title: 'name',
  attr: 'name',
  attribute: 'name',
  section: 'name',
};

type Node = ReturnType<typeof lowlight.highlight>['children'][number];

function kindOf(node: Node): PieceKind | null {
  if (node.type !== 'element') return null;
  const { className } = node.properties;
  const [first] = Array.isArray(className) ? className : [];
  return KINDS[String(first).replace('hljs-', '')] ?? null;
}

function piecesOf(nodes: readonly Node[], outer: PieceKind): readonly CodePiece[] {
  return nodes.flatMap((node): readonly CodePiece[] => {
    if (node.type === 'text') return [{ text: node.value, kind: outer }];
    return node.type === 'element' ? piecesOf(node.children, kindOf(node) ?? outer) : [];
  });
}

/** Code in coloured pieces, which make the same text together; null where the language is not known. */
export function highlight(code: string, language: string): readonly CodePiece[] | null {
  return lowlight.registered(language) ? piecesOf(lowlight.highlight(language, code).children, 'plain') : null;
}
