import { CanonicalWriter } from './canonical.js';
import { type CanonicalExample, isObject } from './example.js';
import { exampleOf, formatsOf } from './formats/formats.js';
import { IssueLog } from './issue-log.js';
import { parseExactly } from './json/exact-parser.js';
import { DATASET_LIMITS } from './limits.js';
import { placeOfExample } from './split.js';

/** An example of a canonical file with its hashes. */
export interface ReadExample {
  readonly example: CanonicalExample;
  /** Where it lies in the split: held out below the threshold of its data set. */
  readonly place: number;
  /** Hash of all before the last assistant message. */
  readonly promptHash: bigint;
  /** Hash of the whole example. */
  readonly hash: bigint;
}

/**
 * Reads one line of a canonical file, without or with its newline.
 * @throws {TypeError} when it is no canonical example. The message names the fault, not the text.
 */
export function readExample(line: string): ReadExample {
  const log = new IssueLog(1, undefined);
  log.begin(1);
  const json = parseExactly(line, DATASET_LIMITS.depth);
  if (!('value' in json) || !isObject(json.value)) throw new TypeError('The line is not a JSON object.');
  const [format] = formatsOf(json.value);
  if (format !== 'chat' && format !== 'trl_preference') throw new TypeError('The line is not in canonical form.');
  const reading = { log, maxDepth: DATASET_LIMITS.depth, texts: json.texts };
  const example = exampleOf(reading, json.value, format, true);
  if (!example || log.refused) throw new TypeError(log.kept[0]?.message ?? 'The line is not in canonical form.');
  const writer = new CanonicalWriter(4 * line.length + 256);
  writer.write(example);
  return { example, place: placeOfExample(example), promptHash: writer.promptHash.value, hash: writer.hash.value };
}
