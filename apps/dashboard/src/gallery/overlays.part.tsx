import { type JSX, useState } from 'react';
import { announce } from '../ui/announcements.js';
import { Button, buttonClass, IconButton } from '../ui/button.js';
import { ConfirmDialog } from '../ui/confirm-dialog.js';
import { Drawer } from '../ui/drawer.js';
import { Icon } from '../ui/icon.js';
import { KeyValues } from '../ui/key-values.js';
import { Menu } from '../ui/menu.js';
import { Popover } from '../ui/popover.js';
import { SecretReveal } from '../ui/secret-reveal.js';
import { Example } from './example.js';
import type { Part } from './part.js';

type Open = 'drawer' | 'delete' | 'stop' | 'secret' | null;

function Windows(): JSX.Element {
  const [open, setOpen] = useState<Open>(null);
  const close = (): void => setOpen(null);
  return (
    <>
      <Button onClick={() => setOpen('stop')}>Stop deployment</Button>
      <Button onClick={() => setOpen('delete')}>Delete deployment</Button>
      <Button onClick={() => setOpen('secret')}>Reveal key</Button>
      <Button onClick={() => setOpen('drawer')}>Open request</Button>
      {open === 'stop' && (
        <ConfirmDialog title="Stop “Support chat”" action="Stop" danger={false} onConfirm={async () => close()} onClose={close}>
          New requests get 409 until it is resumed. Running ones may finish.
        </ConfirmDialog>
      )}
      {open === 'delete' && (
        <ConfirmDialog
          title="Delete “Support chat”"
          action="Delete"
          typed="deployment-2"
          impact="42 requests in the last hour by 3 keys."
          onConfirm={() => Promise.reject(new Error('refused'))}
          onClose={close}
        >
          Requests to it get 404. This cannot be undone.
        </ConfirmDialog>
      )}
      {open === 'secret' && (
        <SecretReveal
          title="Key “Website”"
          label="Key"
          value={'x'.repeat(48)}
          copy="Copy key"
          ifLost="If you lose it, rotate the key."
          onDone={close}
        />
      )}
      <Drawer title="Request req_9f2c" open={open === 'drawer'} onClose={close} actions={<IconButton icon="copy" label="Copy as curl" />}>
        <KeyValues
          facts={[
            ['Status', '200'],
            ['Deployment', 'Support chat'],
            ['Time to first token', '182 ms'],
          ]}
        />
      </Drawer>
    </>
  );
}

function Toasts(): JSX.Element {
  return (
    <>
      <Button onClick={() => announce('The key is renamed.')}>Success</Button>
      <Button
        onClick={() => announce('The console is not responding.', 'bad', { label: 'Try again', run: () => announce('It answers again.') })}
      >
        Error
      </Button>
      <Button onClick={() => announce('3 keys are hidden.', 'good', { label: 'Undo', run: () => announce('They are back.') })}>Undo</Button>
    </>
  );
}

function Examples(): JSX.Element {
  const [chosen, setChosen] = useState('');
  return (
    <>
      <Example title="Windows">
        <Windows />
      </Example>
      <Example title="In a corner">
        <Toasts />
      </Example>
      <Example title="Menu">
        <Menu
          label="Actions for deployment-2"
          triggerClass={buttonClass('plain')}
          trigger={<Icon name="more" />}
          align="start"
          entries={[
            {
              entries: [
                { label: 'Open in Playground', icon: 'play', keys: 'g p', onSelect: () => setChosen('Playground') },
                { label: 'Copy base URL', icon: 'copy', keys: 'mod+c', onSelect: () => setChosen('Copied') },
                { label: 'Resume', icon: 'rotate', disabled: true, onSelect: () => setChosen('Resumed') },
              ],
            },
            { title: 'Danger', entries: [{ label: 'Delete', icon: 'delete', danger: true, onSelect: () => setChosen('Deleted') }] },
          ]}
        />
        <output className="self-center text-sm text-muted">{chosen}</output>
      </Example>
      <Example title="Popover">
        <Popover label="Base URL" trigger={<Button icon="link">Base URL</Button>}>
          <p className="text-sm">Clients call it at this address; it stays when the deployment is replaced.</p>
        </Popover>
      </Example>
    </>
  );
}

export default { title: 'Overlays', Examples } satisfies Part;
