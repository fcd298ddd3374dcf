const BROWSERS = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
] as const;
const SYSTEMS = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
] as const;

const find = (agent: string, known: readonly (readonly [RegExp, string])[]): string | undefined =>
  known.find(([form]) => form.test(agent))?.[1];

/** A client's name for itself in two words, where it is a known browser. */
export function clientName(agent: string | null): string {
  if (agent === null) return 'Unknown';
  const browser = find(agent, BROWSERS);
  const system = find(agent, SYSTEMS);
  if (browser === undefined) return agent.slice(0, 40);
  return system === undefined ? browser : `${browser} on ${system}`;
}
