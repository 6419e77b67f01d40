import { Checkbox, Group, Switch } from '@mantine/core'
import { clients as text } from '../../../../text/clients.ts'
import type { DraftFields } from './address-fields.tsx'
import type { Client } from './client-draft.ts'

const METHODS = ['S256', 'plain'] as const

/** What a client must send along when somebody signs in. */
export const ProtocolFields = ({ draft, change, fields }: DraftFields) => (
  <>
    <Switch
      label={text.requireNonce}
      description={text.requireNonceText}
      checked={draft.requireNonce}
      onChange={(event) => change({ requireNonce: event.currentTarget.checked })}
    />
    <Checkbox.Group
      label={text.pkceMethods}
      description={text.pkceMethodsText}
      value={draft.pkceMethods}
      onChange={(methods) => change({ pkceMethods: methods as Client['pkceMethods'] })}
      error={fields.pkceMethods}
    >
      <Group mt="xs">
        {METHODS.map((method) => (
          <Checkbox key={method} value={method} label={text.pkce[method]} />
        ))}
      </Group>
    </Checkbox.Group>
  </>
)
