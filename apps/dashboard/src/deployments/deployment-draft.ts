import type { ConsoleRequest, EngineChoice, ModelSource, SourceKind } from '@slipway/contracts';
import { engineFacts, enginesFor } from '@slipway/contracts/engines';

/** What the form offers: a model from the list, or a source to name. */
export type SourceChoice = 'known' | SourceKind;

/** What somebody has filled in so far, as they typed it. */
export interface DeploymentDraft {
  readonly kind: SourceChoice;
  readonly name: string;
  readonly alias: string;
  /** A model from the list, for `known`. */
  readonly known: ModelSource | null;
  readonly path: string;
  readonly uri: string;
  readonly url: string;
  readonly model: string;
  readonly credential: string;
  /** Kind of engine; empty = the default of the source. */
  readonly engine: string;
  /** Options of the engine, by name; a list has one text a line. */
  readonly engineOptions: Readonly<Record<string, string>>;
  readonly context: string;
  readonly slots: string;
  readonly replicas: string;
  readonly defaultMaxTokens: string;
}

export const EMPTY_DRAFT: DeploymentDraft = {
  kind: 'known',
  name: '',
  alias: '',
  known: null,
  path: '',
  uri: '',
  url: '',
  model: '',
  credential: '',
  engine: '',
  engineOptions: {},
  context: '',
  slots: '',
  replicas: '',
  defaultMaxTokens: '',
};

export type Faults = Partial<Record<keyof DeploymentDraft, string>>;

const ALIAS = /^[a-z0-9][a-z0-9._-]{0,62}$/;
const HF = /^hf:[\w.-]+\/[\w.-]+\/.+$/;

interface Range {
  readonly min: number;
  readonly max: number;
}

export const RANGES = {
  context: { min: 64, max: 10_000_000 },
  slots: { min: 1, max: 1_024 },
  replicas: { min: 1, max: 64 },
  defaultMaxTokens: { min: 1, max: 2_147_483_647 },
} as const satisfies Record<string, Range>;

/** What is wrong with a whole number that may be left out; null = nothing. */
export function faultOfNumber(text: string, { min, max }: Range): string | null {
  const value = text.trim() === '' ? min : Number(text);
  if (Number.isInteger(value) && value >= min && value <= max) return null;
  return `A whole number from ${min} to ${max}, or nothing.`;
}

/** What is wrong with an alias that may be left out; null = nothing. */
export function faultOfAlias(text: string): string | null {
  const alias = text.trim();
  if (alias === '' || (ALIAS.test(alias) && !alias.startsWith('deployment-'))) return null;
  return 'Lower-case letters, digits, dots, hyphens and underscores, such as qwen2.5-7b; not beginning with “deployment-”.';
}

function faultOfUrl(text: string): string | null {
  if (URL.canParse(text.trim()) && /^https?:$/.test(new URL(text.trim()).protocol)) return null;
  return 'An http or https URL, such as http://10.0.0.7:8000.';
}

function sourceFaults({ kind, known, path, uri, url, model }: DeploymentDraft): Faults {
  if (kind === 'known') return known ? {} : { known: 'Choose a model.' };
  if (kind === 'file') return path.trim() === '' ? { path: 'Give the path of a GGUF file, as the workers see it.' } : {};
  if (kind === 'download') {
    const isGood = HF.test(uri.trim()) || (URL.canParse(uri.trim()) && uri.trim().startsWith('https://'));
    return isGood ? {} : { uri: 'An https URL, or hf:user/repo/file.gguf.' };
  }
  const fault = faultOfUrl(url);
  return { ...(fault !== null && { url: fault }), ...(model.trim() === '' && { model: 'Give the model’s name at the engine.' }) };
}

/** What is wrong with a draft, by field; empty = nothing that can be seen from here. */
export function faultsOf(draft: DeploymentDraft): Faults {
  const numbers = Object.entries(RANGES).map(
    ([field, range]) => [field, faultOfNumber(draft[field as keyof typeof RANGES], range)] as const,
  );
  const alias = faultOfAlias(draft.alias);
  return {
    ...(draft.name.trim() === '' && { name: 'Give the deployment a name.' }),
    ...(alias !== null && { alias }),
    ...sourceFaults(draft),
    ...Object.fromEntries(numbers.filter(([, fault]) => fault !== null)),
  };
}

/** Engines that can load the source of a draft, the default first. */
export const enginesOf = ({ kind, known }: Pick<DeploymentDraft, 'kind' | 'known'>): readonly string[] =>
  enginesFor(kind === 'known' ? (known?.kind ?? 'file') : kind);

/** The kind of engine that loads what a draft names: the one that was chosen, or the default. */
export function chosenEngine(draft: DeploymentDraft): string {
  const kinds = enginesOf(draft);
  return kinds.includes(draft.engine) ? draft.engine : (kinds[0] ?? '');
}

/** The engine as a field of the source; absent where it is the default without options. Options that are left empty are left out. */
function engineOf(draft: DeploymentDraft): { readonly engine?: EngineChoice } {
  const kind = chosenEngine(draft);
  const given = Object.entries(engineFacts(kind)?.options ?? {}).flatMap(([name, { form }]): [string, string | string[]][] => {
    const lines = (draft.engineOptions[name] ?? '').split('\n').filter((line) => line.trim() !== '');
    if (lines.length === 0) return [];
    return [[name, form === 'list' ? lines : lines.join('\n')]];
  });
  if (given.length > 0) return { engine: { kind, options: Object.fromEntries(given) } };
  return kind === enginesOf(draft)[0] ? {} : { engine: { kind } };
}

/** The fields of a draft that stand for a source's engine. */
export function engineFields({ engine }: ModelSource): Pick<DeploymentDraft, 'engine' | 'engineOptions'> {
  const options = Object.entries(engine?.options ?? {}).map(([name, value]) => [name, [value].flat().join('\n')] as const);
  return { engine: engine?.kind ?? '', engineOptions: Object.fromEntries(options) };
}

/** The source that a draft names; only a draft without faults names a good one. */
export const sourceOf = (draft: DeploymentDraft): ModelSource => ({ ...placeOf(draft), ...engineOf(draft) });

function placeOf({ kind, known, path, uri, url, model }: DeploymentDraft): ModelSource {
  if (kind === 'known' && known) return known;
  if (kind === 'download') return { kind, uri: uri.trim() };
  if (kind === 'http') return { kind, url: url.trim(), model: model.trim() };
  return { kind: 'file', path: path.trim() };
}

const numberIn = (text: string): number | null => (text.trim() === '' ? null : Number(text));

/** A draft without faults as the request that it stands for. Empty fields are left to the system. */
export function requestOf(draft: DeploymentDraft): ConsoleRequest<'deployments/create'> {
  const [context, slots, replicas, longest] = [draft.context, draft.slots, draft.replicas, draft.defaultMaxTokens].map(numberIn);
  return {
    name: draft.name.trim(),
    source: sourceOf(draft),
    ...(draft.kind === 'http' && draft.credential !== '' && { credential: draft.credential }),
    ...(context != null && { context }),
    ...(slots != null && { slots }),
    ...(replicas != null && { replicas }),
    ...(longest != null && { default_max_tokens: longest }),
  };
}
