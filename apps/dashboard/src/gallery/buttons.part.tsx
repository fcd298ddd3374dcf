import type { JSX } from 'react';
import { Button, IconButton } from '../ui/button.js';
import { CopyButton, CopyIcon } from '../ui/copy-button.js';
import { Example } from './example.js';
import type { Part } from './part.js';

function Examples(): JSX.Element {
  return (
    <>
      <Example title="Looks">
        <Button look="main" icon="plus">
          Create API key
        </Button>
        <Button icon="download">Export</Button>
        <Button look="quiet">Cancel</Button>
        <Button look="danger" icon="delete">
          Delete deployment
        </Button>
      </Example>
      <Example title="Busy and disabled">
        <Button look="main" busy>
          Saving
        </Button>
        <Button busy>Testing</Button>
        <Button look="main" disabled>
          Create
        </Button>
        <Button disabled>Export</Button>
      </Example>
      <Example title="With a picture alone">
        <IconButton icon="refresh" label="Refresh" />
        <IconButton icon="settings" label="Columns" look="plain" />
        <IconButton icon="delete" label="Delete" disabled />
        <IconButton icon="refresh" label="Refreshing" busy />
      </Example>
      <Example title="Copy">
        <CopyButton text="svc_dep_" />
        <CopyIcon text="deployment-2" />
      </Example>
    </>
  );
}

export default { title: 'Buttons', Examples } satisfies Part;
