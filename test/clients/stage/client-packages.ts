import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type InstalledPackages, installedPackages } from '../../testing/installed-packages.js';

const REPOSITORY = fileURLToPath(new URL('../../..', import.meta.url));
const MANIFEST = fileURLToPath(new URL('../packages', import.meta.url));
const CLAUDE_CODE = `@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`;

/** Where clients lie, and what runs them. */
export interface ClientPackages extends InstalledPackages {
  /** The Python that has those of PyPI, where they were installed. */
  readonly python?: string;
}

/** Clients that the repository has installed anyway, on the Node.js of the tests. */
export const INSTALLED: ClientPackages = { folder: REPOSITORY, node: process.execPath };

/** Installs what `test/clients/packages` pins, as `installedPackages` does. */
export const ensureClientPackages = (): Promise<ClientPackages> => installedPackages(MANIFEST, 'clients');

/** The program of Claude Code. */
export const claudeCodeOf = ({ folder }: ClientPackages): string => join(folder, 'node_modules', CLAUDE_CODE);

/** The program of Codex. @throws Error where npm has none for this platform. */
export function codexOf({ folder }: ClientPackages): string {
  const vendor = join(folder, 'node_modules', `@openai/codex-${process.platform}-${process.arch}`, 'vendor');
  const [target = ''] = readdirSync(vendor);
  return join(vendor, target, 'bin/codex');
}

/** The program of opencode. */
export const opencodeOf = ({ folder }: ClientPackages): string =>
  join(folder, 'node_modules', `opencode-${process.platform}-${process.arch}`, 'bin/opencode');
