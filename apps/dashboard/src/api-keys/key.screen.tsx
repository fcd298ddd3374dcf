import { useParams } from '@tanstack/react-router';
import type { JSX } from 'react';
import { useCall } from '../api/use-call.js';
import { Missing } from '../shell/faults.js';
import { Loaded } from '../ui/loaded.js';
import { Page } from '../ui/page.js';

export function KeyScreen(): JSX.Element {
  const { id } = useParams({ from: '/inside/$account/api-keys/$id' });
  return /^[1-9]\d{0,9}$/.test(id) ? <Found key={id} id={Number(id)} /> : <Missing />;
}

function Found({ id }: { readonly id: number }): JSX.Element {
  const found = useCall('keys/find', { key: id });
  return (
    <Page title={found.data?.key.name ?? `Key ${id}`}>
      <Loaded query={found} what="Key">
        {({ key }) => <p>{key.hint}</p>}
      </Loaded>
    </Page>
  );
}
