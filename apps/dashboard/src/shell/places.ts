import type { LinkProps } from '@tanstack/react-router';
import type { IconName } from '../ui/icon.js';

/** One screen that the navigation leads to. */
export interface Place {
  readonly to: NonNullable<LinkProps['to']>;
  readonly label: string;
  readonly icon: IconName;
  /** The key after `g` that opens it. */
  readonly key: string;
  readonly forOwners?: boolean;
}

/** Screens under one heading of the navigation. */
export interface PlaceGroup {
  /** Null for the first group, which needs no heading. */
  readonly title: string | null;
  readonly places: readonly Place[];
}

/** Every screen of an account, in the order of the navigation. */
export const PLACE_GROUPS: readonly PlaceGroup[] = [
  { title: null, places: [{ to: '/$account/home', label: 'Home', icon: 'home', key: 'h' }] },
  {
    title: 'Build',
    places: [
      { to: '/$account/playground', label: 'Playground', icon: 'chat', key: 'p' },
      { to: '/$account/models', label: 'Models', icon: 'layers', key: 'o' },
      { to: '/$account/data-sets', label: 'Data sets', icon: 'data', key: 's' },
      { to: '/$account/fine-tuning', label: 'Fine-tuning', icon: 'train', key: 'f' },
      { to: '/$account/evaluations', label: 'Evaluations', icon: 'evaluate', key: 'e' },
    ],
  },
  {
    title: 'Serve',
    places: [
      { to: '/$account/deployments', label: 'Deployments', icon: 'box', key: 'd' },
      { to: '/$account/api-keys', label: 'API Keys', icon: 'key', key: 'k' },
    ],
  },
  { title: 'Observe', places: [{ to: '/$account/usage', label: 'Usage', icon: 'chart', key: 'u' }] },
  {
    title: 'Organize',
    places: [
      { to: '/$account/members', label: 'Members', icon: 'people', key: 'm' },
      { to: '/$account/activity', label: 'Activity', icon: 'list', key: 'a', forOwners: true },
      { to: '/$account/settings', label: 'Settings', icon: 'preferences', key: ',' },
    ],
  },
];

/** The groups with what this role may open. */
export const placesFor = (isOwner: boolean): readonly PlaceGroup[] =>
  PLACE_GROUPS.map(({ title, places }) => ({ title, places: places.filter(({ forOwners = false }) => !forOwners || isOwner) }));
