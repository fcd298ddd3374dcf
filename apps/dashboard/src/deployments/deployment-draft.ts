import type { ConsoleRequest, EngineChoice, ModelSource, RevisionView, SourceKind } from '@slipway/contracts';
import { engineFacts, enginesFor, optionFault } from '@slipway/contracts/engines';
import type { CreateStep } from '../searches.js';

/** What somebody has filled in so far, as they typed it. */
export interface DeploymentDraft {
  readonly kind: SourceKind;
  /** Of a file on the workers. */
  readonly path: string;
  /** Of a download. */
  readonly uri: string;
  readonly sha256: string;
  /** Of an HTTP engine. */
  readonly url: string;
  readonly model: string;
  readonly credential: string;
  /** Number of the adapter, which brings its base unless an HTTP engine has that; empty = the model as it is. */
  readonly adapter: string;
  /** Why an adapter is served although its verdict is bad. */
  readonly override: string;
  /** Kind of engine; empty = the default of the source. */
  readonly engine: string;
  /** Options of the engine, by name; a list has one text a line. */
  readonly engineOptions: Readonly<Record<string, string>>;
  readonly context: string;
  readonly slots: string;
  /** With `maxReplicas` the least. */
  readonly replicas: string;
  /** The most that the load may make it; empty = the number is fixed. */
  readonly maxReplicas: string;
  readonly targetPercent: string;
  readonly defaultMaxTokens: string;
  readonly name: string;
  readonly alias: string;
  /** Why the revision is made. */
  readonly note: string;
  /** Responses are stored for an hour. */
  readonly storeResponses: boolean;
}

export const EMPTY_DRAFT: DeploymentDraft = {
  ...{ kind: 'file', path: '', uri: '', sha256: '', url: '', model: '', credential: '', engine: '', engineOptions: {} },
  ...{ adapter: '', override: '' },
  ...{
    context: '',
    slots: '',
    replicas: '',
    maxReplicas: '',
    targetPercent: '',
    defaultMaxTokens: '',
    name: '',
    alias: '',
    note: '',
    storeResponses: false,
  },
};

export type DraftField = keyof DeploymentDraft;
export type Faults = Partial<Record<DraftField, string>>;

/** The step of the create page on which a field stands. */
export const STEP_OF: Readonly<Record<DraftField, CreateStep>> = {
  ...{ kind: 'source', path: 'model', uri: 'model', sha256: 'model', url: 'model', model: 'model', credential: 'model' },
  ...{
    adapter: 'model',
    override: 'model',
    engine: 'model',
    engineOptions: 'model',
    context: 'size',
    slots: 'size',
    replicas: 'size',
    maxReplicas: 'size',
    targetPercent: 'size',
    defaultMaxTokens: 'size',
  },
  ...{ name: 'name', alias: 'name', note: 'name', storeResponses: 'name' },
};

/** Share of the slots that requests should take unless somebody says otherwise, in percent. */
const TARGET_PERCENT = 70;
const ALIAS = /^[a-z0-9][a-z0-9._-]{0,62}$/;
const HF = /^hf:[\w.-]+\/[\w.-]+\/.+$/;
const SHA256 = /^[0-9a-f]{64}$/i;
export const NAME_MAX = 100;
export const NOTE_MAX = 500;

interface Range {
  readonly min: number;
  readonly max: number;
}

export const RANGES = {
  context: { min: 64, max: 10_000_000 },
  slots: { min: 1, max: 1_024 },
  replicas: { min: 1, max: 64 },
  maxReplicas: { min: 1, max: 64 },
  targetPercent: { min: 10, max: 100 },
  defaultMaxTokens: { min: 1, max: 2_147_483_647 },
} as const satisfies Record<string, Range>;
export type NumberFieldName = keyof typeof RANGES;

