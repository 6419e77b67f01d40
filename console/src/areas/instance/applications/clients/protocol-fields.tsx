import { Checkbox, Group, Switch } from '@mantine/core'
import { clients as text } from '../../../../text/clients.ts'
import type { DraftFields } from './address-fields.tsx'
import type { Client } from './client-draft.ts'
import { NonceSwitch } from './nonce-switch.tsx'

const METHODS = ['S256', 'plain'] as const

/** The protocol requirements of authorization requests. */
export const ProtocolFields = ({ draft, change, fieldErrors }: DraftFields) => (
  <>
    <NonceSwitch draft={draft} change={change} />
    <Switch
      label={text.userinfoInIdToken}
      description={text.userinfoInIdTokenText}
      checked={draft.userinfoInIdToken}
      onChange={(event) => change({ userinfoInIdToken: event.currentTarget.checked })}
    />
    <Checkbox.Group
      label={text.pkceMethods}
      description={text.pkceMethodsText}
      value={draft.pkceMethods}
      onChange={(methods) => change({ pkceMethods: methods as Client['pkceMethods'] })}
      error={fieldErrors.pkceMethods}
    >
      <Group mt="xs">
        {METHODS.map((method) => (
          <Checkbox key={method} value={method} label={text.pkce[method]} />
        ))}
      </Group>
    </Checkbox.Group>
  </>
)
