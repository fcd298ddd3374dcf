import { createHash } from 'node:crypto';
import { MAX_START_BYTES } from '@slipway/contracts';

const PART = /^(\d{1,4})\/(\d{1,4})$/;

export interface Part {
  /** The reply subject, which all parts of one start share. */
  readonly key: string;
  readonly gw: string;
  /** `i/n`, zero-based. */
  readonly position: string;
  /** Hex SHA-256 of the whole; on part 0. */
  readonly digest: string | undefined;
  readonly body: Uint8Array;
}

/** `malformed` = not a valid part, or one that contradicts the others; `incomplete` = the checksum does not match. */
export type PartResult = 'waiting' | 'malformed' | 'incomplete' | 'busy' | { readonly body: Uint8Array };

export interface AssemblySettings {
  readonly partsMs: number;
  readonly assembliesPerGateway: number;
}

interface Assembly {
  readonly gw: string;
  readonly parts: (Uint8Array | undefined)[];
  readonly startedAt: number;
  digest: string | undefined;
  missing: number;
  bytes: number;
}

/** Joins starts that arrive in parts, with bounds on number, size and time. */
export class PartAssemblies {
  readonly #open = new Map<string, Assembly>();

  readonly #settings: AssemblySettings;

  constructor(settings: AssemblySettings) {
    this.#settings = settings;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Takes one part; parts may come in any order. */
  add(part: Part, now: number): PartResult {
    const match = PART.exec(part.position);
    const index = Number(match?.[1]);
    const count = Number(match?.[2]);
    if (!match || index >= count) return this.#refuse(part.key, 'malformed');
    const assembly = this.#open.get(part.key) ?? this.#begin(part, count, now);
    if (!assembly) return 'busy';
    if (assembly.parts.length !== count || assembly.bytes + part.body.length > MAX_START_BYTES) return this.#refuse(part.key, 'malformed');
    if (assembly.parts[index]) return 'waiting';
    assembly.parts[index] = part.body;
    assembly.bytes += part.body.length;
    assembly.missing -= 1;
    if (index === 0) assembly.digest = part.digest;
    return assembly.missing === 0 ? this.#complete(part.key, assembly) : 'waiting';
  }

  /** Drops starts by key. */
  drop(unwanted: (key: string) => boolean): void {
    for (const key of this.#open.keys()) if (unwanted(key)) this.#open.delete(key);
  }

  /** Drops starts that did not complete in time. @returns their keys. */
  expire(now: number): string[] {
    const late: string[] = [];
    for (const [key, assembly] of this.#open) if (now - assembly.startedAt > this.#settings.partsMs) late.push(key);
    for (const key of late) this.#open.delete(key);
    return late;
  }

  #begin(part: Part, count: number, now: number): Assembly | null {
    let ofGateway = 0;
    for (const assembly of this.#open.values()) if (assembly.gw === part.gw) ofGateway += 1;
    if (ofGateway >= this.#settings.assembliesPerGateway) return null;
    const parts = Array.from<undefined>({ length: count });
    const assembly: Assembly = { gw: part.gw, parts, startedAt: now, digest: undefined, missing: count, bytes: 0 };
    this.#open.set(part.key, assembly);
    return assembly;
  }

  #refuse<R extends PartResult>(key: string, result: R): R {
    this.#open.delete(key);
    return result;
  }

  #complete(key: string, assembly: Assembly): PartResult {
    this.#open.delete(key);
    const body = Buffer.concat(assembly.parts.map((part) => part ?? new Uint8Array()));
    const digest = createHash('sha256').update(body).digest('hex');
    return digest === assembly.digest ? { body } : 'incomplete';
  }
}