/** What is wrong with a whole number that may be left out; null = nothing. */
function faultOfNumber(text: string, { min, max }: Range): string | null {
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

/** What is wrong with the address of an engine; null = nothing. */
export function faultOfUrl(text: string): string | null {
  if (URL.canParse(text.trim()) && /^https?:$/.test(new URL(text.trim()).protocol)) return null;
  return 'An http or https URL, such as http://10.0.0.7:8000.';
}

function sourceFaults({ kind, path, uri, sha256, url, model, adapter }: DeploymentDraft): Faults {
  if (adapter !== '' && kind !== 'http') return {};
  if (kind === 'file') return path.trim() === '' ? { path: 'Choose a model, or enter the path of a GGUF file.' } : {};
  if (kind === 'download') {
    const isGood = HF.test(uri.trim()) || (URL.canParse(uri.trim()) && uri.trim().startsWith('https://'));
    const isSum = sha256.trim() === '' || SHA256.test(sha256.trim());
    return {
      ...(!isGood && { uri: 'An https URL, or hf:user/repo/file.gguf.' }),
      ...(!isSum && { sha256: 'A SHA-256 checksum has 64 hexadecimal digits.' }),
    };
  }
  return engineFaults({ url, model });
}

function engineFaults({ url, model }: Pick<DeploymentDraft, 'url' | 'model'>): Faults {
  const fault = faultOfUrl(url);
  return { ...(fault !== null && { url: fault }), ...(model.trim() === '' && { model: 'Choose a model, or enter its name.' }) };
}

function optionFaults(draft: DeploymentDraft): Faults {
  const faults = Object.entries(engineFacts(chosenEngine(draft))?.options ?? {}).flatMap(([name, option]) => {
    const value = optionValue(draft.engineOptions[name] ?? '', option.form);
    const fault = value === null ? null : optionFault(option, value);
    return fault === null ? [] : [`${option.label}: ${fault}`];
  });
  return faults[0] === undefined ? {} : { engineOptions: faults[0] };
}

/** What is wrong with the range of a draft whose numbers are good by themselves. */
function rangeFaults(draft: DeploymentDraft): Faults {
  const [min, max] = [goodNumber(draft, 'replicas'), goodNumber(draft, 'maxReplicas')];
  return max !== null && max < (min ?? 1) ? { maxReplicas: 'At least as many as the replicas.' } : {};
}

/** What is wrong with a draft, by field; empty = nothing that can be seen from here. */
export function faultsOf(draft: DeploymentDraft): Faults {
  const numbers = Object.entries(RANGES).map(
    ([field, range]) => [field, faultOfNumber(draft[field as keyof typeof RANGES], range)] as const,
  );
  const alias = faultOfAlias(draft.alias);
  return {
    ...(draft.name.trim() === '' && { name: 'Enter a name.' }),
    ...(alias !== null && { alias }),
    ...sourceFaults(draft),
    ...optionFaults(draft),
    ...rangeFaults(draft),
    ...Object.fromEntries(numbers.filter(([, fault]) => fault !== null)),
  };
}

/** The faults of one step. */
export const faultsIn = (faults: Faults, step: CreateStep): Faults =>
  Object.fromEntries(Object.entries(faults).filter(([field]) => STEP_OF[field as DraftField] === step));

/** Engines that can load the source of a draft, the default first. */
export const enginesOf = ({ kind }: Pick<DeploymentDraft, 'kind'>): readonly string[] => enginesFor(kind);

/** The kind of engine that loads what a draft names: the one that was chosen, or the default. */
export function chosenEngine(draft: Pick<DeploymentDraft, 'kind' | 'engine'>): string {
  const kinds = enginesOf(draft);
  return kinds.includes(draft.engine) ? draft.engine : (kinds[0] ?? '');
}

/** An option as requests hold it; null = left out. */
function optionValue(text: string, form: 'text' | 'list'): string | readonly string[] | null {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length === 0) return null;
  return form === 'list' ? lines : lines.join('\n');
}

/** The engine as a field of the source; absent where it is the default without options. Options that are left empty are left out. */
function engineOf(draft: DeploymentDraft): { readonly engine?: EngineChoice } {
  const kind = chosenEngine(draft);
  const given = Object.entries(engineFacts(kind)?.options ?? {}).flatMap(([name, { form }]): [string, string | string[]][] => {
    const value = optionValue(draft.engineOptions[name] ?? '', form);
    return value === null ? [] : [[name, typeof value === 'string' ? value : [...value]]];
  });
  if (given.length > 0) return { engine: { kind, options: Object.fromEntries(given) } };
  return kind === enginesOf(draft)[0] ? {} : { engine: { kind } };
}

/** Whether a draft names where its model is. An adapter brings its base, unless an HTTP engine has that. */
export const namesSource = ({ adapter, kind }: DeploymentDraft): boolean => adapter === '' || kind === 'http';

/** The source that a draft names; only a draft without faults names a good one. */
export const sourceOf = (draft: DeploymentDraft): ModelSource => ({ ...placeOf(draft), ...engineOf(draft) });

