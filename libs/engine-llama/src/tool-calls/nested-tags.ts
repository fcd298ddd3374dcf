import { isRecord } from '@slipway/contracts';
import { jsonOfPlain, isTextSchema } from './tagged-values.js';

const partOf = (schema: unknown, word: string): unknown => (isRecord(schema) ? schema[word] : undefined);

/**
 * Reads values written in tags: `<key>value</key>` for members, `<item>value</item>` for items of a list.
 * @param mark prefix of each tag.
 * @returns JSON text; null for any other value.
 */
export function nestedTags(mark: string): (value: string, schema: unknown) => string | null {
  const json = (value: string, schema: unknown): string => {
    const tags = tagsIn(value, mark);
    if (tags === null || tags.length === 0) return jsonOfPlain(value, isTextSchema(schema));
    if (tags.every(({ key }) => key === 'item') && partOf(schema, 'type') !== 'object') {
      return `[${tags.map((tag) => json(tag.value, partOf(schema, 'items'))).join(', ')}]`;
    }
    const properties = partOf(schema, 'properties');
    return `{${tags.map((tag) => `${JSON.stringify(tag.key)}: ${json(tag.value, partOf(properties, tag.key))}`).join(', ')}}`;
  };
  return (value, schema) => (value.trimStart().startsWith(`${mark}<`) ? json(value, schema) : null);
}

/** The tags of a value; null where there is other text. */
function tagsIn(value: string, mark: string): { key: string; value: string }[] | null {
  const found: { key: string; value: string }[] = [];
  let rest = value.trim();
  while (rest !== '') {
    const name = rest.startsWith(`${mark}<`) ? rest.slice(mark.length + 1).split('>')[0] : undefined;
    if (name === undefined) return null;
    const from = mark.length + name.length + 2;
    const end = endOf(rest, from, { open: `${mark}<${name}>`, close: `${mark}</${name}>` });
    if (end < 0) return null;
    found.push({ key: name, value: rest.slice(from, end) });
    rest = rest.slice(end + mark.length + name.length + 3).trim();
  }
  return found;
}

/** End of the tag just opened, which may contain tags of the same name. */
function endOf(text: string, from: number, { open, close }: { open: string; close: string }): number {
  let [depth, at] = [1, from];
  for (;;) {
    const [nextOpen, nextClose] = [text.indexOf(open, at), text.indexOf(close, at)];
    if (nextClose < 0) return -1;
    if (nextOpen >= 0 && nextOpen < nextClose) {
      depth += 1;
      at = nextOpen + open.length;
      continue;
    }
    depth -= 1;
    if (depth === 0) return nextClose;
    at = nextClose + close.length;
  }
}
