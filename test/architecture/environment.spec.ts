import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { loadConfig, shownSettings } from '@slipway/platform';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { makeAuthority, validFor } from '../../apps/cli/src/certs/make-certificates.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Read by the scripts, not by a service. */
const SCRIPT_VARIABLES = ['NATS_SERVER_BIN'];

const LINE = /^(# )?([A-Z][A-Z0-9_]*)=(.*)$/;
const LINES = readFileSync(`${root}/.env.example`, 'utf8')
  .split('\n')
  .map((line) => LINE.exec(line))
  .filter((match) => match !== null)
  .map(([, comment, name = '', value = '']) => ({ name, value, active: comment === undefined }));

const ACTIVE = Object.fromEntries(LINES.filter((line) => line.active).map(({ name, value }) => [name, value]));
const folder = mkdtempSync(join(tmpdir(), 'slipway-environment-'));
// What is shown need not be on this machine; processes refuse a program and certificates that are not.
const [CERT, KEY] = [join(folder, 'ca.pem'), join(folder, 'ca.key')];
const PRESENT = { LLAMA_SERVER: process.execPath, BLOB_CA: CERT, BLOB_CERT: CERT, BLOB_KEY: KEY };
const ALL = { ...Object.fromEntries(LINES.map(({ name, value }) => [name, value])), ...PRESENT };

const isSchema = (value: unknown): value is z.ZodObject => typeof value === 'object' && value !== null && 'shape' in value;

async function schemaOf(app: string): Promise<z.ZodObject | null> {
  const file = `${root}/apps/${app}/src/config.ts`;
  if (!readdirSync(`${root}/apps/${app}/src`).includes('config.ts')) return null;
  const found = Object.values((await import(file)) as Record<string, unknown>).filter(isSchema);
  expect([app, found.length]).toEqual([app, 1]);
  return found[0] ?? null;
}

describe('.env.example', () => {
  const schemas = new Map<string, z.ZodObject>();

  beforeAll(async () => {
    const { cert, key } = await makeAuthority('environment', validFor(1));
    writeFileSync(CERT, cert);
    writeFileSync(KEY, key);
    for (const app of readdirSync(`${root}/apps`)) {
      const schema = await schemaOf(app);
      if (schema) schemas.set(app, schema);
    }
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  it('names exactly the variables of all services', () => {
    const names = new Set([...schemas.values()].flatMap((schema) => Object.keys(schema.shape)));
    expect(names.size).toBeGreaterThan(0);
    expect(LINES.map(({ name }) => name).toSorted()).toEqual([...names, ...SCRIPT_VARIABLES].toSorted());
  });

  it('starts every service as it is', () => {
    for (const [app, schema] of schemas) expect(() => loadConfig(schema, ACTIVE), app).not.toThrow();
  });

  it('shows values that every service accepts', () => {
    for (const [app, schema] of schemas) expect(() => loadConfig(schema, ALL), app).not.toThrow();
  });

  it('shows every default', () => {
    const differences = [...schemas].flatMap(([app, schema]) => {
      const shown = loadConfig(schema, ALL);
      const defaults = Object.entries(loadConfig(schema, ACTIVE)).filter(([, value]) => value !== undefined);
      return defaults.filter(([name, value]) => !isDeepStrictEqual(value, shown[name])).map(([name]) => `${app}: ${name}`);
    });
    expect(differences).toEqual([]);
  });

  it('names every setting whose value no operator sees', () => {
    const masked = [...schemas.values()].flatMap((schema) => {
      const given = Object.fromEntries(Object.keys(schema.shape).map((name) => [name, 'x']));
      return shownSettings(schema, given).filter(({ value }) => value !== 'x');
    });
    expect([...new Set(masked.map(({ name }) => name))].toSorted()).toEqual(['KEY_PEPPERS', 'OIDC_CLIENT_SECRET', 'SLIPWAY_SECRET_KEY']);
  });

  it('has the defaults that operators see', () => {
    for (const [app, schema] of schemas) {
      const unset = shownSettings(schema, ACTIVE).filter(({ source }) => source === 'default');
      const shown = Object.fromEntries(unset.map(({ name, value }) => [name, value ?? '']));
      expect(loadConfig(schema, { ...ACTIVE, ...shown }), app).toEqual(loadConfig(schema, ACTIVE));
    }
  });
});