function placeOf({ kind, path, uri, sha256, url, model }: DeploymentDraft): ModelSource {
  const sum = sha256.trim().toLowerCase();
  if (kind === 'download') return { kind, uri: uri.trim(), ...(sum !== '' && { sha256: sum }) };
  if (kind === 'http') return { kind, url: url.trim(), model: model.trim() };
  return { kind: 'file', path: path.trim() };
}

/** The fields of a draft that stand for a source. */
export function draftOfSource({ engine, ...source }: ModelSource): Partial<DeploymentDraft> {
  const options = Object.entries(engine?.options ?? {}).map(([name, value]) => [name, [value].flat().join('\n')] as const);
  const { sha256 = '', ...place } = source.kind === 'download' ? source : { ...source, sha256: '' };
  return { ...place, sha256, engine: engine?.kind ?? '', engineOptions: Object.fromEntries(options) };
}

const textOf = (value: number | null): string => (value === null ? '' : String(value));

/** A draft with the settings of a revision, without name and alias. */
export const draftOfRevision = ({ source, adapter, context, slots, default_max_tokens: longest }: RevisionView): DeploymentDraft => ({
  ...EMPTY_DRAFT,
  ...draftOfSource(source),
  adapter: adapter ? String(adapter.id) : '',
  ...{ context: textOf(context), slots: textOf(slots), defaultMaxTokens: textOf(longest) },
});

const numberIn = (text: string): number | null => (text.trim() === '' ? null : Number(text));

/** A number of a draft that may be used; null where it is empty or not good. */
export const goodNumber = (draft: DeploymentDraft, field: NumberFieldName): number | null =>
  faultOfNumber(draft[field], RANGES[field]) === null ? numberIn(draft[field]) : null;

/** Replicas of a draft as requests hold them: a number, or a range where a maximum is given; null = left to the system. */
export function replicasIn(draft: DeploymentDraft): ConsoleRequest<'deployments/scale'>['replicas'] | null {
  const [min, max, target] = [goodNumber(draft, 'replicas'), goodNumber(draft, 'maxReplicas'), goodNumber(draft, 'targetPercent')];
  return max === null ? min : { min: min ?? 1, max, target_percent: target ?? TARGET_PERCENT };
}

/** The adapter of a draft that names one, as requests hold it. */
function adapterOf({ adapter, override }: DeploymentDraft): { readonly id: number; readonly override?: string } {
  const reason = override.trim();
  return { id: Number(adapter), ...(reason !== '' && { override: reason }) };
}

/** A draft without faults as the request that it stands for. Empty fields are left to the system. */
export function requestOf(draft: DeploymentDraft): ConsoleRequest<'deployments/create'> {
  const [context, slots, longest] = [draft.context, draft.slots, draft.defaultMaxTokens].map(numberIn);
  const replicas = replicasIn(draft);
  const note = draft.note.trim();
  return {
    name: draft.name.trim(),
    ...(namesSource(draft) && { source: sourceOf(draft) }),
    ...(draft.adapter !== '' && { adapter: adapterOf(draft) }),
    ...(draft.kind === 'http' && draft.credential !== '' && { credential: draft.credential }),
    ...(context != null && { context }),
    ...(slots != null && { slots }),
    ...(replicas !== null && { replicas }),
    ...(longest != null && { default_max_tokens: longest }),
    ...(draft.storeResponses && { store_responses: true }),
    ...(note !== '' && { note }),
  };
}

/** Fields of requests that are called otherwise here. */
const PARAMS: Readonly<Record<string, DraftField>> = {
  ...{
    default_max_tokens: 'defaultMaxTokens',
    store_responses: 'storeResponses',
    'replicas.min': 'replicas',
    'replicas.max': 'maxReplicas',
    'replicas.target_percent': 'targetPercent',
    'adapter.id': 'adapter',
    'adapter.override': 'override',
    source: 'kind',
    'source.kind': 'kind',
    'source.path': 'path',
    'source.uri': 'uri',
  },
  ...{ 'source.sha256': 'sha256', 'source.url': 'url', 'source.model': 'model', threads: 'slots' },
};

/** The field that an error of the services is about; null = none of the form. */
export function fieldOfParam(param: string | null): DraftField | null {
  if (param === null) return null;
  if (param.startsWith('source.engine')) return param.startsWith('source.engine.options') ? 'engineOptions' : 'engine';
  const field = Object.hasOwn(PARAMS, param) ? PARAMS[param] : param;
  return field !== undefined && Object.hasOwn(EMPTY_DRAFT, field) ? (field as DraftField) : null;
}
