import { Checkbox, Group, Switch } from '@mantine/core'
import { clients as text } from '../../../../text/clients.ts'
import type { DraftFields } from './address-fields.tsx'
import { SigningFields } from './authentication-fields.tsx'
import { type Client, FAPI2 } from './client-draft.ts'
import { NonceSwitch } from './nonce-switch.tsx'

const METHODS = ['S256', 'plain'] as const
const RESPONSE_MODES = ['query', 'form_post'] as const

/** The protocol requirements of authorization requests. */
export const ProtocolFields = ({ draft, change, fieldErrors }: DraftFields) => (
  <>
    {draft.kind === 'WEB' && (
      <Switch
        label={text.fapi}
        description={text.fapiText}
        checked={draft.securityProfile === 'FAPI2'}
        onChange={(event) => change(event.currentTarget.checked ? FAPI2 : { securityProfile: 'NONE' })}
        error={fieldErrors.securityProfile}
      />
    )}
    <NonceSwitch draft={draft} change={change} />
    <Switch
      label={text.userinfoInIdToken}
      description={text.userinfoInIdTokenText}
      checked={draft.userinfoInIdToken}
      onChange={(event) => change({ userinfoInIdToken: event.currentTarget.checked })}
    />
    <Switch
      label={text.requirePushedRequests}
      description={text.requirePushedRequestsText}
      checked={draft.requirePushedRequests}
      disabled={draft.securityProfile === 'FAPI2'}
      onChange={(event) => change({ requirePushedRequests: event.currentTarget.checked })}
    />
    <SigningFields draft={draft} change={change} fieldErrors={fieldErrors} />
    <Switch
      label={text.deviceFlow}
      description={text.deviceFlowText}
      checked={draft.deviceFlow}
      disabled={draft.securityProfile === 'FAPI2'}
      onChange={(event) => change({ deviceFlow: event.currentTarget.checked })}
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
    <Checkbox.Group
      label={text.responseModes}
      description={text.responseModesText}
      value={draft.responseModes}
      onChange={(modes) => change({ responseModes: modes as Client['responseModes'] })}
      error={fieldErrors.responseModes}
    >
      <Group mt="xs">
        {RESPONSE_MODES.map((mode) => (
          <Checkbox key={mode} value={mode} label={text.responseMode[mode]} />
        ))}
      </Group>
    </Checkbox.Group>
    <Switch
      label={text.requireDpop}
      description={text.requireDpopText}
      checked={draft.requireDpop}
      disabled={draft.securityProfile === 'FAPI2'}
      onChange={(event) => change({ requireDpop: event.currentTarget.checked })}
    />
  </>
)
