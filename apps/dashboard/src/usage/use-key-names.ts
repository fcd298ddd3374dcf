import { useQuery } from '@tanstack/react-query';
import { call } from '../api/use-call.js';

/** Pages of keys that are read for their names. */
const PAGES_MAX = 10;

async function readNames(): Promise<ReadonlyMap<number, string>> {
  const names = new Map<number, string>();
  let before: number | undefined;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const { keys, next, playground = [] } = await call('keys/list', before === undefined ? {} : { before });
    for (const { id, name } of keys) names.set(id, name);
    for (const id of playground) names.set(id, 'Playground');
    if (next == null) break;
    before = next;
  }
  return names;
}

/** Names of keys, revoked ones too; the number of one that is not known. */
export function useKeyNames(): (key: number) => string {
  const { data } = useQuery({ queryKey: ['keys/names'], queryFn: readNames });
  return (key) => data?.get(key) ?? `Key ${key}`;
}
