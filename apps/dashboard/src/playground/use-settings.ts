import { useSyncExternalStore } from 'react';
import { useCall } from '../api/use-call.js';
import { readSettings } from './read-settings.js';
import { type Faults, hindranceOf, lockOf, type Parameter, type Settings, type Wishes } from './settings.js';
import type { Workspace } from './workspace.js';

/** Capabilities are looked at again so often, in milliseconds: an update may change them. */
const LOOK_EVERY_MS = 10_000;

/** What every deployment that is asked can do; null while one is not known. */
function useCapabilities([one, other = one]: readonly [number, number | undefined]): readonly (readonly string[])[] | null {
  const every = (): number => LOOK_EVERY_MS;
  const first = useCall('deployments/find', { deployment: one }, { every });
  const second = useCall('deployments/find', { deployment: other }, { every });
  if (!first.data || !second.data) return null;
  return [first.data, ...(other === one ? [] : [second.data])].map(({ deployment }) => deployment.caps);
}

export interface UsedSettings {
  readonly settings: Settings;
  readonly setSettings: (settings: Settings) => void;
  /** Why a parameter cannot be set; null = it can. */
  readonly hindrance: (parameter: Parameter) => string | null;
  readonly wishes: Wishes;
  readonly faults: Faults;
  /** Why nothing can be asked; null = it can, or is not known yet. */
  readonly lock: string | null;
}

/** Settings of a workspace, and what of them the deployments support. */
export function useSettings(workspace: Workspace, deployments: readonly [number, number | undefined]): UsedSettings {
  const { settings } = useSyncExternalStore(workspace.subscribe, () => workspace.state);
  const caps = useCapabilities(deployments);
  const hindrance = (parameter: Parameter): string | null =>
    caps === null ? 'Checking what the deployment supports…' : hindranceOf(parameter, settings.contract, caps);
  const setSettings = (next: Settings): void => workspace.change({ settings: next });
  const lock = lockOf(caps ?? []);
  return { settings, setSettings, hindrance, lock, ...readSettings(settings, (parameter) => hindrance(parameter) === null) };
}
