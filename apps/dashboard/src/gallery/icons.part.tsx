import type { JSX } from 'react';
import { Icon, ICON_NAMES } from '../ui/icon.js';
import { Example } from './example.js';
import type { Part } from './part.js';

function Examples(): JSX.Element {
  return (
    <Example title="Every icon">
      {ICON_NAMES.map((name) => (
        <span key={name} className="flex w-32 items-center gap-2 text-sm text-muted">
          <Icon name={name} className="size-4 text-ink" />
          {name}
        </span>
      ))}
    </Example>
  );
}

export default { title: 'Icons', Examples } satisfies Part;
